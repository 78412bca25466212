package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/rules"
)

var now = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// scene is a project directory with its guard, and a session in it.
type scene struct {
	dir   string
	guard Guard
	calls int
	id    string
}

// newScene makes a project. files alternates names and contents.
func newScene(t *testing.T, files ...string) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &scene{dir: dir, id: "s1", guard: Guard{
		Registry: rules.Default(),
		Project:  predicate.NewProject(dir, os.DirFS(dir), predicate.DefaultSettings()),
		Markers:  filepath.Join(dir, "markers"),
	}}
}

// enforce changes how loudly rules are enforced; names are those of their
// detectors.
func (s *scene) enforce(level rules.Enforcement, detectors ...string) *scene {
	r := *s.guard.Registry
	r.Rules = slices.Clone(r.Rules)
	for i := range r.Rules {
		if slices.Contains(detectors, r.Rules[i].Detector) {
			r.Rules[i].Enforcement = level
		}
	}
	s.guard.Registry = &r
	return s
}

func (s *scene) call(c predicate.Call) Answer {
	s.calls++
	c.Dir = s.dir
	return s.guard.Answer(&Event{Session: record.NewSessionID(s.id), ToolUseID: fmt.Sprintf("toolu_%d", s.calls), Call: &c, Time: now})
}

func (s *scene) edit(file string) Answer { return s.call(predicate.Call{Tool: "Edit", Path: file}) }

func (s *scene) bash(line string) Answer {
	return s.call(predicate.Call{Tool: "Bash", Command: line})
}

func (s *scene) prompt(text string) Answer {
	return s.guard.Answer(&Event{Session: record.NewSessionID(s.id), Prompt: text, Time: now})
}

// did names what an answer came to: the decisions, and `!` before the rule of a
// violation.
func did(a Answer) string {
	var out []string
	for _, s := range a.Signals {
		switch e := s.Evidence.(type) {
		case *record.DecisionEvidence:
			out = append(out, s.Rule.String()+" "+e.Action.String())
		default:
			out = append(out, "!"+s.Rule.String())
		}
	}
	return strings.Join(out, ", ")
}

func expect(t *testing.T, step string, a Answer, want string) {
	t.Helper()
	if got := did(a); got != want {
		t.Errorf("%s: got %q, want %q", step, got, want)
	}
	silent := a.Block == "" && a.Warning == "" && a.Context == ""
	told := strings.Contains(want, "warned") || strings.Contains(want, "blocked") || strings.Contains(want, "surfaced")
	if silent == told {
		t.Errorf("%s: said %q %q %q", step, a.Block, a.Warning, a.Context)
	}
}

const tasks = "openspec/changes/n/tasks.md"

func TestScope(t *testing.T) {
	s := newScene(t, tasks, "- [ ] 1.1 `lib/` and `cmd/index.ts`")
	expect(t, "in scope", s.edit("lib/q/r.go"), "")
	a := s.edit("cmd/z.go")
	expect(t, "out of scope", a, "!scope, scope warned")
	const text = "[warn-scope] editing cmd/z.go but active OpenSpec 'n' does not reference this path in tasks.md. Confirm intent or update tasks.md."
	if a.Warning != text || a.Context != text {
		t.Errorf("got %q and %q", a.Warning, a.Context)
	}
	expect(t, "again", s.edit(filepath.Join(s.dir, "cmd/z.go")), "scope suppressed")
	expect(t, "same name elsewhere", s.edit("web/index.ts"), "!scope, scope warned")
	expect(t, "the change itself", s.edit("openspec/changes/n/design.md"), "")
	expect(t, "outside", s.edit("/tmp/z.go"), "")
	s.id = "s2"
	expect(t, "another session", s.edit("cmd/z.go"), "!scope, scope warned")
}

