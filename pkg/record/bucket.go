package record

// KindBucket is the kind of every record of retro-episode.
const KindBucket Kind = "bucket"

// Bucket says what a bucket counts.
type Bucket string

// The buckets.
const (
	BucketEpisode     Bucket = "episode"      // one session on one day: the partial aggregate
	BucketShare       Bucket = "share"        // the end of a partial
	BucketSummary     Bucket = "summary"      // the window and what stands out in it
	BucketCoverage    Bucket = "coverage"     // what the figures stand on
	BucketRule        Bucket = "rule"         // one rule of the registry
	BucketDecisions   Bucket = "decisions"    // what a rule's hook did and what came of it
	BucketPathCluster Bucket = "path-cluster" // where in the tree a rule is broken
	BucketBuildRetry  Bucket = "build-retry"  // one command that was run over and over
	BucketGotcha      Bucket = "gotcha"       // how often a gotcha was shown
	BucketTokens      Bucket = "tokens"
	BucketAdherence   Bucket = "adherence" // edits that a review followed
	BucketFriction    Bucket = "friction"  // verdicts and hits by day
	BucketArchives    Bucket = "archives"  // change proposals that were carried out
	BucketLayout      Bucket = "layout"    // what the instruction files weigh
	BucketGotchaEntry Bucket = "gotcha-entry"
)

// BucketHead opens every bucket.
type BucketHead struct {
	V      int    `json:"v"`
	Kind   Kind   `json:"kind"` // KindBucket
	Bucket Bucket `json:"bucket"`
}

// NewBucketHead is the head of a bucket.
func NewBucketHead(b Bucket) BucketHead { return BucketHead{Version, KindBucket, b} }

// RegistryState tells whether rules are measured.
type RegistryState string

// The states.
const (
	RegistryPresent RegistryState = "present"
	RegistryAbsent  RegistryState = "absent"  // rule measurement is off
	RegistryInvalid RegistryState = "invalid" // it is off because the file is broken
)

// Summary is the window and what stands out in it.
type Summary struct {
	BucketHead
	Zone     Name          `json:"zone"`
	Registry RegistryState `json:"registry"`
	// RegistryFault is the path of the field at fault, or `json`.
	RegistryFault string `json:"registry_fault,omitempty"`
	Sessions      int    `json:"sessions"`
	Episodes      int    `json:"episodes"`
	// SinceLastRetro counts episodes after the last retrospective; all of them
	// before the first.
	SinceLastRetro    int       `json:"since_last_retro"`
	LastRetro         string    `json:"last_retro"` // "" before the first
	First             Timestamp `json:"first"`      // start of the earliest session
	Last              Timestamp `json:"last"`       // start of the latest
	IgnoredSessions   int       `json:"ignored_sessions"`
	Archives          int       `json:"archives"`       // archived changes seen under --root
	OverThreshold     []string  `json:"over_threshold"` // most events first
	TopEvents         int       `json:"top_events"`     // events of the first of them
	SupportingOnly    []string  `json:"supporting_only"`
	PruneCandidates   []string  `json:"prune_candidates"`
	UnmeasuredRules   []string  `json:"unmeasured_rules"`
	UserCorrections   int       `json:"user_corrections"`
	DecisionsRecorded int       `json:"decisions_recorded"`
	OutcomesRecorded  int       `json:"outcomes_recorded"`
	// RulesOff counts sessions scanned without a registry: nobody looked whether
	// they broke a rule.
	RulesOff int `json:"rules_off"`
	// Call is what a person runs to act on the figures.
	Call string `json:"call"`
	// Thresholds are those of the registry; null without one.
	Thresholds *SummaryThresholds `json:"thresholds"`
}

// SummaryThresholds are the thresholds that the figures were held against.
type SummaryThresholds struct {
	DeterministicEvents    int     `json:"deterministic_events"`
	DeterministicSessions  int     `json:"deterministic_sessions"`
	HeuristicEvents        int     `json:"heuristic_events"`
	HeuristicSessions      int     `json:"heuristic_sessions"`
	PruneSessions          int     `json:"prune_sessions"`
	RetroPromptMinSessions int     `json:"retro_prompt_min_sessions"`
	BootstrapMinArchives   int     `json:"bootstrap_min_archives"`
	InstructionTokenBudget int     `json:"instruction_token_budget"`
	EscalateIgnoredRate    float64 `json:"escalate_ignored_rate"`
}

