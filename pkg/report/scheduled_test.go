package report

import (
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
)

func scheduled(t *testing.T, lines ...string) string {
	t.Helper()
	var b ScheduledBuilder
	for _, line := range lines {
		kind, ok := record.KindOf([]byte(line))
		if !ok {
			t.Fatalf("no record: %s", line)
		}
		if err := b.Add(kind, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	s := b.Scheduled(time.Date(2026, 7, 14, 6, 0, 0, 0, time.FixedZone("", 7200)))
	if err := s.WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	calmVerdict  = `{"score":0.0,"passed":false,"threshold":5.0,"signals":[],"v":1,"kind":"verdict","session_id":"calm"}`
	roughVerdict = `{"score":8.5,"passed":true,"threshold":5.0,"signals":[{"name":"S1","count":2,"ids":[]},{"name":"S3","count":1,"ids":[]}],"v":1,"kind":"verdict","session_id":"rough"}`
	lostVerdict  = `{"score":0.0,"passed":false,"threshold":5.0,"signals":[],"error":"file not found","v":1,"kind":"verdict","session_id":"lost"}`
	leftOut      = `{"v":1,"kind":"selection","found":5,"read":2,"left_out":[{"name":"in-progress","count":1},{"name":"seen","count":2}],"cut":0}`
	keptTrial    = `{"decision":"KEEP","agent":"pm","directive":"2. Ask *first*.","source":"s#a","trial_start":"2026-03-10","baseline":{"mean":8.6667,"n":6,"sessions":[]},"in_trial":{"mean":0.5,"n":7,"sessions":[]},"review_after":"5-sessions","v":1,"kind":"trial","rule":"rank","reason":"lower","measures":[{"name":"score-per-turn","baseline_mean":0.4,"in_trial_mean":0.03,"difference":-0.37,"low":-0.4,"high":-0.3,"p":0.002,"exact":true,"decides":true}]}`
	openTrial    = `{"decision":"UNDECIDED","agent":"pm","directive":"3. Wait.","source":"s#a","trial_start":"2026-03-10","baseline":{"mean":1.0,"n":6,"sessions":[]},"in_trial":{"mean":1.0,"n":1,"sessions":[]},"review_after":"5-sessions","v":1,"kind":"trial","rule":"rank","reason":"window-not-elapsed"}`
)

func TestScheduledFullNight(t *testing.T) {
	const want = `# Scheduled retro report
- timestamp: 2026-07-14T04:00:00Z
- mode: --all --auto
- sessions: scanned=3 skipped=3 gated=1 deep-read=0

## Applied
(none)

## Manual follow-up
- trial KEEP pm: 2. Ask \*first\*. (score-per-turn 0.4 before, 0.03 after, p 0.002, sessions 6 and 7)

## Duplicates (advisory)
(none)

## Observations
- session ` + "`rough`" + `: score 8.5 of 5.0 (S1 x2, S3 x1)
- session ` + "`lost`" + ` could not be read

## Summary
Applied: 0 | Manual follow-up: 0 | scanned=3 skipped=3 gated=1 deep-read=0

`
	if got := scheduled(t, leftOut, calmVerdict, roughVerdict, roughVerdict, lostVerdict, keptTrial, openTrial); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestScheduledNothing tells the kinds of nothing apart.
func TestScheduledNothing(t *testing.T) {
	tests := []struct {
		lines         []string
		note, summary string
	}{
		{nil, "No records came in.", "Applied: 0 | no records"},
		{[]string{leftOut}, "No sessions to retro.", "Applied: 0 | empty candidate set"},
		{[]string{calmVerdict, openTrial}, "No friction detected — nothing to retro (all smooth).", "Applied: 0 | all-smooth | scanned=1 gated=0"},
	}
	for _, test := range tests {
		got := scheduled(t, test.lines...)
		if !strings.Contains(got, "\n## Note\n\n"+test.note+"\n\n## Applied\n(none)\n") || !strings.HasSuffix(got, "\n## Summary\n"+test.summary+"\n\n") {
			t.Errorf("got\n%s\nwant note %q and summary %q", got, test.note, test.summary)
		}
	}
	if got := scheduled(t, calmVerdict, lostVerdict); strings.Contains(got, "smooth") {
		t.Errorf("a session that could not be read is called smooth:\n%s", got)
	}
}
