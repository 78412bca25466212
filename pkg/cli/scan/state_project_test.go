package scan

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/rules"
)

// plant gives the garden a project with a history, in which its sessions work.
func (g *garden) plant() {
	if _, err := exec.LookPath("git"); err != nil {
		g.t.Skip("no git here")
	}
	dir, err := filepath.EvalSymlinks(g.t.TempDir())
	g.check(err)
	g.root = filepath.Join(dir, "shop")
	g.put(".github/retro/rules.json", string(rules.Seed()))
	g.put(".claude/retro/signals.jsonl", "")
	g.put("lib/f0.go", "package lib\n")
	g.put("openspec/changes/archive/old/tasks.md", "")
	g.put("../other/src/x.c", "")
	g.git("init", "-q", "-b", "main")
	g.commitAt(g.start.Add(-24*time.Hour), "feat: all", 0, 1, 2, 3)
}

func (g *garden) put(name, text string) {
	path := filepath.Join(g.root, name)
	if newDir(filepath.Dir(path)) != nil {
		g.check(os.Remove(filepath.Dir(path))) // a link to nothing
		g.check(newDir(filepath.Dir(path)))
	}
	g.check(os.WriteFile(path, []byte(text), 0o600))
}

// git runs git in the project and leaves it to fail: there may be no repository.
func (g *garden) git(args ...string) {
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "core.fsync=none"}, args...)...)
	cmd.Dir = g.root
	at := g.clock.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(g.root), "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	cmd.Run()
}

func (g *garden) commitAt(at time.Time, subject string, files ...int) {
	g.n++
	for _, n := range files {
		g.put(fmt.Sprintf("lib/f%d.go", n), fmt.Sprintf("package lib // %d\n", g.n))
	}
	g.clock = at
	g.git("add", "lib")
	g.git("commit", "-q", "-m", subject)
}