// Coverage says what the figures stand on.
type Coverage struct {
	BucketHead
	Sessions int `json:"sessions"` // with a session record that could be read
	Files    int `json:"files"`
	// Skipped counts sessions that could not be read, by reason in words of
	// this program.
	Skipped   []ReasonCount `json:"skipped"`
	Malformed []Count       `json:"malformed"` // lines that could not be read, by kind
	Dropped   []Count       `json:"dropped"`   // copies and foreign records, by kind
	// Oldest is the start of the earliest session; days before it are unknown,
	// not calm.
	Oldest     Timestamp `json:"oldest"`
	Live       int       `json:"live"`       // sessions that were still being written
	Automated  int       `json:"automated"`  // driven by a program: left out of friction rates
	Unrecorded int       `json:"unrecorded"` // sessions with signals but without a session record
	Unjudged   int       `json:"unjudged"`   // sessions without a verdict
	// WithoutFacts counts sessions scanned with the registry, but without a look
	// at the project: rules that need one had no chance to be seen broken.
	WithoutFacts int    `json:"without_facts"`
	ConfigHash   []Hash `json:"config_hash"`
	DaysCovered  int    `json:"days_covered"` // days with an episode
	Days         int    `json:"days"`         // calendar days from the first to the last of them
}

// ReasonCount counts sessions by the reason why they could not be read.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// RuleBucket is one rule of the registry with its figures.
type RuleBucket struct {
	BucketHead
	Rule          string     `json:"rule"`
	Title         string     `json:"title"`
	Source        RuleSource `json:"source"`
	Enforcement   string     `json:"enforcement"`
	Hard          bool       `json:"hard"`
	Detector      *string    `json:"detector"` // null: nothing measures the rule
	Events        int        `json:"events"`
	Deterministic int        `json:"deterministic"`
	Episodes      int        `json:"episodes"`
	Sessions      int        `json:"sessions"`
	Newest        int        `json:"newest"` // events in the newest episodes of the prune window
	Confidence    Confidence `json:"confidence"`
	Status        string     `json:"status"`
	// EscalateTo is the next rung for a rule over the threshold, else null.
	EscalateTo *string `json:"escalate_to"`
	HoldReason *string `json:"hold_reason"`
	// Opportunities counts calls at which the rule could have been broken; null
	// when no session record tells.
	Opportunities *int `json:"opportunities"`
	// Broken is the share of the sessions with an opportunity in which the rule
	// was broken; of all sessions when opportunities are not known.
	Broken Rate `json:"broken"`
	// Late is the share of violations in the second half of their session's
	// turns, of those whose turn is known.
	Late        Rate         `json:"late"`
	First       Day          `json:"first"` // day of the first violation
	Last        Day          `json:"last"`
	BeforeAfter *BeforeAfter `json:"before_after"`
	Days        []DayCount   `json:"days"` // days with a violation
}

// RuleSource says where a rule is written down.
type RuleSource struct {
	File   string `json:"file"`
	Anchor string `json:"anchor"`
}

// BeforeAfter compares the sessions before a change with those since it.
type BeforeAfter struct {
	Since          Day     `json:"since"`
	RateBefore     float64 `json:"rate_before"` // per session
	RateAfter      float64 `json:"rate_after"`
	SessionsBefore int     `json:"sessions_before"`
	SessionsAfter  int     `json:"sessions_after"`
}

// DayCount is one day of a rule.
type DayCount struct {
	Day      Day `json:"day"`
	Events   int `json:"events"`
	Sessions int `json:"sessions"`
}

