package trial

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"retro/pkg/record"
)

// Session is what a review knows of a session.
type Session struct {
	ID      record.SessionID
	Score   float64
	Turns   int // the agent's turns; 0 when not known
	Started time.Time
	Ended   time.Time
}

// Rule decides a trial.
type Rule string

// The two rules.
const (
	// ByRank is the default rule, see the package comment.
	ByRank Rule = "rank"
	// ByMean is the original helper's: two sessions a side, the lower mean
	// wins, a tie reverts.
	ByMean Rule = "mean"
)

// Options of a review. The zero value of MinN stands for the rule's own.
type Options struct {
	Rule  Rule
	Today time.Time // for windows of days
	MinN  int       // sessions a side; 0: 5 by rank, 2 by mean
	Alpha float64   // highest p that decides
	// Repeated is for a trial that is reviewed again and again until it is
	// decided, see the package comment; the rule by mean knows no such thing.
	Repeated  bool
	Resamples int
	Seed      uint64 // mixed with a seed of the data
}

// The reasons of an outcome.
var (
	reasonLower    = record.MustIdentifier("lower")
	reasonHigher   = record.MustIdentifier("higher")
	reasonNotLower = record.MustIdentifier("not-lower") // only by mean
	reasonWindow   = record.MustIdentifier("window-not-elapsed")
	reasonSample   = record.MustIdentifier("insufficient-sample")
	reasonFlat     = record.MustIdentifier("all-equal")
	reasonChance   = record.MustIdentifier("within-chance")
	reasonConflict = record.MustIdentifier("measures-disagree")

	measureScore = record.MustIdentifier("score")
	measureRate  = record.MustIdentifier("score-per-turn")
)

// Deferred tells that a trial was not judged, because its window is not over
// or a side has too few sessions.
func Deferred(t record.Trial) bool {
	return t.Reason == reasonWindow || t.Reason == reasonSample
}

// Review judges one trial by the sessions of its project, in any order. Of two
// entries for one session the one that ended last stands.
func Review(d Directive, sessions []Session, opt Options) record.Trial {
	sessions = unique(sessions)
	split := divide(d, sessions, opt.Rule)
	t := record.Trial{
		Decision: record.Undecided, Agent: d.Agent, Directive: d.Text, Source: d.Source.String(),
		TrialStart: d.Start.String(), Baseline: side(split.baseline), InTrial: side(split.inTrial),
		ReviewAfter: d.ReviewAfter.String(), V: record.Version, Kind: record.KindTrial,
		Rule: record.MustIdentifier(string(opt.Rule)), LeftOut: split.leftOut,
	}
	n := minimum(opt)
	elapsed := d.ReviewAfter.Elapsed(d.Start, split.times(), opt.Today)
	if elapsed && opt.Repeated && opt.Rule == ByRank {
		opt.Alpha = split.lookBack(d, opt)
		t.InTrial, t.LeftOut = side(split.inTrial), split.leftOut
	}
	switch {
	case !elapsed:
		t.Reason = reasonWindow
	case len(split.baseline) < n || len(split.inTrial) < n:
		t.Reason = reasonSample
	case opt.Rule == ByMean:
		t.Decision, t.Reason = byMean(t)
	default:
		opt.Seed ^= seedOf(d, sessions)
		t.Decision, t.Reason, t.Measures = byRank(split, opt)
	}
	return t
}

func minimum(opt Options) int {
	switch {
	case opt.MinN > 0:
		return opt.MinN
	case opt.Rule == ByMean:
		return 2
	}
	return 5
}

// byMean compares the means as they are printed, after rounding to four
// decimals.
func byMean(t record.Trial) (record.TrialOutcome, record.Identifier) {
	if t.InTrial.Mean < t.Baseline.Mean {
		return record.Keep, reasonLower
	}
	return record.Revert, reasonNotLower
}

// byRank reads the outcome from the score per turn, since a raw score grows
// with the length of its session; from the raw score when no session has a
// count of turns. Two measures that are both beyond chance and point opposite
// ways decide nothing.
func byRank(s sides, opt Options) (record.TrialOutcome, record.Identifier, []record.TrialMeasure) {
	raw := Compare(values(s.baseline, rawScore), values(s.inTrial, rawScore), opt.Alpha, opt.Resamples, opt.Seed)
	baseline, inTrial := values(s.baseline, rate), values(s.inTrial, rate)
	if n := minimum(opt); len(baseline) < n || len(inTrial) < n {
		outcome, reason := judge(raw, opt.Alpha)
		return outcome, reason, []record.TrialMeasure{measure(measureScore, raw, true)}
	}
	perTurn := Compare(baseline, inTrial, opt.Alpha, opt.Resamples, opt.Seed)
	outcome, reason := judge(perTurn, opt.Alpha)
	other, _ := judge(raw, opt.Alpha)
	if outcome != other && outcome != record.Undecided && other != record.Undecided {
		outcome, reason = record.Undecided, reasonConflict
	}
	return outcome, reason, []record.TrialMeasure{measure(measureRate, perTurn, true), measure(measureScore, raw, false)}
}

