package report

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"retro/pkg/record"
	"retro/pkg/rules"
)

func ptr[T any](v T) *T { return &v }

// ruleOf is a rule over the threshold on three deterministic violations.
func ruleOf(id string, at rules.Enforcement, next rules.Enforcement) *record.RuleBucket {
	r := &record.RuleBucket{
		Rule: id, Title: "The title of the rule, which is long enough to be a line", Source: record.RuleSource{File: "CLAUDE.md", Anchor: "A"},
		Enforcement: string(at), Detector: ptr("new-dependency"), Events: 3, Deterministic: 3, Episodes: 3, Sessions: 3,
		Confidence: record.Deterministic, Status: string(rules.OverThreshold),
	}
	if next != "" {
		r.EscalateTo = ptr(string(next))
	}
	return r
}

// figuresOf is a report about the rules, those over the threshold named in its
// summary as the buckets do.
func figuresOf(list ...*record.RuleBucket) *Report {
	r := &Report{}
	r.Layout = &record.Layout{}
	t := rules.Default().Thresholds
	r.Summary = &record.Summary{Registry: record.RegistryPresent, Sessions: 3, Thresholds: &record.SummaryThresholds{
		DeterministicEvents: t.DeterministicEvents, DeterministicSessions: t.DeterministicSessions, PruneSessions: t.PruneSessions,
		InstructionTokenBudget: t.InstructionTokenBudget, EscalateIgnoredRate: t.EscalateIgnoredRate,
	}}
	for _, b := range list {
		r.Rules = append(r.Rules, b)
		switch rules.Status(b.Status) {
		case rules.OverThreshold:
			r.Summary.OverThreshold = append(r.Summary.OverThreshold, b.Rule)
		case rules.PruneCandidate:
			r.Summary.PruneCandidates = append(r.Summary.PruneCandidates, b.Rule)
		}
	}
	return r
}

func proposalOf(r *Report) *Proposal {
	var list []string
	for _, b := range r.Rules {
		list = append(list, fmt.Sprintf(`{"id":%q,"enforcement":%q,"hard":%v,"detector":null,"source":{"file":"x"}}`, b.Rule, b.Enforcement, b.Hard))
	}
	registry := strings.Replace(string(rules.Seed()), `"rules": [`, `"rules": [`+strings.Join(append(list, ""), ","), 1)
	indented, err := rules.Apply([]byte(registry), nil)
	if err != nil {
		panic(err)
	}
	return NewProposal(r, ProposalOptions{Dir: "2026-11-20-retro-1", Number: 1, Date: "2026-11-20", Registry: indented})
}

// kinds lists the changes as `type target`.
func kinds(p *Proposal) string {
	var out []string
	for _, c := range p.Changes() {
		out = append(out, strings.TrimSpace(string(c.Type)+" "+c.Of)+" "+c.Target)
	}
	return strings.Join(out, "; ")
}

func ignored(rule string, count, n int) *record.DecisionsBucket {
	d := &record.DecisionsBucket{N: n, Ignored: record.NewRate(count, n)}
	d.Rule, d.Warned, d.Blocked = record.NewName(rule), n, n
	return d
}

