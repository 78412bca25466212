package detect

import (
	"slices"
	"time"

	"retro/pkg/record"
)

// stepKind is what a step means to a run of failed calls.
type stepKind int

const (
	stepFailed    stepKind = iota // the call failed in earnest: the run goes on
	stepSucceeded                 // the run ends
	stepPrompt                    // a person spoke: the run ends
	stepNeutral                   // denied, cancelled, interrupted, a benign exit: neither
)

// step is the end of a tool call, or a prompt, in the order of the transcript.
type step struct {
	kind   stepKind
	id     string // of the tool call
	tool   string
	time   time.Time // zero when the record has none
	anchor record.Anchor
	turn   int // 0 for what only the ledger knows
	line   int
	target uint64 // what the call is about; runs are of one target
}

const (
	// sameMoment is how far the ledger's time of a failure may be from the
	// transcript's: the hook runs between the two.
	sameMoment = 5 * time.Second
	// runGap parts failures into two runs: whoever comes back after an hour is
	// not stuck in the same loop.
	runGap = time.Hour
)

// withLedger adds to the steps of a session the failures that only the ledger
// knows, each where its time puts it. Of a call whose end is in the transcript
// the transcript decides, because it shows what kind of failure it was: so one
// row hides nothing, and a row never counts twice. Rows without a tool call's
// id, which older hooks wrote, are taken for the call of the same tool at the
// same moment. Denials and failed answers of the model are no failed calls, and neither
// is a row of which target does not know what it is about.
func withLedger(steps []step, rows []record.LedgerRow, target func(record.LedgerRow) (uint64, bool)) []step {
	known := make(map[string]bool)
	for _, s := range steps {
		known[s.id] = true
	}
	taken := make([]bool, len(steps))
	merged := slices.Clone(steps)
	for _, row := range rows {
		id := row.ToolUseID.String()
		switch {
		case row.Event.String() != "PostToolUseFailure", id != "" && known[id]:
			continue
		case id == "" && takeMatch(steps, taken, row):
			continue
		}
		known[id] = id != ""
		s := ledgerStep(row)
		var found bool
		if s.target, found = target(row); found {
			merged = insertStep(merged, s)
		}
	}
	return merged
}

func ledgerStep(row record.LedgerRow) step {
	return step{
		kind: stepFailed, id: row.ToolUseID.String(), tool: row.Tool.String(), time: row.TS.Time(),
		anchor: record.NewAnchor("ledger:" + row.Event.String() + ":" + row.TS.String()),
	}
}

// takeMatch finds the nearest end of a call of the row's tool at its moment
// that no other row has taken, and takes it.
func takeMatch(steps []step, taken []bool, row record.LedgerRow) bool {
	best, distance := -1, sameMoment+1
	for i, s := range steps {
		if taken[i] || s.kind == stepPrompt || s.tool != row.Tool.String() || s.time.IsZero() {
			continue
		}
		if d := s.time.Sub(row.TS.Time()).Abs(); d < distance {
			best, distance = i, d
		}
	}
	if best >= 0 {
		taken[best] = true
	}
	return best >= 0
}

// insertStep puts a step before the first one that is later; one without a time
// stands where the one before it stands.
func insertStep(steps []step, s step) []step {
	at := slices.IndexFunc(steps, func(other step) bool { return !other.time.IsZero() && other.time.After(s.time) })
	if at < 0 {
		at = len(steps)
	}
	return slices.Insert(steps, at, s)
}

// failureRun is a run of failed calls.
type failureRun struct {
	first  step
	length int
}

// failureRuns lists the runs of at least two failures that nothing that
// succeeded, no prompt and no long pause parts.
func failureRuns(steps []step) []failureRun {
	var runs []failureRun
	var now failureRun
	var last time.Time
	closeRun := func() {
		if now.length >= 2 {
			runs = append(runs, now)
		}
		now, last = failureRun{}, time.Time{}
	}
	for _, s := range steps {
		switch s.kind {
		case stepSucceeded, stepPrompt:
			closeRun()
		case stepFailed:
			if !last.IsZero() && s.time.Sub(last) > runGap {
				closeRun()
			}
			if now.length == 0 {
				now.first = s
			}
			now.length++
			last = laterOf(last, s.time)
		}
	}
	closeRun()
	return runs
}

// laterOf is the later of two times; one that is not there counts as no time.
func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
