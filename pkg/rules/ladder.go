package rules

// Counts are what was seen of one rule.
type Counts struct {
	Events        int // violations
	Episodes      int // distinct episodes with one
	Deterministic int // violations of a detector that reads fields
	// DeterministicEpisodes are the episodes with a deterministic violation.
	DeterministicEpisodes int
	// Newest counts violations in the newest PruneSessions episodes of all.
	Newest int
	// AllEpisodes counts every episode, with a violation or without.
	AllEpisodes int
}

// Status is where a rule stands.
type Status string

// The statuses, in the order in which they are tried.
const (
	NoDetector     Status = "no_detector"     // nothing measures it
	OverThreshold  Status = "over_threshold"  // broken often enough to act on
	SupportingOnly Status = "supporting_only" // often, but only words say so: never a reason alone
	PruneCandidate Status = "prune_candidate" // a soft line of prose, silent for long
	BelowThreshold Status = "below_threshold"
)

// Status says where a rule stands. Heuristic violations never bring a rule over
// the threshold, whatever their number.
//
// Silence is looked for in the newest episodes and not in the whole store: one
// old event must not protect a rule for ever.
func (t Thresholds) Status(r Rule, c Counts) Status {
	switch {
	case r.Detector == "":
		return NoDetector
	case reaches(c.Deterministic, t.DeterministicEvents) && reaches(c.DeterministicEpisodes, t.DeterministicSessions):
		return OverThreshold
	case reaches(c.Events, t.HeuristicEvents) && reaches(c.Episodes, t.HeuristicSessions):
		return SupportingOnly
	case c.Newest == 0 && r.Enforcement == Prose && !r.Hard && reaches(c.AllEpisodes, t.PruneSessions):
		return PruneCandidate
	}
	return BelowThreshold
}

// reaches compares with a threshold. Nothing never reaches one, not even a
// threshold of 0.
func reaches(n, threshold int) bool { return n > 0 && n >= threshold }

// Outcomes are what came of a rule's warnings, those of them that count: a
// warning or a block that was not held back, since the rule's OutcomesSince.
type Outcomes struct {
	// N counts the outcomes of warnings that reached the model, or of which the
	// transcript does not tell.
	N int
	// Ignored counts those after which the rule fired again and nothing put it
	// right.
	Ignored int
	// Undelivered counts the outcomes of warnings that provably never reached
	// the model: they are no evidence that the rule is ignored.
	Undelivered int
}

// Hold is a reason for not climbing.
type Hold string

// The reasons. None is the zero Hold.
const (
	NoHold                Hold = ""
	NoOutcomes            Hold = "no_outcomes"               // too few to judge
	NotDelivered          Hold = "not_delivered"             // enough, had they been delivered: mend the hook first
	WarningsChangeConduct Hold = "warnings_change_behaviour" // they work: nothing louder is needed
)

// Climb says which rung a rule over the threshold should have next; "" for none,
// with the reason when there is one. A warning becomes a block only on ignored
// outcomes. What the user said in words never counts for it.
func (t Thresholds) Climb(r Rule, o Outcomes) (Enforcement, Hold) {
	switch r.Enforcement {
	case Prose:
		return HookWarn, NoHold
	case HookBlock:
		return "", NoHold
	}
	switch {
	case reaches(o.N, t.DeterministicEvents):
	case reaches(o.N+o.Undelivered, t.DeterministicEvents):
		return "", NotDelivered
	default:
		return "", NoOutcomes
	}
	if float64(o.Ignored) < t.EscalateIgnoredRate*float64(o.N) {
		return "", WarningsChangeConduct
	}
	return HookBlock, NoHold
}