func TestRulesOfTheLoop(t *testing.T) {
	cluster := &record.PathCluster{Pattern: record.NewPath("src/api/"), Rule: record.NewName("r"), Events: 9, Violations: 9, Sessions: 9}
	heavy := &record.Layout{AlwaysLoaded: record.LayoutAlways{Total: 8001, Budget: 9000}}
	repeated := &record.Layout{AlwaysLoaded: heavy.AlwaysLoaded, Repeated: []record.LayoutRepeated{{Characters: 160, Places: []record.LayoutPlace{{Line: 1}, {Line: 2}}}}}
	retry := func(hash, program string, sessions int) *record.BuildRetry {
		h, _ := record.NewHash(hash)
		return &record.BuildRetry{Program: record.NewProgram(program), Hash: h, Runs: 8, Errors: 6, Sessions: sessions}
	}
	habit := []*record.BuildRetry{retry("aaaaaaaa", "npm", 2), retry("bbbbbbbb", "npm", 2)}
	heuristic := ruleOf("r", rules.Prose, rules.HookWarn)
	heuristic.Deterministic = 0
	silent := ruleOf("s", rules.Prose, "")
	silent.Status, silent.Events, silent.Deterministic = string(rules.PruneCandidate), 0, 0
	hard := ruleOf("h", rules.Prose, "")
	hard.Status, hard.Events, hard.Hard = string(rules.PruneCandidate), 0, true
	held := ruleOf("r", rules.HookWarn, "")
	held.HoldReason = ptr(string(rules.WarningsChangeConduct))
	for _, c := range []struct {
		name   string
		report *Report
		more   func(*Report)
		want   string
	}{
		{"prose that is broken", figuresOf(ruleOf("r", rules.Prose, rules.HookWarn)), nil, "new-hook r"},
		{"prose that is broken in one place", figuresOf(ruleOf("r", rules.Prose, rules.HookWarn)), func(r *Report) { r.Clusters = append(r.Clusters, cluster) }, "new-hook r"},
		{"heuristic alone", figuresOf(heuristic), func(r *Report) { r.Clusters = append(r.Clusters, cluster) }, ""},
		{"a warning without outcomes", figuresOf(ruleOf("r", rules.HookWarn, rules.HookBlock)), nil, ""},
		{"two ignored of two", figuresOf(ruleOf("r", rules.HookWarn, rules.HookBlock)), func(r *Report) { r.Decisions = append(r.Decisions, ignored("r", 2, 2)) }, ""},
		{"one ignored of three", figuresOf(ruleOf("r", rules.HookWarn, rules.HookBlock)), func(r *Report) { r.Decisions = append(r.Decisions, ignored("r", 1, 3)) }, ""},
		{"two ignored of four", figuresOf(ruleOf("r", rules.HookWarn, rules.HookBlock)), func(r *Report) { r.Decisions = append(r.Decisions, ignored("r", 2, 4)) }, "edit-rule hook r"},
		{"held", figuresOf(held), func(r *Report) { r.Decisions = append(r.Decisions, ignored("r", 1, 9)) }, ""},
		{"a block that is run into", figuresOf(ruleOf("r", rules.HookBlock, "")), func(r *Report) { r.Decisions = append(r.Decisions, ignored("r", 0, 3)) }, "edit-rule prose r"},
		{"a soft rule that is silent", figuresOf(silent, hard), nil, "prune-rule s"},
		{"a hook rule in one place", figuresOf(held), func(r *Report) { r.Clusters = append(r.Clusters, cluster) }, "new-instruction-file src/api/"},
		{"the same over budget", figuresOf(held), func(r *Report) { r.Clusters = append(r.Clusters, cluster); r.Layout = heavy }, ""},
		{"the same with something to delete", figuresOf(held), func(r *Report) { r.Clusters = append(r.Clusters, cluster); r.Layout = repeated }, "new-instruction-file src/api/"},
		{"two additions and one deletion", figuresOf(held), func(r *Report) {
			r.Clusters, r.Layout, r.Retries = append(r.Clusters, cluster), repeated, habit
		}, "new-instruction-file src/api/; add-gotcha npm"},
		{"a habit", figuresOf(), func(r *Report) { r.Retries = habit }, "add-rule retry-npm"},
		{"one command", figuresOf(), func(r *Report) { r.Retries = habit[:1] }, "add-gotcha npm"},
		{"one session", figuresOf(), func(r *Report) { r.Retries = []*record.BuildRetry{retry("aaaaaaaa", "npm", 1)} }, ""},
		{"nobody knows what ran", figuresOf(), func(r *Report) { r.Retries = []*record.BuildRetry{retry("aaaaaaaa", "a b", 3)} }, ""},
		{"structural", figuresOf(silent, ruleOf("r", rules.Prose, rules.HookWarn)), func(r *Report) {
			r.Layout, r.Retries = &record.Layout{Structural: []string{"x"}}, habit
		}, "new-hook r; structural instruction layout; add-gotcha npm"},
		{"not weighed", figuresOf(silent), func(r *Report) { r.Layout, r.Retries = nil, habit }, "prune-rule s"},
		{"nothing at all", &Report{}, nil, ""},
	} {
		if c.more != nil {
			c.more(c.report)
		}
		p := proposalOf(c.report)
		if got := kinds(p); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		checkProposal(t, c.name, p)
	}
}