func judge(c Comparison, alpha float64) (record.TrialOutcome, record.Identifier) {
	switch {
	case c.Flat:
		return record.Undecided, reasonFlat
	case c.Lower(alpha):
		return record.Keep, reasonLower
	case c.Higher(alpha):
		return record.Revert, reasonHigher
	}
	return record.Undecided, reasonChance
}

// sides are the sessions of a trial, each list by time.
type sides struct {
	baseline, inTrial []Session
	leftOut           []record.Count
	rule              Rule
}

// divide puts each session on its side. By mean that is the original helper's
// way: the end of a session, as its file's time, and nothing left out. By rank
// a session belongs to the rules it started with; the session that gave birth
// to the directive and, when the start is only a day, those of that day are on
// neither side.
func divide(d Directive, sessions []Session, rule Rule) sides {
	s := sides{rule: rule}
	born := record.NewSessionID(d.Source.Session)
	var source, day, undated int
	for _, one := range sessions {
		at := moment(one, rule)
		switch {
		case at.IsZero():
			undated++
		case rule == ByRank && one.ID == born:
			source++
		case at.Before(d.Start.moment):
			s.baseline = append(s.baseline, one)
		case rule == ByRank && d.Start.day && at.Before(d.Start.moment.AddDate(0, 0, 1)):
			day++
		default:
			s.inTrial = append(s.inTrial, one)
		}
	}
	s.count("birth-day", day)
	s.count("source-session", source)
	s.count("undated", undated)
	return s
}

func (s *sides) count(reason string, n int) {
	if n > 0 {
		s.leftOut = append(s.leftOut, record.Count{Name: record.NewName(reason), Count: n})
	}
}

// times are the moments of the in-trial sessions.
func (s *sides) times() []time.Time {
	var out []time.Time
	for _, one := range s.inTrial {
		out = append(out, moment(one, s.rule))
	}
	return out
}

func moment(s Session, rule Rule) time.Time {
	if rule == ByMean || s.Started.IsZero() {
		return s.Ended
	}
	return s.Started
}

// unique sorts by time and id and drops what is there twice.
func unique(sessions []Session) []Session {
	latest := make(map[record.SessionID]int)
	var out []Session
	for _, s := range sessions {
		at, known := latest[s.ID]
		switch {
		case !known:
			latest[s.ID] = len(out)
			out = append(out, s)
		case !s.Ended.Before(out[at].Ended):
			out[at] = s
		}
	}
	slices.SortFunc(out, func(a, b Session) int {
		return cmp.Or(a.Started.Compare(b.Started), a.Ended.Compare(b.Ended), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	return out
}

func side(sessions []Session) record.TrialSide {
	out := record.TrialSide{N: len(sessions), Sessions: make([]record.SessionID, 0, len(sessions))}
	for _, s := range sessions {
		out.Sessions = append(out.Sessions, s.ID)
	}
	out.Mean = round(mean(values(sessions, rawScore)), 4)
	return out
}

func rawScore(s Session) (float64, bool) { return s.Score, true }

func rate(s Session) (float64, bool) {
	if s.Turns <= 0 {
		return 0, false
	}
	return s.Score / float64(s.Turns), true
}

func values(sessions []Session, of func(Session) (float64, bool)) []float64 {
	var out []float64
	for _, s := range sessions {
		if v, ok := of(s); ok {
			out = append(out, v)
		}
	}
	return out
}

func measure(name record.Identifier, c Comparison, decides bool) record.TrialMeasure {
	return record.TrialMeasure{
		Name: name, Baseline: round(c.Baseline, 6), InTrial: round(c.InTrial, 6), Difference: round(c.Difference, 6),
		Low: round(c.Low, 6), High: round(c.High, 6), P: round(c.P, 6), Exact: c.Exact, Decides: decides,
	}
}

// round cuts the last digits off, in which machines may differ.
func round(x float64, decimals int) record.Score {
	unit := math.Pow10(decimals)
	return record.Score(math.Round(x*unit)/unit + 0) // + 0 makes -0 a plain 0
}

// seedOf makes a seed of what is judged, so that two trials are not drawn
// alike and one trial is always drawn alike.
func seedOf(d Directive, sessions []Session) uint64 {
	h := fnv.New64a()
	h.Write([]byte(d.Agent + "\x00" + d.Text))
	for _, s := range sessions {
		h.Write([]byte("\x00" + s.ID.String()))
	}
	return h.Sum64()
}
