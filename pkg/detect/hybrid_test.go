package detect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
)

// hybridSteps reads a session off a text: one word a step, `KIND:ID@MINUTE`, where f
// is a failure, s a success, p a prompt and n neutral.
func hybridSteps(text string) []step {
	var out []step
	for _, word := range strings.Fields(text) {
		kind, rest, _ := strings.Cut(word, ":")
		id, minute, timed := strings.Cut(rest, "@")
		s := step{kind: map[string]stepKind{"f": stepFailed, "s": stepSucceeded, "p": stepPrompt, "n": stepNeutral}[kind], id: id, tool: "Bash", anchor: record.NewAnchor(id)}
		if timed {
			s.time = minuteOf(minute)
		}
		out = append(out, s)
	}
	return out
}

func minuteOf(text string) time.Time {
	var n float64
	fmt.Sscan(text, &n)
	return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(n * float64(time.Minute)))
}

// hybridRows reads rows off a text: `EVENT:ID@MINUTE`, where F is a failed call, D
// a denial and S a failed answer.
func hybridRows(text string) []record.LedgerRow {
	var out []record.LedgerRow
	for _, word := range strings.Fields(text) {
		event, rest, _ := strings.Cut(word, ":")
		id, minute, _ := strings.Cut(rest, "@")
		row := record.LedgerRow{
			TS: record.NewLedgerTime(minuteOf(minute)), Tool: record.NewName("Bash"),
			Event: record.NewName(map[string]string{"F": "PostToolUseFailure", "D": "PermissionDenied", "S": "StopFailure"}[event]),
		}
		row.ToolUseID, _ = record.NewIdentifier(id)
		out = append(out, row)
	}
	return out
}

func oneTarget(record.LedgerRow) (uint64, bool) { return 0, true }

func TestFailureRunsWithLedger(t *testing.T) {
	for _, c := range []struct{ name, steps, rows, want string }{
		{"no ledger", "f:a@0 f:b@1 s:c@2 f:d@3", "", "a*2"},
		{"one row hides no run", "f:a@0 f:b@1 p:@2 f:c@3 f:d@4 s:e@5 f:f@6 f:g@7", "F:a@0", "a*2 c*2 f*2"},
		{"rows of known calls add nothing", "f:a@0 s:b@1 f:c@2", "F:a@0 F:a@0 F:c@2", ""},
		{"a benign exit stays benign", "n:a@0 f:b@1", "F:a@0 F:b@1", ""},
		{"failures that the transcript lacks", "s:a@0 s:b@9", "F:x@1 F:y@2", "ledger:PostToolUseFailure:2026-03-01T08:01:00Z*2"},
		{"one joins a run", "f:a@0 s:b@9", "F:x@1", "a*2"},
		{"a success parts them", "s:a@0 s:b@2 s:c@9", "F:x@1 F:y@3", ""},
		{"a prompt parts them", "f:a@0 p:@1", "F:x@2", ""},
		{"a day apart is no run", "s:a@0", "F:x@10 F:y@1450", ""},
		{"an hour apart is no run", "f:a@0 f:b@61", "", ""},
		{"many rows are as many runs as they are", "s:a@0 s:b@3 s:c@6", "F:u@1 F:v@2 F:w@4 F:x@5 F:y@7 F:z@8", "ledger:PostToolUseFailure:2026-03-01T08:01:00Z*2 ledger:PostToolUseFailure:2026-03-01T08:04:00Z*2 ledger:PostToolUseFailure:2026-03-01T08:07:00Z*2"},
		{"denials and failed answers", "s:a@0", "D:x@1 D:y@2 S:@3 S:@4", ""},
		{"rows without an id at the call's moment", "f:a@0 s:b@1 f:c@2", "F:@0.05 F:@2.05", ""},
		{"rows without an id of no call", "s:a@0", "F:@1 F:@2", "ledger:PostToolUseFailure:2026-03-01T08:01:00Z*2"},
		{"two rows for one call", "f:a@0 s:b@9", "F:@0.01 F:@0.02", "a*2"},
		{"no times", "f:a f:b s:c", "F:a@0", "a*2"},
		{"neutral ends nothing", "f:a@0 n:b@1 f:c@2", "", "a*2"},
	} {
		var got []string
		for _, r := range failureRuns(withLedger(hybridSteps(c.steps), hybridRows(c.rows), oneTarget)) {
			got = append(got, fmt.Sprintf("%s*%d", r.first.anchor, r.length))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}
}