// deed is a piece of a session that has to do with the project.
func (g *garden) deed(session string, id int) string {
	call := func(name, input string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"%s","input":%s}`, id, name, input)
	}
	shell := func(command string) string { return call("Bash", `{"command":"`+command+`"}`) }
	g.calls = append(g.calls, [2]string{session, fmt.Sprintf("t%d", id)})
	switch g.rng.IntN(10) {
	case 6:
		return shell("ls new/cur/tasks.md")
	case 0:
		return call("Grep", `{"pattern":"x","path":"`+g.root+`/lib"}`)
	case 1:
		return call("mcp__code-graph__query", `{}`)
	case 2:
		return shell("cat ../other/src/x.c")
	case 3:
		return shell("ls cur/tasks.md")
	case 4:
		g.commits = append(g.commits, g.start.Add(time.Duration(id)*time.Second))
		return shell("git commit -m x")
	case 5:
		return call("Edit", fmt.Sprintf(`{"file_path":"%s/cur/f%d.go"}`, g.root, g.rng.IntN(4)))
	}
	return call("Edit", fmt.Sprintf(`{"file_path":"%s/lib/f%d.go"}`, g.root, g.rng.IntN(4)))
}

// toggle makes something or, when it is there, takes it away.
func (g *garden) toggle(name string, make func(path string) error) {
	path := filepath.Join(g.root, name)
	if _, err := os.Lstat(path); err == nil {
		g.check(os.RemoveAll(path))
		return
	}
	g.check(os.MkdirAll(filepath.Dir(path), 0o700))
	g.check(make(path))
}

func newFile(path string) error { return os.WriteFile(path, nil, 0o600) }
func newDir(path string) error  { return os.MkdirAll(path, 0o700) }

func linkTo(target string) func(string) error {
	return func(path string) error { return os.Symlink(target, path) }
}

// swap exchanges two names of which one need not be there.
func (g *garden) swap(a, b string) {
	a, b = filepath.Join(g.root, a), filepath.Join(g.root, b)
	if os.Rename(a, b) != nil {
		g.check(os.Rename(b, a))
	}
}

// moveAway puts a link in the place of a directory, or the directory back.
func (g *garden) moveAway(dir, away string) {
	dir, away = filepath.Join(g.root, dir), filepath.Join(g.root, away)
	if _, err := os.Readlink(dir); err == nil {
		g.check(os.Remove(dir))
		g.check(newDir(away))
		g.check(os.Rename(away, dir))
		return
	}
	g.check(os.RemoveAll(away))
	g.check(newDir(dir))
	g.check(os.Rename(dir, away))
	g.check(linkTo("../lib")(dir))
}

// event changes something of the project and says what.
func (g *garden) event() string {
	second := func() time.Time { return g.start.Add(time.Duration(g.rng.IntN(g.n+1)) * time.Second) }
	switch g.rng.IntN(16) {
	case 0:
		g.toggle(".code-graph/graph.db", newFile)
		return "graph"
	case 1:
		g.toggle("openspec/changes/new", newDir)
		return "change"
	case 2:
		id := []string{"one", "two"}[g.rng.IntN(2)]
		g.put("GOTCHAS.md", "## "+id+"\n- **Symptom**: s\n- **Cause**: c\n- **Fix / rule**: f\n- **paths**: x\n- **confirmed**: y\n- **commands**: make\n")
		return "gotcha"
	case 3, 4:
		at := second()
		if len(g.commits) > 0 {
			at = g.commits[g.rng.IntN(len(g.commits))]
		}
		g.commitAt(at, "fix: x", g.rng.IntN(4))
		return "fix"
	case 5:
		g.commitAt(second(), "feat: y", g.rng.IntN(4))
		return "commit"
	case 6:
		g.clock = second()
		g.git("reset", "-q", "--hard", "HEAD~1")
		return "reset"
	case 7:
		g.git("checkout", "-q", "-B", "side", "HEAD~1")
		g.commitAt(second(), "fix: z", g.rng.IntN(4))
		g.git("checkout", "-q", "main")
		g.git("merge", "-q", "-s", "ours", "-m", "merge", "side")
		return "merge"
	case 8:
		g.toggle("cur", linkTo("openspec/changes"))
		return "link into the changes"
	case 9:
		g.toggle("cur", []func(string) error{newDir, linkTo("lib"), linkTo("nowhere"), linkTo("../other/src")}[g.rng.IntN(4)])
		return "link"
	case 10:
		g.toggle("../other/.git", newDir)
		return "repository beside"
	case 11:
		g.swap(".git", "sub/.git")
		return "repository below"
	case 12:
		g.decide()
		return "decision"
	case 13:
		g.put(".claude/code-paths", []string{"lib\n", "src\n"}[g.rng.IntN(2)])
		return "code paths"
	case 14:
		g.toggle("new", func(path string) error {
			g.check(newDir(path))
			return linkTo("../openspec/changes")(filepath.Join(path, "cur"))
		})
		return "directory with a link"
	}
	g.moveAway("lib", "../lib")
	return "moved"
}

// decide notes a decision of a hook at some call of some session.
func (g *garden) decide() {
	if len(g.calls) == 0 {
		return
	}
	call := g.calls[g.rng.IntN(len(g.calls))]
	if g.rng.IntN(4) == 0 && g.stray {
		call[0] = strings.TrimSuffix(filepath.Base(g.some()), ".jsonl")
	}
	id, _ := record.NewIdentifier(call[1])
	s := record.NewRuleSignal(&record.DecisionEvidence{Action: record.Warned, ToolUseID: id})
	s.Rule = record.NewName("scope")
	s.SessionID = record.NewSessionID(call[0])
	line, err := ndjson.Marshal(s)
	g.check(err)
	f, err := os.OpenFile(filepath.Join(g.root, ".claude/retro/signals.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	g.check(err)
	fmt.Fprintf(f, "%s\n", line)
	f.Close()
}

// TestStateOfAProjectChangesNothing is TestStateChangesNothing with --root, while
// the project changes, too: its graph, changes, gotchas, history, links and what
// its hooks decided.
func TestStateOfAProjectChangesNothing(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(4) {
		g := newGarden(t, seed)
		g.plant()
		g.stray = true
		g.check(os.MkdirAll(filepath.Join(g.root, "sub"), 0o700))
		for range 6 {
			g.grow(g.fresh())
		}
		state := filepath.Join(g.dir, "state")
		now := time.Now().Add(time.Hour)
		vars := map[string]string{"PATH": os.Getenv("PATH")}
		for round := range 30 {
			time.Sleep(10 * time.Millisecond) // more than a tick of the file system's clock
			did := g.event()
			if g.rng.IntN(4) == 0 {
				did += ", " + g.change()
			}
			args := []string{"-j", fmt.Sprint(1 + g.rng.IntN(3)), "--root", g.root, filepath.Join(g.dir, "p")}
			want := runScan(t, now, vars, args...)
			if got := runScan(t, now, vars, append(args, "--state", state)...); got != want {
				t.Fatalf("seed %d, round %d (%s): %s", seed, round, did, difference(got, want))
			}
			for _, what := range []string{`"detector":"defect"`, `"detector":"openspec-gate"`, `"detector":"graph-first"`, `"detector":"outcome"`, `"gotchas":["one"]`, `"code_reads":1`} {
				seen[what] = seen[what] || strings.Contains(want, what)
			}
		}
	}
	if len(seen) < 6 || slices.Contains(slices.Collect(maps.Values(seen)), false) {
		t.Errorf("not all that depends on the project was seen: %v", seen)
	}
}

// TestStateOfAProjectOpensOnlyWhatIsAffected changes one thing of the project at
// a time and counts the files that are opened.
func TestStateOfAProjectOpensOnlyWhatIsAffected(t *testing.T) {
	g := newGarden(t, 1)
	g.start = g.start.AddDate(0, 0, -100)
	g.plant()
	g.commitAt(g.start, "feat: all", 4)
	g.put("docs/b.md", "")
	tool := func(name, input string) string { return `{"type":"tool_use","name":"` + name + `","input":` + input }
	edit := tool("Edit", `{"file_path":"`+g.root+`/lib/f1.go"}`)
	early := g.session("early", 0, edit, tool("Bash", `{"command":"git commit -m x"}`))
	late := g.session("late", 50, edit, tool("Bash", `{"command":"ls docs/new/changes/tasks.md"}`))
	talk := g.session("talk", 0, tool("Read", `{"file_path":"`+g.root+`/README.md"}`))
	build := tool("Bash", `{"command":"make"}`)
	retry := g.session("retry", 0, build, build, build)
	beside := g.session("beside", 0, tool("Read", `{"file_path":"`+filepath.Dir(g.root)+`/other/src/x.c"}`))
	all := []string{early, late, talk, retry, beside}
	tests := []struct {
		change string
		do     func()
		want   []string
	}{
		{"the first run", func() {}, all},
		{"none", func() {}, nil},
		{"a commit of today", func() { g.commitAt(time.Now(), "fix: x", 1) }, nil},
		{"a commit after the first sessions", func() { g.git("checkout", "-q", "HEAD~1"); g.commitAt(g.start.AddDate(0, 0, 49), "feat: x", 1) }, []string{late}},
		{"an older history", func() { g.git("checkout", "-q", "HEAD~2"); g.commitAt(g.start.Add(-time.Hour), "feat: x", 1) }, []string{early, late}},
		{"a code graph", func() { g.put(".code-graph/graph.db", "") }, all},
		{"a larger one", func() { g.put(".code-graph/graph.db", "more") }, nil},
		{"an open change", func() { g.put("openspec/changes/new/tasks.md", "") }, []string{early, late}},
		{"another", func() { g.put("openspec/changes/more/tasks.md", "") }, nil},
		{"a gotcha", func() {
			g.put("GOTCHAS.md", "## one\n- **Symptom**: s\n- **Cause**: c\n- **Fix / rule**: f\n- **paths**: x\n- **confirmed**: y\n- **commands**: make\n")
		}, []string{retry}},
		{"one without commands", func() { g.put("lib/GOTCHAS.md", "## two\n- **Symptom**: s\n") }, nil},
		{"files and directories", func() { g.put("web/a.go", ""); g.put("docs/a.md", ""); g.put("../other/src/y.c", "") }, nil},
		{"a directory that a session named", func() { g.put("docs/new/a.md", "") }, []string{late}},
		{"a link in it", func() { g.check(linkTo("../../openspec/changes")(filepath.Join(g.root, "docs/new/changes"))) }, []string{late}},
		{"a link beside", func() { g.check(linkTo("../../lib")(filepath.Join(g.root, "docs/new/other"))) }, nil},
		{"lib is a link", func() { g.moveAway("lib", "../lib") }, []string{early, late}},
		{"a repository beside", func() { g.check(newDir(filepath.Join(g.root, "../other/.git"))) }, []string{beside}},
		{"a decision", func() {
			g.calls = [][2]string{{"talk", "t"}}
			g.decide()
		}, []string{talk}},
		{"none again", func() {}, nil},
	}
	for _, test := range tests {
		test.do()
		got := g.opened(all, &scanCommand{State: filepath.Join(g.dir, "state"), measuring: measuring{Root: g.root}})
		want := slices.Clone(test.want)
		for i := range want {
			want[i] = filepath.Base(want[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: opened %q, want %q", test.change, got, want)
		}
	}
}

// session writes a session of some calls, so many days after the start.
func (g *garden) session(id string, days int, calls ...string) (path string) {
	path = filepath.Join(g.dir, "p", id+".jsonl")
	var text strings.Builder
	for i, call := range calls {
		at := g.start.AddDate(0, 0, days).Add(time.Duration(i+1) * time.Minute).Format(time.RFC3339)
		base := fmt.Sprintf(`"sessionId":"%s","timestamp":"%s","cwd":"%s"`, id, at, g.root)
		fmt.Fprintf(&text, `{"type":"assistant","uuid":"a%d",%s,"message":{"id":"m%d","role":"assistant","content":[%s,"id":"%s%d"}]}}`+"\n", i, base, i, call, id, i)
		fmt.Fprintf(&text, `{"type":"user","uuid":"u%d",%s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s%d","is_error":true,"content":"Exit code 1"}]}}`+"\n", i, base, id, i)
	}
	g.check(newDir(filepath.Dir(path)))
	g.check(os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

// TestANightReadsOnlyWhatGrew lets a few sessions of many grow, as they do in a
// day: with commits, with decisions of hooks and with files that come and go.
func TestANightReadsOnlyWhatGrew(t *testing.T) {
	g := newGarden(t, 20)
	g.start = g.start.AddDate(0, 0, -10)
	g.plant()
	var all []string
	for range 200 {
		path := g.fresh()
		g.grow(path)
		all = append(all, path)
	}
	c := func() *scanCommand {
		return &scanCommand{State: filepath.Join(g.dir, "state"), measuring: measuring{Root: g.root}}
	}
	if n := len(g.opened(all, c())); n != 200 {
		t.Fatalf("the first run opened %d files", n)
	}
	for night := range 3 {
		var want []string
		g.calls = nil
		for _, i := range g.rng.Perm(200)[:20] {
			g.grow(all[i])
			want = append(want, filepath.Base(all[i]))
		}
		for range 5 {
			g.commitAt(time.Now(), "fix: x", g.rng.IntN(4))
			g.decide()
			g.put(fmt.Sprintf("docs/%d/a.md", g.n), "")
		}
		got := g.opened(all, c())
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("night %d: opened %q, want %q", night, got, want)
		}
	}
}