func TestGeneratedFiles(t *testing.T) {
	s := newScene(t, "h.go", "a\nb\nc\n// DO NOT EDIT\n", "six.go", "1\n2\n3\n4\n5\n// DO NOT EDIT\n").enforce(rules.Prose, "openspec-gate")
	tests := []struct{ file, want string }{
		{"out/a.js", "BLOCKED: out/a.js lives under a generated directory ('out'). Edit the source or regenerate via the project's codegen command."},
		{"api.gen.go", "BLOCKED: api.gen.go has a '.gen.' filename marker. Edit the source template instead."},
		{"h.go", "BLOCKED: h.go header contains 'DO NOT EDIT'. This file is machine-generated - edit its source."},
		{"six.go", ""},
		{"/srv/build/x.go", ""},
	}
	for range 2 { // every time, with no marker
		for _, test := range tests {
			a := s.edit(test.file)
			want := "!generated-files, generated-files blocked"
			if test.want == "" {
				want = ""
			}
			if did(a) != want || a.Block != test.want || a.Context != "" {
				t.Errorf("%s: got %q, said %q", test.file, did(a), a.Block)
			}
		}
	}
}

func TestOpenSpecGate(t *testing.T) {
	s := newScene(t)
	expect(t, "a.go", s.edit("a.go"), "")
	expect(t, "a.go again", s.edit("a.go"), "")
	expect(t, "README.md", s.edit("README.md"), "")
	expect(t, "b.go", s.edit("b.go"), "openspec-gate warned")
	expect(t, "c.go", s.edit("c.go"), "openspec-gate suppressed")
	expect(t, "a known file", s.edit("a.go"), "openspec-gate suppressed")
	expect(t, "proposal", s.call(predicate.Call{Tool: "Write", Path: "openspec/changes/n/proposal.md"}), "")
	expect(t, "after the proposal", s.edit("d.go"), "")

	s = newScene(t)
	expect(t, "touched in the shell", s.bash("ls openspec/changes"), "")
	s.edit("a.go")
	expect(t, "second file", s.edit("b.go"), "")

	s = newScene(t, "openspec/changes/wip/proposal.md", "")
	s.edit("a.go")
	expect(t, "an open change", s.edit("b.go"), "")
}

func TestNoNewDeps(t *testing.T) {
	s := newScene(t)
	expect(t, "bare install", s.bash("npm install && npm test"), "")
	a := s.bash("cd web && npm install zod")
	expect(t, "install", a, "no-new-deps warned")
	if !strings.HasPrefix(a.Warning, "[no-new-deps] adding a dependency (npm). ") {
		t.Errorf("said %q", a.Warning)
	}
	expect(t, "second install", s.bash("pip install rich"), "no-new-deps suppressed")
	s.id = "s2"
	a = s.edit("svc/go.mod")
	expect(t, "manifest", a, "no-new-deps warned")
	if e := a.Signals[0].Evidence.(*record.DecisionEvidence); e.Path.String() != "svc/go.mod" || e.Hook.String() != "no-new-deps-warn" || e.ToolUseID.String() != "toolu_4" {
		t.Errorf("got %+v", e)
	}
}

func TestDefect(t *testing.T) {
	s := newScene(t)
	s.edit("README.md")
	expect(t, "documents only", s.bash("git commit -m x"), "")
	s.edit("a.go")
	expect(t, "source", s.bash("git add . && git commit -m x"), "defect warned")
	expect(t, "nothing new", s.bash("git commit --amend"), "")
	s.edit("a.go")
	expect(t, "again", s.bash("git -C sub commit -m x"), "defect suppressed")

	s.id = "s2"
	s.edit("a.go")
	s.prompt("/coograph-verify")
	expect(t, "reviewed by a prompt", s.bash("git commit"), "")
	s.edit("b.go")
	s.call(predicate.Call{Tool: "Skill", Skill: "coograph:coograph-review"})
	expect(t, "reviewed by a skill", s.bash("git commit"), "")
	s.edit("b.go")
	s.call(predicate.Call{Tool: "Task", Agent: "coograph-review"})
	expect(t, "reviewed by a sub-agent", s.bash("git commit"), "")
	s.edit("c.go")
	expect(t, "edited after the review", s.bash("cd sub\ngit -C sub commit"), "defect warned")
}

func TestGraphFirst(t *testing.T) {
	search := predicate.Call{Tool: "Grep"}
	s := newScene(t, ".code-graph/graph.db", "").enforce(rules.HookWarn, "graph-first")
	expect(t, "search", s.call(search), "graph-first warned")
	expect(t, "search again", s.call(search), "graph-first suppressed")
	s.call(predicate.Call{Tool: "mcp__code-graph__query"})
	expect(t, "after the graph", s.call(search), "")

	s.id = "s2"
	a := s.guard.Answer(&Event{Session: record.NewSessionID("s2"), Call: &search, Subagent: true, Time: now})
	expect(t, "a sub-agent's search", a, "")
	s.bash("sqlite3 .code-graph/graph.db .schema")
	expect(t, "after the database", s.call(search), "")

	s = newScene(t).enforce(rules.HookWarn, "graph-first")
	expect(t, "no graph", s.call(search), "")
	s = newScene(t, ".code-graph/graph.db", "")
	expect(t, "prose", s.call(search), "")
}

