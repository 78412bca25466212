package guard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/detect"
	"retro/pkg/guard"
	"retro/pkg/ndjson"
	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/repo"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// call is one tool call of a session, by the agent or by a sub-agent.
type call struct {
	tool     string
	input    map[string]any
	subagent bool
}

func bash(line string) call { return call{tool: "Bash", input: map[string]any{"command": line}} }

func edit(file string) call { return call{tool: "Edit", input: map[string]any{"file_path": file}} }

func change(file, old, fresh string) call {
	return call{tool: "Edit", input: map[string]any{"file_path": file, "old_string": old, "new_string": fresh}}
}

func tool(name string) call { return call{tool: name, input: map[string]any{"pattern": "x"}} }

func sub(c call) call { c.subagent = true; return c }

// project makes a directory with a registry in which every hook warns.
func project(t *testing.T, files ...string) (dir string, registry *rules.Registry) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := *rules.Default()
	r.Rules = slices.Clone(r.Rules)
	for i := range r.Rules {
		r.Rules[i].Enforcement = rules.HookWarn
	}
	return dir, &r
}

// transcribe writes the calls as a transcript.
func transcribe(t *testing.T, dir string, calls []call) *transcript.Session {
	t.Helper()
	var lines strings.Builder
	for i, c := range calls {
		line, err := json.Marshal(map[string]any{
			"type": "assistant", "uuid": fmt.Sprint("u", i), "sessionId": "s1", "cwd": dir, "isSidechain": c.subagent,
			"timestamp": time.Date(2026, 3, 1, 8, i, 0, 0, time.UTC).Format(time.RFC3339),
			"message": map[string]any{"id": fmt.Sprint("m", i), "content": []any{
				map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_", i), "name": c.tool, "input": c.input},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return transcript.FromStream("test", "s1", strings.NewReader(lines.String()))
}

// hooked gives the ids of the calls at which the hook of a rule found something.
func hooked(t *testing.T, dir string, registry *rules.Registry, rule string, calls []call) []string {
	t.Helper()
	g := guard.Guard{Registry: registry, Markers: t.TempDir(), Project: predicate.NewProject(dir, os.DirFS(dir), predicate.DefaultSettings())}
	var out []string
	for i, c := range calls {
		input, err := json.Marshal(c.input)
		if err != nil {
			t.Fatal(err)
		}
		a := g.Answer(&guard.Event{
			Session: record.NewSessionID("s1"), ToolUseID: fmt.Sprint("toolu_", i), Subagent: c.subagent,
			Call: predicate.NewCall(c.tool, ndjson.Raw(input), dir), Time: time.Date(2026, 3, 1, 8, i, 0, 0, time.UTC),
		})
		for _, s := range a.Signals {
			if s.Kind == record.Decision && s.Rule.String() == rule {
				out = append(out, fmt.Sprint("toolu_", i))
			}
		}
	}
	return out
}

// detected gives the evidence of a rule's violations in the transcript, and its
// opportunities.
func detected(t *testing.T, dir string, registry *rules.Registry, rule string, calls []call) (evidence []record.Evidence, opportunities int) {
	t.Helper()
	opt := &detect.Options{Registry: registry, Root: dir, Log: func(string, time.Time, time.Time) ([]repo.Commit, error) { return nil, nil }}
	err := detect.Session(transcribe(t, dir, calls), opt, func(s *record.Signal) {
		switch e := s.Evidence.(type) {
		case *record.SessionEvidence:
			for _, o := range e.Opportunities {
				if o.Name.String() == rule {
					opportunities = o.Count
				}
			}
		default:
			if s.Rule.String() == rule {
				evidence = append(evidence, e)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return evidence, opportunities
}

func TestGraphFirstAgrees(t *testing.T) {
	graph := tool("mcp__code-graph__query")
	tests := [][]call{
		{tool("Grep")},
		{tool("Grep"), tool("Glob"), graph, tool("Grep")},
		{graph, tool("Grep"), tool("Grep")},
		{bash("sqlite3 .code-graph/graph.db .schema"), tool("Grep")},
		{bash("ls .code-graph"), tool("Grep")},
		{sub(tool("Grep")), graph, tool("Grep")},
		{sub(graph), tool("Grep")},
		{bash("grep -rn foo ."), edit("a.go")},
		{{tool: "Grep", input: map[string]any{"pattern": "x", "path": "/usr/include"}}, {tool: "Glob", input: map[string]any{"path": "lib"}}},
	}
	kept := []int{0, 1, 1, 1, 0, 1, 0, 0, 0} // main-chain looks that are opportunities too
	for _, present := range []bool{true, false} {
		for i, calls := range tests {
			var files []string
			looks := 0
			if present {
				files, looks = []string{".code-graph/graph.db"}, kept[i]
			}
			dir, registry := project(t, files...)
			hook := len(hooked(t, dir, registry, "graph-first", calls))
			evidence, opportunities := detected(t, dir, registry, "graph-first", calls)
			detector := 0
			for _, e := range evidence {
				detector += e.(*record.GraphFirstEvidence).Count
			}
			if hook != detector || hook+looks != opportunities {
				t.Errorf("case %d, graph %v: the hook sees %d early searches, the detector %d, of %d", i, present, hook, detector, opportunities)
			}
		}
	}
}

// The hook cannot know what comes later: a session that touches a change after
// the second file is warned, and has not broken the rule. In all these the touch
// comes before, or not at all.
func TestOpenSpecGateAgrees(t *testing.T) {
	tests := [][]call{
		{edit("a.go"), edit("b.go")},
		{edit("a.go"), edit("a.go")},
		{edit("a.go"), edit("README.md"), edit("package.json")},
		{edit("a.go"), edit("/tmp/b.go")},
		{edit("a.go"), sub(edit("b.go"))},
		{edit("a.go"), edit("openspec/specs/x.py"), edit("b.go")},
		{edit("openspec/changes/n/proposal.md"), edit("a.go"), edit("b.go")},
		{bash("mkdir -p openspec/changes/n"), edit("a.go"), edit("b.go")},
		{bash("cd openspec/changes && ls"), edit("a.go"), edit("b.go")},
		{bash(`git commit -m "openspec/changes are good"`), edit("a.go"), edit("b.go")},
		{bash("openspec new change n"), edit("a.go"), edit("b.go")},
		{call{tool: "Read", input: map[string]any{"file_path": "openspec/changes/n/tasks.md"}}, edit("a.go"), edit("b.go")},
		{call{tool: "Skill", input: map[string]any{"skill": "opsx:propose"}}, edit("a.go"), edit("b.go")},
		{call{tool: "NotebookEdit", input: map[string]any{"notebook_path": "x.py"}}, edit("b.go")},
	}
	for _, open := range []bool{false, true} {
		for i, calls := range tests {
			var files []string
			if open {
				files = []string{"openspec/changes/wip/tasks.md"}
			}
			dir, registry := project(t, files...)
			hook := hooked(t, dir, registry, "openspec-gate", calls)
			evidence, _ := detected(t, dir, registry, "openspec-gate", calls)
			if (len(hook) > 0) != (len(evidence) > 0) {
				t.Errorf("case %d, open change %v: the hook fires at %v, the detector %d times", i, open, hook, len(evidence))
				continue
			}
			if len(evidence) > 0 && evidence[0].(*record.OpenSpecGateEvidence).ToolUseID.String() != hook[0] {
				t.Errorf("case %d: the hook fires first at %s, the detector at %s", i, hook[0], evidence[0].(*record.OpenSpecGateEvidence).ToolUseID)
			}
		}
	}
}

func TestNoNewDepsAgrees(t *testing.T) {
	calls := []call{
		bash("bun add zod"), bash("npm ci"), bash("pip install -r r.txt"), bash("pip install -r r.txt rich"),
		bash("cd web && npm install zod"), bash("npm install && npm test"), bash("pip install -e ./lib"),
		bash("git commit -m 'npm install zod'"), bash("sudo npm i zod"), bash("CI=1 npm i zod"), bash("python -m pip install rich"),
		bash("cat <<EOF\nnpm i zod\nEOF"), bash("npm i zod ) x"), bash(`npm i "$PKG"`), bash("go get ./..."),
		edit("svc/go.mod"), edit("requirements-dev.txt"), edit("/tmp/package.json"),
		change("package.json", `"version": "1.0.0"`, `"version": "1.1.0"`),
		change("package.json", `"a": "^1"`, `"a": "^1", "zod": "^3"`),
		{tool: "Write", input: map[string]any{"file_path": "go.mod", "content": "module x\n"}},
		{tool: "Read", input: map[string]any{"file_path": "go.mod"}},
		{tool: "PowerShell", input: map[string]any{"command": "npm install zod"}},
		sub(bash("cargo add serde")),
	}
	dir, registry := project(t)
	hook := hooked(t, dir, registry, "no-new-deps", calls)
	evidence, opportunities := detected(t, dir, registry, "no-new-deps", calls)
	var detector []string
	for _, e := range evidence {
		if id := e.(*record.NewDependencyEvidence).ToolUseID.String(); !slices.Contains(detector, id) {
			detector = append(detector, id)
		}
	}
	if !slices.Equal(hook, detector) {
		t.Errorf("the hook fires at %v, the detector at %v", hook, detector)
	}
	if opportunities < len(hook) || len(hook) != 11 {
		t.Errorf("%d of %d opportunities, want 11", len(hook), opportunities)
	}
}

// The rules scope and generated-files have no detector that reads transcripts:
// what the hook sees must be among what the transcript counts as opportunities.
func TestScopeAndGeneratedFilesAgree(t *testing.T) {
	calls := []call{
		edit("out/a.js"), edit("api.gen.go"), edit("cmd/z.go"), edit("lib/a.go"), edit("openspec/changes/n/tasks.md"),
		edit("/srv/build/x.go"), bash("echo x > out/a.js"), {tool: "Read", input: map[string]any{"file_path": "out/a.js"}},
	}
	want := map[string]string{"generated-files": "toolu_0 toolu_1", "scope": "toolu_0 toolu_1 toolu_2"}
	dir, registry := project(t)
	if err := os.MkdirAll(filepath.Join(dir, "openspec/changes/n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "openspec/changes/n/tasks.md"), []byte("`lib/`"), 0o600); err != nil {
		t.Fatal(err)
	}
	for rule, ids := range want {
		if got := strings.Join(hooked(t, dir, registry, rule, calls), " "); got != ids {
			t.Errorf("%s: the hook fires at %s, want %s", rule, got, ids)
		}
		evidence, opportunities := detected(t, dir, registry, rule, calls)
		if len(evidence) > 0 || opportunities != 4 {
			t.Errorf("%s: the transcript gives %d violations and %d opportunities, want none and 4", rule, len(evidence), opportunities)
		}
	}
}

// The hook of the rule defect warns before the commit that the detector counts
// as an opportunity and may later find mended by a fix.
func TestDefectAgrees(t *testing.T) {
	commits := []call{
		bash("git commit -m x"), bash("git add .\ngit commit -m x"), bash("git -C sub commit"), bash("git -c a=b commit"),
		bash("git commit-tree x"), bash("git commit --dry-run"), bash("echo git commit"), bash("sudo git commit"),
	}
	dir, registry := project(t)
	var calls []call
	for _, c := range commits {
		calls = append(calls, edit("a.go"), c)
	}
	hook := hooked(t, dir, registry, "defect", calls)
	if _, opportunities := detected(t, dir, registry, "defect", calls); len(hook) != opportunities || opportunities != 5 {
		t.Errorf("the hook fires at %d commits, the transcript has %d, want 5", len(hook), opportunities)
	}
}
