package record

import (
	"unicode/utf16"
	"unicode/utf8"

	"retro/pkg/ndjson"
)

// The kinds of the directive trials.
const (
	KindTrial         Kind = "trial"          // a trial under review
	KindTrialDecision Kind = "trial-decision" // a decision that somebody took: a row of the audit file
)

// TrialOutcome is what a review says of a trial. It is a proposal until a person or a program that was
// told to takes it.
type TrialOutcome string

// The three outcomes.
const (
	Keep      TrialOutcome = "KEEP"
	Revert    TrialOutcome = "REVERT"
	Undecided TrialOutcome = "UNDECIDED"
)

// TrialSide is one side of a trial: the sessions before it or in it.
type TrialSide struct {
	// Mean is the mean raw score.
	Mean     Score       `json:"mean"`
	N        int         `json:"n"`
	Sessions []SessionID `json:"sessions"`
}

// TrialMeasure compares the two sides by one measure.
type TrialMeasure struct {
	// Name is `score`, or `score-per-turn`: the score divided by the agent's
	// turns.
	Name     Identifier `json:"name"`
	Baseline Score      `json:"baseline_mean"`
	InTrial  Score      `json:"in_trial_mean"`
	// Difference is in-trial less baseline, Low and High its bootstrap
	// interval.
	Difference Score `json:"difference"`
	Low        Score `json:"low"`
	High       Score `json:"high"`
	// P is the two-sided p of the Mann-Whitney test, Exact tells that it
	// counts permutations.
	P     Score `json:"p"`
	Exact bool  `json:"exact"`
	// Decides marks the measure that the outcome was read from.
	Decides bool `json:"decides"`
}

// Trial is a trial under review. Directive and its like are text of the
// user's instruction files, never of a transcript.
type Trial struct {
	Decision    TrialOutcome `json:"decision"`
	Agent       string       `json:"agent"`
	Directive   string       `json:"directive"`
	Source      string       `json:"source"`
	TrialStart  string       `json:"trial_start"`
	Baseline    TrialSide    `json:"baseline"`
	InTrial     TrialSide    `json:"in_trial"`
	ReviewAfter string       `json:"review_after"`
	V           int          `json:"v"`
	Kind        Kind         `json:"kind"` // KindTrial
	// Rule is `rank` or `mean`, Reason a word of a closed list.
	Rule     Identifier     `json:"rule"`
	Reason   Identifier     `json:"reason"`
	Measures []TrialMeasure `json:"measures,omitempty"`
	// LeftOut counts the sessions on neither side, by reason.
	LeftOut []Count `json:"left_out,omitempty"`
}

// TrialDecision is a row of the audit file: the keys and their order are the
// original helper's, then schema version and kind.
type TrialDecision struct {
	TS         string       `json:"ts"` // seconds, `2026-07-14T12:00:00Z`
	Agent      string       `json:"agent"`
	Directive  string       `json:"directive"`
	Source     string       `json:"source"`
	TrialStart string       `json:"trial_start"`
	Baseline   TrialSide    `json:"baseline"`
	InTrial    TrialSide    `json:"in_trial"`
	Decision   TrialOutcome `json:"decision"`
	DecidedBy  string       `json:"decided_by"` // `user` or `auto`
	V          int          `json:"v"`
	Kind       Kind         `json:"kind"` // KindTrialDecision
}

// MarshalJSON writes the row in ASCII, as the original helper does.
func (d TrialDecision) MarshalJSON() ([]byte, error) {
	type plain TrialDecision
	line, err := ndjson.Marshal(plain(d))
	if err != nil {
		return nil, err
	}
	ascii := make([]byte, 0, len(line))
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case r < utf8.RuneSelf:
			ascii = append(ascii, byte(r))
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			ascii = appendEscape(appendEscape(ascii, hi), lo)
		default:
			ascii = appendEscape(ascii, r)
		}
		line = line[size:]
	}
	return ascii, nil
}

// The kinds of what the trial commands print with --json.
const (
	KindTrialAnnotation Kind = "trial-annotation"
	KindTrialLine       Kind = "trial-line"
	KindTrialElapsed    Kind = "trial-elapsed"
)

// TrialAnnotation is an annotated line, taken apart.
type TrialAnnotation struct {
	V           int    `json:"v"`
	Kind        Kind   `json:"kind"` // KindTrialAnnotation
	Text        string `json:"text"`
	Start       string `json:"start"`
	Source      string `json:"source"`
	ReviewAfter string `json:"review_after"`
}

// TrialLine is a line that an annotation was put on or taken off.
type TrialLine struct {
	V    int    `json:"v"`
	Kind Kind   `json:"kind"` // KindTrialLine
	Line string `json:"line"`
}

// TrialElapsed tells whether the window of a trial is over.
type TrialElapsed struct {
	V       int  `json:"v"`
	Kind    Kind `json:"kind"` // KindTrialElapsed
	Elapsed bool `json:"elapsed"`
}
