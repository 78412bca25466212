package episode

import (
	"slices"
	"strings"
	"testing"

	"retro/pkg/record"
)

func TestEpisodesAndSessions(t *testing.T) {
	var l lines
	l.graphFirst("a", "03-01", "03-02", "03-03")
	f := measure(t, registry(t), &l)
	if r := f.rule("graph-first"); r.Events != 3 || r.Episodes != 3 || r.Sessions != 1 || r.Status != "over_threshold" || *r.EscalateTo != "hook-warn" || r.HoldReason != nil {
		t.Errorf("three days: got %+v", r)
	}

	l = lines{}
	l.graphFirst("a", "03-01", "03-01", "03-01")
	f = measure(t, registry(t), &l)
	if r := f.rule("graph-first"); r.Events != 3 || r.Episodes != 1 || r.Sessions != 1 || r.Status != "below_threshold" || r.EscalateTo != nil {
		t.Errorf("one day: got %+v", r)
	}

	l = lines{}
	l.correction("a", "03-01", "03-01", "03-01", "03-02", "03-03")
	f = measure(t, registry(t), &l)
	if r := f.rule("user-correction"); r.Status != "supporting_only" || r.Confidence != record.Heuristic || r.EscalateTo != nil {
		t.Errorf("heuristic: got %+v", r)
	}
	if s := only[*record.Summary](f); len(s.OverThreshold) != 0 || !slices.Equal(s.SupportingOnly, []string{"user-correction"}) || s.UserCorrections != 5 {
		t.Errorf("summary: got %+v", s)
	}
}