// DecisionsBucket is what a rule's hook did and what came of it.
type DecisionsBucket struct {
	BucketHead
	RuleDecisions
	Recorded    int  `json:"outcomes_recorded"`
	Undelivered int  `json:"undelivered"`
	N           int  `json:"n"`
	Proceeded   Rate `json:"proceeded"`
	Corrected   Rate `json:"corrected"`
	Reconciled  Rate `json:"reconciled"`
	Ignored     Rate `json:"ignored"`
}

// PathCluster says where in the tree a rule is broken.
type PathCluster struct {
	BucketHead
	Pattern    Path `json:"pattern"`
	Rule       Name `json:"rule"`
	Events     int  `json:"events"` // files touched
	Violations int  `json:"violations"`
	Sessions   int  `json:"sessions"`
}

// BuildRetry is one command over all sessions.
type BuildRetry struct {
	BucketHead
	Program  Program `json:"program"`
	Hash     Hash    `json:"hash"`
	Runs     int     `json:"runs"`
	Errors   int     `json:"errors"`
	Sessions int     `json:"sessions"`
	Gotchas  []Name  `json:"gotchas"`
}

// Gotcha counts how often an entry of the gotcha files was shown.
type Gotcha struct {
	BucketHead
	Gotcha   Name `json:"gotcha"`
	Surfaced int  `json:"surfaced"`
	Sessions int  `json:"sessions"`
	Episodes int  `json:"episodes"`
	// RetrySessions counts the sessions in which it was shown and its command
	// was retried all the same.
	RetrySessions int `json:"retry_sessions"`
}

// Tokens are means per session, rounded; the total is the sum of the rounded
// means.
type Tokens struct {
	BucketHead
	SessionsWithUsage int          `json:"sessions_with_usage"`
	MeanPerSession    TokenMeans   `json:"mean_per_session"`
	BeforeAfter       *BeforeAfter `json:"before_after"`
	Days              []DayTokens  `json:"days"`
}

// TokenMeans are tokens per session.
type TokenMeans struct {
	Usage
	Total int64 `json:"total"`
}

// DayTokens are the sessions that ended on a day and the sum of their tokens.
type DayTokens struct {
	Day      Day   `json:"day"`
	Sessions int   `json:"sessions"`
	Total    int64 `json:"total"`
}

// Adherence says how many of the sessions that edited files also reviewed.
type Adherence struct {
	BucketHead
	EditingSessions int  `json:"editing_sessions"`
	Reviewed        Rate `json:"reviewed"`
	UserCorrections int  `json:"user_corrections"`
}

// FrictionBucket is the gate over all sessions that people drove.
type FrictionBucket struct {
	BucketHead
	// Passed is the share of judged sessions whose score reached the threshold.
	Passed     Rate          `json:"passed"`
	Mean       *float64      `json:"mean_score"`
	Median     *float64      `json:"median_score"`
	Max        *float64      `json:"max_score"`
	Thresholds []Score       `json:"thresholds"` // normally one
	Profiles   []Name        `json:"profiles"`
	Signals    []SignalCount `json:"signals"`
	Days       []FrictionDay `json:"days"`
}

// SignalCount counts one gate signal.
type SignalCount struct {
	Name     Name `json:"name"`
	Hits     int  `json:"hits"`
	Sessions int  `json:"sessions"`
}

// FrictionDay is one day of the gate: a verdict falls on the last day of its
// session, a hit on its own.
type FrictionDay struct {
	Day    Day   `json:"day"`
	Judged int   `json:"judged"`
	Passed int   `json:"passed"`
	Sum    Score `json:"score_sum"`
	Max    Score `json:"score_max"`
	Hits   int   `json:"hits"`
}

// Archives are the change proposals that were carried out.
type Archives struct {
	BucketHead
	ArchivedChanges    int         `json:"archived_changes"`
	MeanTasksPerChange float64     `json:"mean_tasks_per_change"`
	ReviewFixes        Rate        `json:"review_fixes"`
	Incomplete         Rate        `json:"incomplete"`
	MostReferenced     []PathCount `json:"most_referenced_paths"`
}

// PathCount counts the changes whose task list names a path.
type PathCount struct {
	Path    string `json:"path"`
	Changes int    `json:"changes"`
}
