package rules

import "testing"

func TestStatus(t *testing.T) {
	prose := Rule{Detector: "user-correction", Enforcement: Prose}
	hard := Rule{Detector: "graph-first", Enforcement: Prose, Hard: true}
	hook := Rule{Detector: "scope-warning", Enforcement: HookWarn}
	for _, c := range []struct {
		name string
		rule Rule
		n    Counts
		want Status
	}{
		{"three deterministic over three days", hard, Counts{3, 3, 3, 3, 3, 3}, OverThreshold},
		{"three on one day", hard, Counts{3, 1, 3, 1, 3, 1}, BelowThreshold},
		{"two deterministic of five", hook, Counts{5, 3, 2, 2, 5, 9}, SupportingOnly},
		{"five heuristic over three", prose, Counts{5, 3, 0, 0, 5, 3}, SupportingOnly},
		{"fifty heuristic", prose, Counts{50, 30, 0, 0, 50, 40}, SupportingOnly},
		{"silent prose", prose, Counts{AllEpisodes: 10}, PruneCandidate},
		{"silent prose, too few episodes", prose, Counts{AllEpisodes: 9}, BelowThreshold},
		{"one old event", prose, Counts{Events: 1, Episodes: 1, AllEpisodes: 30}, PruneCandidate},
		{"one new event", prose, Counts{Events: 1, Episodes: 1, Newest: 1, AllEpisodes: 30}, BelowThreshold},
		{"silent hard rule", hard, Counts{AllEpisodes: 10}, BelowThreshold},
		{"silent hook", hook, Counts{AllEpisodes: 10}, BelowThreshold},
		{"no detector", Rule{Enforcement: Prose}, Counts{AllEpisodes: 10}, NoDetector},
	} {
		if got := Default().Thresholds.Status(c.rule, c.n); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if got := (Thresholds{}).Status(prose, Counts{}); got != BelowThreshold {
		t.Errorf("nothing against thresholds of 0: got %s", got)
	}
}

func TestClimb(t *testing.T) {
	for _, c := range []struct {
		from Enforcement
		n    Outcomes
		to   Enforcement
		hold Hold
	}{
		{Prose, Outcomes{}, HookWarn, NoHold},
		{HookBlock, Outcomes{N: 9, Ignored: 9}, "", NoHold},
		{HookWarn, Outcomes{N: 2, Ignored: 2}, "", NoOutcomes},
		{HookWarn, Outcomes{N: 4, Ignored: 1}, "", WarningsChangeConduct},
		{HookWarn, Outcomes{N: 4, Ignored: 2}, HookBlock, NoHold},
		{HookWarn, Outcomes{N: 3, Ignored: 0}, "", WarningsChangeConduct},
		{HookWarn, Outcomes{N: 1, Ignored: 1, Undelivered: 2}, "", NotDelivered},
		{HookWarn, Outcomes{N: 3, Ignored: 3, Undelivered: 9}, HookBlock, NoHold},
	} {
		if to, hold := Default().Thresholds.Climb(Rule{Enforcement: c.from}, c.n); to != c.to || hold != c.hold {
			t.Errorf("%s %+v: got %q %q, want %q %q", c.from, c.n, to, hold, c.to, c.hold)
		}
	}
	if to, hold := (Thresholds{}).Climb(Rule{Enforcement: HookWarn}, Outcomes{}); to != "" || hold != NoOutcomes {
		t.Errorf("no outcomes against thresholds of 0: got %q %q", to, hold)
	}
}