func TestEnforcement(t *testing.T) {
	type step = func(*scene) Answer
	install := func(s *scene) Answer { return s.bash("npm i zod") }
	gate := func(s *scene) Answer { s.edit("a.go"); return s.edit("b.go") }
	commit := func(s *scene) Answer { s.edit("a.go"); return s.bash("git commit") }
	search := func(s *scene) Answer { return s.call(predicate.Call{Tool: "Glob"}) }
	outOfScope := func(s *scene) Answer { return s.edit("cmd/z.go") }
	generated := func(s *scene) Answer { return s.edit("out/z.js") }
	tests := []struct {
		detector, rule string
		break_         step
		violates       bool
	}{
		{"new-dependency", "no-new-deps", install, false},
		{"openspec-gate", "openspec-gate", gate, false},
		{"defect", "defect", commit, false},
		{"graph-first", "graph-first", search, false},
		{"scope-warning", "scope", outOfScope, true},
		{"generated-file-block", "generated-files", generated, true},
	}
	for _, test := range tests {
		files := []string{".code-graph/graph.db", ""}
		if test.violates {
			files = append(files, tasks, "`lib/`")
		}
		others := []string{"new-dependency", "openspec-gate", "defect", "graph-first", "scope-warning", "generated-file-block"}
		fresh := func(level rules.Enforcement) *scene {
			return newScene(t, files...).enforce(rules.Prose, others...).enforce(level, test.detector)
		}
		of := func(words string) string {
			var out []string
			for _, w := range strings.Fields(words) {
				if w == "!" {
					out = append(out, "!"+test.rule)
				} else {
					out = append(out, test.rule+" "+w)
				}
			}
			return strings.Join(out, ", ")
		}
		only := func(a Answer) Answer { // the other rules are silent, but two of them still record
			a.Signals = slices.DeleteFunc(a.Signals, func(s record.Signal) bool { return s.Rule.String() != test.rule })
			return a
		}
		mark := ""
		if test.violates {
			mark = "! "
		}
		s := fresh(rules.Prose)
		expect(t, test.rule+" as prose", only(test.break_(s)), of(mark))
		s = fresh(rules.HookWarn)
		expect(t, test.rule+" warns", only(test.break_(s)), of(mark+"warned"))
		expect(t, test.rule+" warns once", only(test.break_(s)), of("suppressed"))
		s = fresh(rules.HookBlock)
		for range 2 {
			a := only(test.break_(s))
			expect(t, test.rule+" blocks", a, of(mark+"blocked"))
			if !strings.HasPrefix(a.Block, "BLOCKED: ") || a.Warning != "" || a.Context != "" {
				t.Errorf("%s blocks: said %q, %q, %q", test.rule, a.Block, a.Warning, a.Context)
			}
		}
	}
}

func TestUnknownRuleHasNoHook(t *testing.T) {
	s := newScene(t)
	r := *s.guard.Registry
	r.Rules = nil
	s.guard.Registry = &r
	expect(t, "no rules", s.bash("npm i zod"), "")
	expect(t, "no rules", s.edit("out/a.js"), "")
}

func TestABlockSilencesTheRest(t *testing.T) {
	s := newScene(t, tasks, "`lib/`")
	a := s.edit("out/package.json")
	expect(t, "blocked", a, "!generated-files, generated-files blocked")
	expect(t, "the warning is still to come", s.edit("web/package.json"), "!scope, scope warned, no-new-deps warned")
}

const gotchas = "# G\n\n## Use the generator\n- **Symptom:** a\n- **Cause:** b\n- **Fix / rule:** c\n- **paths:** `api/**`\n- **commands:** `make proto`\n- **confirmed:** yes\n\n" +
	"## Half\n- **Symptom:** a\n- **Fix:** c\n- **paths:** `api/**`\n- **confirmed:** yes\n"

