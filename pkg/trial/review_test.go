package trial

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// spread makes sessions an hour apart from the moment on, one a score, each of
// so many turns.
func spread(prefix, from string, turns int, scores ...float64) []Session {
	at, err := time.Parse(time.RFC3339, from)
	if err != nil {
		panic(err)
	}
	var out []Session
	for i, score := range scores {
		start := at.Add(time.Duration(i) * time.Hour)
		out = append(out, Session{record.NewSessionID(fmt.Sprint(prefix, i)), score, turns, start, start.Add(30 * time.Minute)})
	}
	return out
}

func directive(t *testing.T, start, window string) Directive {
	t.Helper()
	text, a, err := Parse("1. Ask first. <!-- trial start=" + start + " source=born#m1 review-after=" + window + " -->")
	if err != nil {
		t.Fatal(err)
	}
	return Directive{"pm", 1, text, a}
}

func TestReview(t *testing.T) {
	const before, after, start = "2026-03-01T00:00:00Z", "2026-03-11T00:00:00Z", "2026-03-10T12:00:00Z"
	rough := []float64{8, 9, 7, 10, 8, 9, 11, 8}
	calm := []float64{1, 0, 2, 0, 1, 1, 0, 2}
	zero := make([]float64, 8)
	tests := []struct {
		name              string
		baseline, inTrial []float64
		turns             [2]int
		rule              Rule
		minN              int
		want, reason      string
	}{
		{"better", rough, calm, [2]int{20, 20}, ByRank, 0, "KEEP", "lower"},
		{"worse", calm, rough, [2]int{20, 20}, ByRank, 0, "REVERT", "higher"},
		{"the same", rough, rough, [2]int{20, 20}, ByRank, 0, "UNDECIDED", "within-chance"},
		{"smooth before and after", zero, zero, [2]int{20, 20}, ByRank, 0, "UNDECIDED", "all-equal"},
		{"too few", rough[:4], calm, [2]int{20, 20}, ByRank, 0, "UNDECIDED", "insufficient-sample"},
		{"few but enough by flag", rough[:4], calm, [2]int{20, 20}, ByRank, 4, "KEEP", "lower"},
		{"longer sessions, more in total, less a turn", []float64{4, 5, 4, 5, 4, 5}, []float64{6, 7, 6, 7, 6, 7},
			[2]int{10, 100}, ByRank, 0, "UNDECIDED", "measures-disagree"},
		{"turns unknown", rough, calm, [2]int{0, 0}, ByRank, 0, "KEEP", "lower"},
		{"by mean, better", rough[:2], calm[:2], [2]int{20, 20}, ByMean, 0, "KEEP", "lower"},
		{"by mean, a tie", zero[:2], zero[:2], [2]int{20, 20}, ByMean, 0, "REVERT", "not-lower"},
		{"by mean, equal after rounding", []float64{1, 1.00002}, []float64{1, 1}, [2]int{20, 20}, ByMean, 0, "REVERT", "not-lower"},
		{"by mean, one session", rough[:1], calm, [2]int{20, 20}, ByMean, 0, "UNDECIDED", "insufficient-sample"},
	}
	for _, test := range tests {
		sessions := slices.Concat(spread("b", before, test.turns[0], test.baseline...), spread("t", after, test.turns[1], test.inTrial...))
		opt := Options{Rule: test.rule, MinN: test.minN, Alpha: 0.05, Resamples: 1000}
		got := Review(directive(t, start, "1-sessions"), sessions, opt)
		if string(got.Decision) != test.want || got.Reason.String() != test.reason {
			t.Errorf("%s: %s %s, want %s %s", test.name, got.Decision, got.Reason, test.want, test.reason)
		}
		if got.Baseline.N != len(test.baseline) || got.InTrial.N != len(test.inTrial) {
			t.Errorf("%s: %d and %d sessions", test.name, got.Baseline.N, got.InTrial.N)
		}
	}
}

func TestReviewBytesDoNotDependOnOrder(t *testing.T) {
	sessions := slices.Concat(
		spread("b", "2026-03-01T00:00:00Z", 30, 5, 6, 5, 7, 9, 5), spread("t", "2026-04-01T00:00:00Z", 20, 1, 2, 0, 0, 1, 0))
	opt := Options{Rule: ByRank, Alpha: 0.05, Resamples: 500}
	first, err := ndjson.Marshal(Review(directive(t, "2026-03-10", "1-sessions"), sessions, opt))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(sessions)
	second, _ := ndjson.Marshal(Review(directive(t, "2026-03-10", "1-sessions"), append(sessions, sessions...), opt))
	if string(first) != string(second) {
		t.Errorf("got  %s\nwant %s", second, first)
	}
	if !strings.HasPrefix(string(first), `{"decision":"KEEP","agent":"pm","directive":"1. Ask first.","source":"born#m1","trial_start":"2026-03-10","baseline":{"mean":6.1667,"n":6,"sessions":["b0",`) {
		t.Errorf("got %s", first)
	}
}