// checkProposal holds a proposal against what is true of every one.
func checkProposal(t *testing.T, about string, p *Proposal) {
	t.Helper()
	files, err := p.Files()
	if err != nil {
		t.Errorf("%s: %v", about, err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = f.Text
	}
	if tasks := text["tasks.md"]; len(p.Changes()) > 0 && !strings.Contains(tasks[strings.LastIndex(tasks, "## "):], "Rollback") {
		t.Errorf("%s: the last task is not the rollback: %s", about, tasks)
	}
	sum := 0
	for i, c := range p.Changes() {
		sum += c.Evidence.Instructions
		if c.Evidence.Pair != nil {
			sum -= c.Evidence.Pair.Tokens
		}
		if c.Number != i+1 || c.Evidence.Patch != "" && text[c.Evidence.Patch] == "" || c.Evidence.Detector == "" || c.Evidence.Confidence != record.Deterministic {
			t.Errorf("%s: change %+v", about, c)
		}
		if c.Stub && c.Evidence.Patch != "" && !strings.Contains(text[c.Evidence.Patch], stub) {
			t.Errorf("%s: a stub without its mark: %s", about, text[c.Evidence.Patch])
		}
		if c.Type == record.NewHook && !strings.Contains(text[c.Evidence.Patch], "# generated by retro on 2026-11-20 from openspec/changes/2026-11-20-retro-1") {
			t.Errorf("%s: a hook without its provenance", about)
		}
	}
	if p.figures.overBudget() && sum > 0 {
		t.Errorf("%s: over budget, and %d tokens more", about, sum)
	}
	for line := range strings.Lines(text[registryPatch]) {
		for _, key := range []string{`"thresholds"`, `_events"`, `_sessions"`, `_rate"`, `"detector"`, `"regex"`, `"enabled"`} {
			if line[0] == '+' && strings.Contains(line, key) {
				t.Errorf("%s: the patch loosens: %s", about, line)
			}
		}
	}
}

// TestRegistryEditedSince wants nothing taken back that a person did meanwhile.
func TestRegistryEditedSince(t *testing.T) {
	r := ruleOf("graph-first", rules.Prose, rules.HookWarn)
	r.Hard = true
	opt := ProposalOptions{Dir: "d", Number: 1, Date: "2026-11-20", Registry: rules.Seed()}
	if got := kinds(NewProposal(figuresOf(r), opt)); got != "new-hook graph-first" {
		t.Errorf("as it was: got %q", got)
	}
	opt.Registry = []byte(strings.Replace(string(rules.Seed()), `"enforcement": "prose"`, `"enforcement": "hook-block"`, 1))
	p := NewProposal(figuresOf(r), opt)
	if got := kinds(p); got != "" || len(p.left) != 1 {
		t.Errorf("a block would become a warning: got %q, %q", got, p.left)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{"src/api/v1": "src-api-v1", "--A__b": "a-b", "日本": record.HashOf(8, "日本").String()} {
		if got := slug(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestHookStubCarriesItsProvenance(t *testing.T) {
	r := ruleOf("r", rules.Prose, rules.HookWarn)
	r.Detector = ptr("user-correction")
	p := proposalOf(figuresOf(r))
	if !p.Changes()[0].Stub {
		t.Error("a hook that nobody wrote is no stub")
	}
	checkProposal(t, "stub", p)
}

func TestTextFromOutsideStaysInItsPlace(t *testing.T) {
	r := ruleOf("r\n```\n## Changes\n# x", rules.Prose, rules.HookWarn)
	r.Source.File, r.Source.Anchor = "a\n```\nb", "`c`\n## d"
	files, err := proposalOf(figuresOf(r)).Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, line := range strings.Split(f.Text, "\n") {
			if line == "## Changes" || line == "## d" || strings.HasPrefix(line, "# x") {
				t.Errorf("%s: a line from outside: %q", f.Name, line)
			}
		}
		if strings.ContainsAny(f.Name, "\n`# ") {
			t.Errorf("name %q", f.Name)
		}
	}
}

// TestUnified applies differences of random texts and wants the second text.
func TestUnified(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	text := func() string {
		var b strings.Builder
		for range random.Intn(30) {
			fmt.Fprintln(&b, random.Intn(5))
		}
		return strings.TrimSuffix(b.String(), []string{"", "\n"}[random.Intn(2)])
	}
	for range 500 {
		before, after := text(), text()
		if got := patched(t, before, unified("f", before, after)); got != after {
			t.Fatalf("%q to %q: got %q by\n%s", before, after, got, unified("f", before, after))
		}
	}
}

// patched applies a difference line by line, and checks that it fits.
func patched(t *testing.T, before, diff string) string {
	t.Helper()
	diff = strings.ReplaceAll(diff, "\n\\ No newline at end of file\n", "\x00")
	old := dropEmpty(strings.SplitAfter(before, "\n"))
	var out strings.Builder
	at := 0
	for _, line := range strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(diff, "\n", "\n\x01"), "\x00", "\x00\x01"), func(r rune) bool { return r == 1 }) {
		body := strings.TrimSuffix(line[1:], "\x00")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "@@"):
			from, _ := strconv.Atoi(strings.FieldsFunc(line, func(r rune) bool { return r == '-' || r == ',' })[1])
			for at < from-1 {
				out.WriteString(old[at])
				at++
			}
		case line[0] == '+':
			out.WriteString(body)
		default:
			if at >= len(old) || old[at] != body {
				t.Fatalf("%q does not fit at line %d of %q", body, at+1, before)
			}
			at++
			if line[0] == ' ' {
				out.WriteString(body)
			}
		}
	}
	return out.String() + strings.Join(old[at:], "")
}

// FuzzProposal wants files of whatever records there are, and no panic.
func FuzzProposal(f *testing.F) {
	f.Add(`{"bucket":"summary","registry":"present","over_threshold":["a"]}`, `{"bucket":"rule","rule":"a","enforcement":"prose","status":"over_threshold","deterministic":5,"detector":"x","escalate_to":"hook-warn"}`,
		`{"bucket":"layout","duplicate_paragraphs":[{"chars":500,"places":[]}],"always_loaded":{"total":9}}`, `{"bucket":"gotcha-entry","gotcha":"a\n## b","stale":true}`)
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		var builder Builder
		for _, line := range []string{a, b, c, d} {
			builder.Add(record.KindBucket, []byte(line))
		}
		if _, err := NewProposal(builder.Report(), ProposalOptions{Dir: "d", Number: 1, Date: "2026-11-20", Registry: rules.Seed()}).Files(); err != nil {
			t.Error(err)
		}
	})
}