func TestGotchas(t *testing.T) {
	s := newScene(t, "GOTCHAS.md", gotchas)
	a := s.edit("api/x.go")
	expect(t, "first", a, "gotchas surfaced")
	const head = "[gotcha] GOTCHAS.md entries that apply to `api/x.go`. Follow their Fix / rule:\n\n## Use the generator\n"
	if !strings.HasPrefix(a.Context, head) || a.Warning != "" || strings.Contains(a.Context, "Half") {
		t.Errorf("said %q, %q", a.Warning, a.Context)
	}
	if e := a.Signals[0].Evidence.(*record.DecisionEvidence); e.Gotcha.String() != "use-the-generator" || e.Hook.String() != "gotcha-surface" {
		t.Errorf("got %+v", e)
	}
	expect(t, "again", s.edit("api/x.go"), "")
	expect(t, "by its command", s.bash("make proto"), "")
	s.id = "s2"
	a = s.bash("make proto")
	expect(t, "another session", a, "gotchas surfaced")
	if !strings.Contains(a.Context, "apply to this command.") {
		t.Errorf("said %q", a.Context)
	}
	s.id = "s3"
	expect(t, "another path", s.edit("web/x.go"), "")
	a = s.call(predicate.Call{Tool: "Bash", Command: "make proto && npm i zod"})
	expect(t, "with a warning", a, "no-new-deps warned, gotchas surfaced")
	if !strings.HasPrefix(a.Context, a.Warning+"\n\n[gotcha]") {
		t.Errorf("said %q", a.Context)
	}
}

// Where no marker can be written a hook that needs a memory is silent, and one
// that does not warns every time.
func TestUnwritableMarkers(t *testing.T) {
	s := newScene(t, "GOTCHAS.md", gotchas, "file", "", ".code-graph/graph.db", "").enforce(rules.HookWarn, "graph-first")
	s.guard.Markers = filepath.Join(s.dir, "file", "markers")
	for range 2 {
		expect(t, "install", s.bash("npm i zod"), "no-new-deps warned")
	}
	s.edit("a.go")
	expect(t, "second file", s.edit("b.go"), "")
	expect(t, "commit", s.bash("git commit"), "")
	expect(t, "gotcha", s.bash("make proto"), "")
	expect(t, "search", s.call(predicate.Call{Tool: "Grep"}), "")
}

func TestMarkersStayInTheirFolder(t *testing.T) {
	s := newScene(t)
	s.id = "../../evil"
	expect(t, "install", s.bash("npm i zod"), "no-new-deps warned")
	var found []string
	filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, _ error) error {
		rel, _ := filepath.Rel(s.dir, path)
		found = append(found, rel)
		return nil
	})
	if got := strings.Join(found, " "); got != ". markers markers/evil markers/evil/deps-warned" {
		t.Errorf("got %s", got)
	}
}

func TestMarkersArePruned(t *testing.T) {
	s := newScene(t)
	old, young := filepath.Join(s.guard.Markers, "old"), filepath.Join(s.guard.Markers, "young")
	for dir, age := range map[string]time.Duration{old: 8 * 24 * time.Hour, young: 6 * 24 * time.Hour} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s.bash("npm i zod")
	if _, err := os.Stat(old); err == nil {
		t.Error("an old session's markers are kept")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a young session's markers are gone")
	}
}

func TestSimultaneousCallsWarnOnce(t *testing.T) {
	s := newScene(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	counts := map[string]int{}
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			call := predicate.Call{Tool: "Bash", Command: "npm i zod", Dir: s.dir}
			a := s.guard.Answer(&Event{Session: record.NewSessionID("s1"), ToolUseID: fmt.Sprint(i), Call: &call, Time: now})
			mu.Lock()
			counts[did(a)]++
			mu.Unlock()
		}()
	}
	wg.Wait()
	if counts["no-new-deps warned"] != 1 || counts["no-new-deps suppressed"] != 19 {
		t.Errorf("got %v", counts)
	}
}

func TestTwoCopiesOfTheHookGiveOneID(t *testing.T) {
	s, other := newScene(t), newScene(t)
	a, b := s.bash("npm i zod"), other.bash("npm i zod")
	if a.Signals[0].ID != b.Signals[0].ID {
		t.Error("two ids for one decision")
	}
	if c := s.bash("npm i zod"); c.Signals[0].ID == a.Signals[0].ID {
		t.Error("one id for two decisions")
	}
}