// The table of holds: three scope violations over two episodes bring the rule
// over the threshold, the outcomes decide whether it climbs.
func TestHolds(t *testing.T) {
	const ignored, heeded, mended = `"reconciled":null,"repeated":1`, `"reconciled":null,"repeated":0`, `"reconciled":true,"repeated":2`
	const lost = `"reconciled":null,"repeated":1,"delivered":false`
	for _, c := range []struct {
		name     string
		outcomes []string
		to, hold string
	}{
		{"none", nil, "", "no_outcomes"},
		{"two", []string{ignored, ignored}, "", "no_outcomes"},
		{"one ignored of four", []string{ignored, heeded, heeded, heeded}, "", "warnings_change_behaviour"},
		{"two ignored of four", []string{ignored, ignored, heeded, heeded}, "hook-block", ""},
		{"repeated but reconciled", []string{mended, mended, mended}, "", "warnings_change_behaviour"},
		{"never delivered", []string{lost, lost, lost, lost}, "", "not_delivered"},
		{"too few delivered", []string{lost, ignored, ignored}, "", "not_delivered"},
		{"delivered ones decide", []string{lost, heeded, heeded, ignored}, "", "warnings_change_behaviour"},
	} {
		var l lines
		l.scope("a", "11-01", "a/x.go")
		l.scope("a", "11-02", "a/y.go")
		l.scope("b", "11-02", "a/z.go")
		for _, o := range c.outcomes {
			l.outcome("a", "11-02", "scope", o)
		}
		r := measure(t, registry(t), &l).rule("scope")
		if got := [2]string{deref(r.EscalateTo), deref(r.HoldReason)}; got != [2]string{c.to, c.hold} || r.Status != "over_threshold" {
			t.Errorf("%s: got %q, want %q and %q (%s)", c.name, got, c.to, c.hold, r.Status)
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// What was held back after the first warning showed the model nothing: it
// counts as recorded and judges nothing.
func TestSuppressedOutcomesJudgeNothing(t *testing.T) {
	var l lines
	for range 3 {
		l.signal("a", "11-02", "outcome", "scope", "outcome", "deterministic", "transcript", `{"tool_use_id":"x","action":"suppressed","proceeded":true,"corrected":false,"reconciled":null,"repeated":1}`)
	}
	l.outcome("a", "11-02", "scope", `"reconciled":null,"repeated":3`)
	l.decision("a", "11-02", "scope", "warned")
	l.decision("a", "11-02", "scope", "suppressed")
	d := only[*record.DecisionsBucket](measure(t, registry(t), &l))
	if d.Recorded != 4 || d.N != 1 || d.Ignored.Count != 1 || *d.Ignored.Rate != 1 || d.Warned != 1 || d.Suppressed != 1 || d.Reconciled.Rate != nil {
		t.Errorf("got %+v", d)
	}
}

func TestOutcomesSince(t *testing.T) {
	var l lines
	for _, day := range []string{"10-05", "10-06"} {
		l.outcome("a", day, "scope", `"reconciled":null,"repeated":1`)
		l.decision("a", day, "scope", "warned")
	}
	d := only[*record.DecisionsBucket](measure(t, registry(t), &l))
	if d.N != 1 || d.Warned != 2 {
		t.Errorf("outcomes_since: got n %d of %d warnings, want 1 of 2", d.N, d.Warned)
	}
	r := changed(t, "no-new-deps", "2026-10-06")
	l = lines{}
	for _, day := range []string{"10-07", "10-08"} {
		l.outcome("a", day, "no-new-deps", `"reconciled":null,"repeated":1`)
	}
	for i := range r.Rules {
		r.Rules[i].OutcomesSince = ""
	}
	l.outcome("a", "10-01", "no-new-deps", `"reconciled":null,"repeated":1`)
	if d := only[*record.DecisionsBucket](measure(t, r, &l)); d.N != 3 {
		t.Errorf("last_changed filtered outcomes: got n %d, want 3", d.N)
	}
}

func TestPruneCandidates(t *testing.T) {
	days := []string{"03-01", "03-02", "03-03", "03-04", "03-05", "03-06", "03-07", "03-08", "03-09", "03-10"}
	var l lines
	for _, d := range days {
		l.session("s"+d, d, d)
	}
	s := only[*record.Summary](measure(t, registry(t), &l))
	if !slices.Equal(s.PruneCandidates, []string{"user-correction"}) || !slices.Equal(s.UnmeasuredRules, []string{"preserve-features"}) {
		t.Errorf("got %v and %v", s.PruneCandidates, s.UnmeasuredRules)
	}
	old := l
	old.correction("s0", "02-01")
	if s := only[*record.Summary](measure(t, registry(t), &old)); len(s.PruneCandidates) != 1 {
		t.Error("an event before the newest ten episodes protects the rule")
	}
	fresh := l
	fresh.correction("s03-05", "03-05")
	if s := only[*record.Summary](measure(t, registry(t), &fresh)); len(s.PruneCandidates) != 0 {
		t.Error("an event in the newest ten episodes does not protect the rule")
	}
	l.list = l.list[1:]
	if s := only[*record.Summary](measure(t, registry(t), &l)); len(s.PruneCandidates) != 0 {
		t.Error("nine episodes are enough to prune")
	}
}

func TestIgnoredSessions(t *testing.T) {
	var l lines
	probe := "11111111-aaaa-4bbb-8ccc-1"
	for range 9 {
		l.graphFirst(probe, "03-01", "03-02")
	}
	l.session(probe, "03-01", "03-02")
	l.session("real", "03-03", "03-03")
	f := measure(t, registry(t), &l)
	s := only[*record.Summary](f)
	if s.Sessions != 1 || s.IgnoredSessions != 1 || s.Episodes != 1 || f.rule("graph-first").Events != 0 {
		t.Errorf("got %+v, %d events", s, f.rule("graph-first").Events)
	}
}

func TestPathClusters(t *testing.T) {
	var l lines
	l.scope("a", "03-01", "a/b/c/d/e.go")
	l.scope("a", "03-01", "a/b/c/f.go")
	l.scope("a", "03-01", "main.go")
	l.scope("a", "03-01", "/etc/passwd")
	l.scope("b", "03-02", "a/b/g.go")
	l.signal("b", "03-02", "violation", "openspec-gate", "openspec-gate", "heuristic", "transcript", `{"files":["a/b/c/x.go","a/b/c/y.go","z/y.go"],"count":3}`)
	type row struct {
		pattern, rule                string
		events, violations, sessions int
	}
	var got []row
	for _, c := range every[*record.PathCluster](measure(t, registry(t), &l)) {
		got = append(got, row{c.Pattern.String(), c.Rule.String(), c.Events, c.Violations, c.Sessions})
	}
	want := []row{{"a/b/c/", "openspec-gate", 2, 1, 1}, {"a/b/c/", "scope", 2, 2, 1}, {"a/b/", "scope", 1, 1, 1}, {"z/", "openspec-gate", 1, 1, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBuildRetries(t *testing.T) {
	var l lines
	l.retry("a", "03-01", "aaaaaaaaaaaa", 5, 2)
	l.retry("b", "03-01", "aaaaaaaaaaaa", 3, 2)
	l.retry("b", "03-01", "bbbbbbbbbbbb", 9, 4)
	l.retry("b", "03-01", "cccccccccccc", 4, 3)
	var got []record.BuildRetry
	for _, b := range every[*record.BuildRetry](measure(t, registry(t), &l)) {
		got = append(got, *b)
	}
	if len(got) != 3 || got[0].Hash.String() != "bbbbbbbbbbbb" || got[1].Runs != 8 || got[1].Errors != 4 || got[1].Sessions != 2 || got[2].Sessions != 1 {
		t.Errorf("got %+v", got)
	}
}

func usage(total int) string {
	return `"usage":{"input":` + itoa(total) + `,"output":0,"cache_read":0,"cache_create":0}`
}

func itoa(n int) string { b, _ := record.LineAnchor(n).MarshalJSON(); return string(b[6 : len(b)-1]) }

func TestTokens(t *testing.T) {
	var l lines
	for _, s := range []struct {
		id, day string
		n       int
	}{{"a", "03-01", 120000}, {"b", "03-02", 120000}, {"c", "03-04", 60000}, {"d", "03-05", 60000}} {
		l.session(s.id, s.day, s.day, usage(s.n))
	}
	l.session("unknown", "03-05", "03-05")
	tokens := only[*record.Tokens](measure(t, changed(t, "scope", "2026-03-04"), &l))
	b := tokens.BeforeAfter
	if tokens.SessionsWithUsage != 4 || tokens.MeanPerSession.Total != 90000 || b == nil ||
		b.RateBefore != 120000 || b.RateAfter != 60000 || b.SessionsBefore != 2 || b.SessionsAfter != 2 || b.Since.String() != "2026-03-04" {
		t.Errorf("got %+v, %+v", tokens, b)
	}
	if b := only[*record.Tokens](measure(t, changed(t, "scope", "2026-01-01"), &l)).BeforeAfter; b != nil {
		t.Errorf("nothing before: got %+v", b)
	}
}

func TestTokenMeansRoundHalfToEven(t *testing.T) {
	var l lines
	l.session("a", "03-01", "03-01", `"usage":{"input":1,"output":3,"cache_read":0,"cache_create":0}`)
	l.session("b", "03-01", "03-01", `"usage":{"input":2,"output":4,"cache_read":0,"cache_create":0}`)
	m := only[*record.Tokens](measure(t, registry(t), &l)).MeanPerSession
	if m.Input != 2 || m.Output != 4 || m.Total != 6 {
		t.Errorf("got %+v, want 2 + 4 = 6", m)
	}
}

func TestRuleBeforeAfter(t *testing.T) {
	var l lines
	for _, s := range []string{"03-01", "03-02", "03-05"} {
		l.session("s"+s, s, s)
	}
	l.graphFirst("s03-01", "03-01", "03-01")
	l.graphFirst("s03-05", "03-05")
	b := measure(t, changed(t, "graph-first", "2026-03-05"), &l).rule("graph-first").BeforeAfter
	if b == nil || b.RateBefore != 1 || b.RateAfter != 1 || b.SessionsBefore != 2 || b.SessionsAfter != 1 {
		t.Errorf("got %+v", b)
	}
	l.session("s03-03", "03-03", "03-03")
	if b := measure(t, changed(t, "graph-first", "2026-03-05"), &l).rule("graph-first").BeforeAfter; b.RateBefore != 0.667 {
		t.Errorf("got %+v", b)
	}
}

func TestAdherence(t *testing.T) {
	var l lines
	for i, skills := range []string{`"coograph:coograph-ultra-review"`, ``, ``, ``, `"other"`} {
		l.session("s"+itoa(i), "03-01", "03-01", `"edited_files":2`, `"skills_invoked":[`+skills+`]`)
	}
	l.session("reader", "03-01", "03-01", `"skills_invoked":["coograph-review"]`)
	l.correction("s1", "03-01", "03-01")
	a := only[*record.Adherence](measure(t, registry(t), &l))
	if a.EditingSessions != 5 || a.Reviewed.Count != 1 || *a.Reviewed.Rate != 0.2 || a.UserCorrections != 2 {
		t.Errorf("got %+v", a)
	}
}

func TestOpportunitiesAndDecay(t *testing.T) {
	var l lines
	l.session("a", "03-01", "03-01", `"turns":10`, `"opportunities":[{"name":"graph-first","count":7}]`)
	l.session("b", "03-01", "03-01", `"turns":10`, `"opportunities":[{"name":"graph-first","count":3}]`)
	l.session("c", "03-01", "03-01", `"turns":10`)
	for _, turn := range []string{"2", "9", "10"} {
		l.signal("a", "03-01", "violation", "graph-first", "graph-first", "deterministic", "transcript", `{"count":1,"first_index":0,"tools":[],"proof":"mcp-later","turn":`+turn+`}`)
	}
	f := measure(t, registry(t), &l)
	r := f.rule("graph-first")
	if *r.Opportunities != 10 || r.Broken.Count != 1 || r.Broken.N != 2 || r.Late.Count != 2 || r.Late.N != 3 {
		t.Errorf("got %+v", r)
	}
	if r := f.rule("user-correction"); *r.Opportunities != 0 || r.Broken.N != 0 {
		t.Errorf("no opportunity: got %+v", r)
	}
	if r := f.rule("preserve-features"); r.Opportunities != nil {
		t.Errorf("no detector: got %+v", r)
	}
	for i := range l.list {
		l.list[i] = strings.Replace(l.list[i], `"opportunities"`, `"x"`, 1)
	}
	if r := measure(t, registry(t), &l).rule("user-correction"); r.Opportunities != nil || r.Broken.N != 3 {
		t.Errorf("opportunities not counted: got %+v", r)
	}
}

func TestSinceLastRetro(t *testing.T) {
	var l lines
	l.graphFirst("a", "03-01", "03-02", "03-03")
	l.graphFirst("retro", "03-02", "03-03")
	for _, c := range []struct {
		last string
		want int
	}{
		{`null`, 5},
		{`{"date":"2026-03-02T09:00:00Z","session_id":"retro"}`, 3},
		{`{"date":"2026-03-02T11:00:00Z","session_id":"retro"}`, 2},
		{`{"date":"2026-03-02","session_id":""}`, 4},
		{`{"date":"2026-03-09T00:00:00Z","session_id":"x"}`, 0},
	} {
		s := only[*record.Summary](measure(t, registry(t, `"last_retro": null`, `"last_retro": `+c.last), &l))
		if s.SinceLastRetro != c.want {
			t.Errorf("%s: got %d, want %d", c.last, s.SinceLastRetro, c.want)
		}
	}
}

func TestGotchas(t *testing.T) {
	var l lines
	surface := func(session, day, gotcha string) {
		l.signal(session, day, "decision", "gotchas", "decision", "deterministic", "hook", `{"action":"surfaced","tool_use_id":"t`+itoa(len(l.list))+`","hook":"gotcha","path":"","gotcha":"`+gotcha+`"}`)
	}
	surface("a", "03-01", "proto")
	surface("a", "03-02", "proto")
	surface("b", "03-02", "proto")
	surface("b", "03-02", "env")
	l.signal("a", "03-01", "event", "none", "build-retry", "deterministic", "transcript", `{"program":"make","hash":"aaaaaaaaaaaa","runs":3,"errors":2,"gotchas":["proto"]}`)
	l.signal("c", "03-01", "event", "none", "build-retry", "deterministic", "transcript", `{"program":"make","hash":"aaaaaaaaaaaa","runs":3,"errors":2,"gotchas":["proto"]}`)
	f := measure(t, registry(t), &l)
	got := every[*record.Gotcha](f)
	if len(got) != 2 || got[0].Surfaced != 3 || got[0].Sessions != 2 || got[0].Episodes != 3 || got[0].RetrySessions != 1 || got[1].RetrySessions != 0 {
		t.Errorf("got %+v, %+v", got[0], got[1])
	}
	if s := only[*record.Summary](f); s.DecisionsRecorded != 4 || len(every[*record.DecisionsBucket](f)) != 0 {
		t.Errorf("gotchas stand in the table of decisions: %+v", s)
	}
}

func TestFriction(t *testing.T) {
	var l lines
	hit := func(session, day, signal string) {
		l.signal(session, day, "friction", "none", "explicit-reject", "heuristic", "transcript", `{"signal":"`+signal+`","anchor":"u","turn":1}`)
	}
	l.session("a", "03-01", "03-02", `"active_days":["2026-03-01","2026-03-02"]`)
	l.session("b", "03-02", "03-02")
	l.session("bot", "03-02", "03-02", `"interactive":false`)
	hit("a", "03-01", "S1")
	hit("a", "03-02", "S1")
	hit("bot", "03-02", "S1")
	l.verdict("a", "03-02", 6)
	l.verdict("b", "03-02", 1.5)
	l.verdict("bot", "03-02", 9)
	f := only[*record.FrictionBucket](measure(t, nil, &l))
	if f.Passed.Count != 1 || f.Passed.N != 2 || *f.Mean != 3.75 || *f.Median != 3.75 || *f.Max != 6 {
		t.Errorf("got %+v", f)
	}
	want := []record.FrictionDay{{Hits: 1}, {Judged: 2, Passed: 1, Sum: 7.5, Max: 6, Hits: 3}}
	if len(f.Days) != 2 {
		t.Fatalf("got days %+v", f.Days)
	}
	for i, d := range f.Days {
		d.Day = record.Day{}
		if d != want[i] {
			t.Errorf("day %d: got %+v, want %+v", i, d, want[i])
		}
	}
	if s := f.Signals; len(s) != 1 || s[0].Hits != 4 || s[0].Sessions != 2 {
		t.Errorf("got signals %+v", s)
	}
}

func TestCoverage(t *testing.T) {
	var l lines
	l.session("a", "03-01", "03-01", `"files":3`, `"malformed":[{"name":"nul","count":2}]`, `"live":true`)
	l.session("b", "03-05", "03-05", `"facts":["code-graph"]`, `"files":1`, `"malformed":[{"name":"nul","count":1}]`, `"dropped":[{"name":"copy","count":4}]`, `"interactive":false`)
	l.add(`{"v":1,"ts":"","tool":"claude-code","session_id":"gone","kind":"session","rule":"none","detector":"session","confidence":"deterministic","origin":"transcript","evidence":{},"id":"","error":"file not found"}`)
	l.scope("hooked", "03-02", "a/b.go")
	l.verdict("a", "03-01", 1)
	f := measure(t, nil, &l)
	if s := only[*record.Summary](f); s.Sessions != 2 || s.Episodes != 3 {
		t.Errorf("a session that could not be read is an episode: %+v", s)
	}
	c := only[*record.Coverage](f)
	if c.Sessions != 2 || c.Files != 4 || len(c.Skipped) != 1 || c.Skipped[0] != (record.ReasonCount{Reason: "file not found", Count: 1}) ||
		len(c.Malformed) != 1 || c.Malformed[0].Count != 3 || c.Dropped[0].Count != 4 || c.Live != 1 || c.Automated != 1 ||
		c.WithoutFacts != 1 || c.Unrecorded != 1 || c.Unjudged != 1 || c.DaysCovered != 3 || c.Days != 5 || c.Oldest.String() != at("03-01") {
		t.Errorf("got %+v", c)
	}
}

// Without a registry nothing of the rules is measured, and a broken one is told
// apart from none.
func TestWithoutRegistry(t *testing.T) {
	var l lines
	l.graphFirst("a", "03-01", "03-02", "03-03")
	l.session("a", "03-01", "03-03")
	list := episodes(t, Options{}, l.list)
	for _, c := range []struct {
		project Project
		want    record.RegistryState
	}{{Project{}, record.RegistryAbsent}, {Project{Fault: "rules[0].id"}, record.RegistryInvalid}} {
		f := figures{t, Buckets(list, c.project)}
		if s := only[*record.Summary](f); s.Registry != c.want || s.RegistryFault != c.project.Fault || s.Thresholds != nil {
			t.Errorf("got %+v", s)
		}
		if n := len(every[*record.RuleBucket](f)) + len(every[*record.PathCluster](f)); n != 0 {
			t.Errorf("%d buckets of rules", n)
		}
	}
}

// Sessions that were scanned without a registry say nothing about rules: no
// rule is pruned for their silence, and they are in no rate.
func TestScannedWithoutRegistry(t *testing.T) {
	var l lines
	for i := range 12 {
		l.session("s"+itoa(i), "03-01", "03-01", `"rules_off":true`)
	}
	f := measure(t, registry(t), &l)
	s := only[*record.Summary](f)
	if len(s.PruneCandidates) != 0 || s.RulesOff != 12 || s.Episodes != 12 || f.rule("scope").Broken.N != 0 {
		t.Errorf("got %+v, %+v", s, f.rule("scope").Broken)
	}
	l.session("on", "03-02", "03-02")
	l.scope("s1", "03-01", "a/b.go") // a hook saw it all the same
	f = measure(t, registry(t), &l)
	if r := f.rule("scope"); r.Broken.N != 2 || r.Broken.Count != 1 {
		t.Errorf("got %+v", r.Broken)
	}
}