func TestSides(t *testing.T) {
	at := func(s string) time.Time { m, _ := time.Parse(time.RFC3339, s); return m }
	one := func(id, started, ended string) Session {
		return Session{record.NewSessionID(id), 1, 1, at(started), at(ended)}
	}
	sessions := []Session{
		one("old", "2026-03-09T10:00:00Z", "2026-03-09T11:00:00Z"),
		one("over-night", "2026-03-09T23:00:00Z", "2026-03-10T14:00:00Z"),
		one("born", "2026-03-10T11:00:00Z", "2026-03-10T12:30:00Z"),
		one("same-day", "2026-03-10T13:00:00Z", "2026-03-10T14:00:00Z"),
		one("new", "2026-03-11T00:00:00Z", "2026-03-11T01:00:00Z"),
		one("undated", "", ""),
		one("only-end", "", "2026-03-12T00:00:00Z"),
	}
	tests := []struct {
		rule                       Rule
		start                      string
		baseline, inTrial, leftOut string
	}{
		{ByRank, "2026-03-10", "old over-night", "only-end new", "birth-day:1 source-session:1 undated:1"},
		{ByRank, "2026-03-10T12:00:00Z", "old over-night", "only-end same-day new", "source-session:1 undated:1"},
		{ByMean, "2026-03-10", "old", "only-end over-night born same-day new", "undated:1"},
	}
	for _, test := range tests {
		got := Review(directive(t, test.start, "1-sessions"), sessions, Options{Rule: test.rule, Alpha: 0.05, Resamples: 10})
		var leftOut []string
		for _, c := range got.LeftOut {
			leftOut = append(leftOut, fmt.Sprint(c.Name, ":", c.Count))
		}
		if ids(got.Baseline) != test.baseline || ids(got.InTrial) != test.inTrial || strings.Join(leftOut, " ") != test.leftOut {
			t.Errorf("%s %s: baseline %q, in trial %q, left out %q", test.rule, test.start, ids(got.Baseline), ids(got.InTrial), leftOut)
		}
	}
}

func ids(side record.TrialSide) string {
	var out []string
	for _, id := range side.Sessions {
		out = append(out, id.String())
	}
	return strings.Join(out, " ")
}

func TestWindowIsAwaited(t *testing.T) {
	sessions := slices.Concat(
		spread("b", "2026-03-01T00:00:00Z", 10, 9, 9, 9, 9, 9, 9), spread("t", "2026-03-12T00:00:00Z", 10, 0, 0, 0, 0, 0, 0))
	got := Review(directive(t, "2026-03-10", "7-sessions"), sessions, Options{Rule: ByRank, Alpha: 0.05, Resamples: 10})
	if got.Decision != record.Undecided || !Deferred(got) || got.Measures != nil {
		t.Errorf("6 of 7 sessions: %+v", got)
	}
	got = Review(directive(t, "2026-03-10", "6-sessions"), sessions, Options{Rule: ByRank, Alpha: 0.05, Resamples: 10})
	if got.Decision != record.Keep || Deferred(got) {
		t.Errorf("6 of 6 sessions: %+v", got)
	}
}

func TestDirectives(t *testing.T) {
	file := strings.Join([]string{
		"# Directives", "1. Permanent", "2. On trial " + comment10, "- bullet " + comment10,
		"```", "3. Example " + comment10, "```", "  12) Indented " + comment10 + "\r",
		"13. Bad <!-- trial start=soon source=a#b review-after=1-days -->",
	}, "\n")
	for _, test := range []struct {
		numbered bool
		want     string
	}{{true, "3 8"}, {false, "3 4 8"}} {
		var bad []int
		var lines []string
		for _, d := range Directives("pm", file, test.numbered, func(line int, err error) { bad = append(bad, line) }) {
			lines = append(lines, fmt.Sprint(d.Line))
		}
		if got := strings.Join(lines, " "); got != test.want || !slices.Equal(bad, []int{9}) {
			t.Errorf("numbered %v: lines %s, want %s; bad %v", test.numbered, got, test.want, bad)
		}
	}
}

func TestRepeatedLooks(t *testing.T) {
	baseline := spread("b", "2026-03-01T00:00:00Z", 10, make([]float64, 8)...)
	tests := []struct {
		window  string
		inTrial int // sessions, an hour apart from the start on
		today   string
		want    int // sessions looked at
		leftOut string
	}{
		{"5-sessions", 5, "2026-03-10", 5, ""},
		{"5-sessions", 9, "2026-03-10", 5, "after-look:4"},
		{"5-sessions", 10, "2026-03-10", 10, ""},
		{"5-sessions", 39, "2026-03-10", 20, "after-look:19"},
		{"2-sessions", 9, "2026-03-10", 5, "after-look:4"}, // the minimum of 5 is the first look
		{"1-days", 50, "2026-03-11", 24, "after-look:26"},
		{"1-days", 50, "2026-03-12", 48, "after-look:2"},
		{"1-days", 50, "2026-03-13", 48, "after-look:2"},
		{"1-days", 50, "2026-03-14", 50, ""},
	}
	for _, test := range tests {
		sessions := slices.Concat(baseline, spread("t", "2026-03-10T00:00:00Z", 10, make([]float64, test.inTrial)...))
		today, _ := time.Parse(time.DateOnly, test.today)
		got := Review(directive(t, "2026-03-10T00:00:00Z", test.window), sessions,
			Options{Rule: ByRank, Alpha: 0.05, Resamples: 10, Repeated: true, Today: today})
		leftOut := ""
		for _, c := range got.LeftOut {
			leftOut = fmt.Sprint(c.Name, ":", c.Count)
		}
		if got.InTrial.N != test.want || leftOut != test.leftOut {
			t.Errorf("%+v: %d sessions, left out %q", test, got.InTrial.N, leftOut)
		}
	}
}

func TestRepeatedAlpha(t *testing.T) {
	d := directive(t, "2026-03-10", "5-sessions")
	for n, want := range map[int]float64{5: 0.04, 9: 0.04, 10: 0.01, 19: 0.01, 20: 0.0025} {
		split := sides{inTrial: spread("t", "2026-03-11T00:00:00Z", 10, make([]float64, n)...), rule: ByRank}
		if got := split.lookBack(d, Options{Rule: ByRank, Alpha: 0.04}); got != want {
			t.Errorf("%d in trial: alpha %v, want %v", n, got, want)
		}
	}
}
