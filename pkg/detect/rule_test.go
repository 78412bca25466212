package detect

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/repo"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// script builds a Claude Code transcript, one record a minute from 2026-03-01
// 08:00 UTC on, in the directory that is the project's root.
type script struct {
	dir     string
	version string
	minute  int
	lines   []string
	calls   int
}

func (s *script) add(fields map[string]any) {
	s.minute++
	fields["uuid"] = fmt.Sprintf("u%d", s.minute)
	fields["sessionId"] = "s1"
	fields["cwd"] = s.dir
	fields["version"] = s.version
	fields["timestamp"] = s.now().Format(time.RFC3339)
	line, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	s.lines = append(s.lines, string(line))
}

func (s *script) now() time.Time {
	return time.Date(2026, 3, 1, 8, s.minute, 0, 0, time.UTC)
}

// tool adds a call and returns its id.
func (s *script) tool(name string, input map[string]string) string {
	return s.callBy(name, input, false)
}

func (s *script) callBy(name string, input map[string]string, sidechain bool) string {
	s.calls++
	id := fmt.Sprintf("toolu_%d", s.calls)
	s.add(map[string]any{"type": "assistant", "isSidechain": sidechain, "message": map[string]any{
		"id": fmt.Sprintf("msg_%d", s.calls), "role": "assistant",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}},
	}})
	return id
}

func (s *script) sub(name string, input map[string]string) { s.callBy(name, input, true) }

func (s *script) edit(file string) string {
	return s.tool("Edit", map[string]string{"file_path": filepath.Join(s.dir, file)})
}

// bash adds a command and its result.
func (s *script) bash(command string) string {
	id := s.tool("Bash", map[string]string{"command": command})
	s.result(id, "", false)
	return id
}

func (s *script) fail(command, text string) {
	s.result(s.tool("Bash", map[string]string{"command": command}), text, true)
}

func (s *script) result(id, text string, isError bool) {
	s.add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": isError},
	}}})
}

func (s *script) prompt(text string) {
	s.add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
}

func (s *script) attach(attachment map[string]any) {
	s.add(map[string]any{"type": "attachment", "attachment": attachment})
}

func (s *script) session() *transcript.Session {
	return transcript.FromStream("test", "s1", strings.NewReader(strings.Join(s.lines, "\n")+"\n"))
}

// scan gives the signals of a detector and the session record.
func (s *script) scan(t *testing.T, opt *Options, detector string) ([]record.Signal, *record.SessionEvidence) {
	t.Helper()
	if opt.Registry == nil {
		opt.Registry = rules.Default()
	}
	if opt.Profile == nil {
		opt.Profile = classicProfile(t)
	}
	var out []record.Signal
	var end *record.SessionEvidence
	err := Session(s.session(), opt, func(sig *record.Signal) {
		if sig.Detector.String() == detector {
			out = append(out, *sig)
		}
		if e, ok := sig.Evidence.(*record.SessionEvidence); ok {
			end = e
		}
	})
	if err != nil || end == nil {
		t.Fatalf("session: %v, record %v", err, end)
	}
	return out, end
}

func classicProfile(t *testing.T) *profile.Profile {
	t.Helper()
	p, ok := profile.Named("classic")
	if !ok {
		t.Fatal("no profile classic")
	}
	return p
}

// evidenceText is the JSON of each signal's evidence without its site.
func evidenceText(t *testing.T, signals []record.Signal) string {
	t.Helper()
	var out []string
	for i := range signals {
		text, err := json.Marshal(signals[i].Evidence)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "turn")
		delete(fields, "anchor")
		if signals[i].Kind != record.Outcome {
			delete(fields, "tool_use_id")
		}
		text, _ = json.Marshal(fields)
		out = append(out, string(text))
	}
	return strings.Join(out, " ")
}

// root makes a project directory with the given files; a name that ends in a
// slash is a directory.
func root(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func grep(s *script) { s.tool("Grep", map[string]string{"pattern": "x"}) }

func glob(s *script) { s.tool("Glob", map[string]string{"pattern": "*"}) }

func graph(s *script) { s.tool("mcp__code-graph__query", map[string]string{"q": "x"}) }

func sqlite(s *script) { s.bash("sqlite3 .code-graph/graph.db .schema") }

func TestGraphFirst(t *testing.T) {
	type step = func(*script)
	sub := func(name string) step { return func(s *script) { s.sub(name, map[string]string{"pattern": "x"}) } }
	tests := []struct {
		name  string
		steps []step
		want  string
	}{
		{"search, graph, search", []step{glob, graph, grep}, `{"count":1,"first_index":0,"proof":"mcp-later","tools":["Glob"]}`},
		{"searches, database", []step{grep, grep, sqlite}, `{"count":2,"first_index":0,"proof":"sqlite-later","tools":["Grep"]}`},
		{"search alone", []step{grep, glob}, `{"count":2,"first_index":0,"proof":"total-bypass","tools":["Glob","Grep"]}`},
		{"sub-agent's search", []step{sub("Grep"), graph}, ""},
		{"graph first", []step{graph, grep, grep, grep, grep, grep}, ""},
		{"sub-agent's graph", []step{sub("mcp__code-graph__query"), grep}, `{"count":1,"first_index":1,"proof":"total-bypass","tools":["Grep"]}`},
		{"database, then tool", []step{grep, sqlite, graph}, `{"count":1,"first_index":0,"proof":"mcp-later","tools":["Grep"]}`},
	}
	for _, test := range tests {
		s := &script{dir: root(t, ".code-graph/graph.db")}
		for _, step := range test.steps {
			step(s)
		}
		got, end := s.scan(t, &Options{Root: s.dir}, "graph-first")
		if e := evidenceText(t, got); e != test.want {
			t.Errorf("%s: got %s, want %s", test.name, e, test.want)
		}
		if !end.GraphDBPresent {
			t.Errorf("%s: the session record has no graph", test.name)
		}
	}
}

func TestGraphFirstNeedsAGraph(t *testing.T) {
	s := &script{dir: root(t)}
	grep(s)
	for name, opt := range map[string]*Options{"no graph": {Root: s.dir}, "no root": {}} {
		got, end := s.scan(t, opt, "graph-first")
		if len(got) > 0 || end.GraphDBPresent || len(end.Opportunities) > 0 {
			t.Errorf("%s: got %s, present %v, opportunities %v", name, evidenceText(t, got), end.GraphDBPresent, end.Opportunities)
		}
	}
}

func TestOpenSpecGate(t *testing.T) {
	edits := func(files ...string) func(*script) {
		return func(s *script) {
			for _, f := range files {
				s.edit(f)
			}
		}
	}
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprintf("lib/f%02d.go", i))
	}
	tests := []struct {
		name  string
		files []string
		steps func(*script)
		want  string
	}{
		{"two files", nil, edits("lib/a.go", "lib/b.go"), `{"count":2,"files":["lib/a.go","lib/b.go"]}`},
		{"one file twice", nil, edits("lib/a.go", "lib/a.go"), ""},
		{"a touch at the end", nil, func(s *script) { edits("lib/a.go", "lib/b.go")(s); s.bash("ls openspec/changes") }, ""},
		{"an open change", []string{"openspec/changes/wip/"}, edits("lib/a.go", "lib/b.go"), ""},
		{"an archived change", []string{"openspec/changes/archive/old/"}, edits("lib/a.go", "lib/b.go"), `{"count":2,"files":["lib/a.go","lib/b.go"]}`},
		{"one source file", nil, edits("lib/a.go", "openspec/specs/x.go", "../../z.go", "README.md"), ""},
		{"sub-agent", nil, func(s *script) {
			s.edit("lib/a.go")
			s.sub("Edit", map[string]string{"file_path": filepath.Join(s.dir, "lib/b.go")})
		}, `{"count":2,"files":["lib/a.go","lib/b.go"]}`},
		{"a read is no touch", nil, func(s *script) {
			edits("lib/a.go", "lib/b.go")(s)
			s.tool("Read", map[string]string{"file_path": s.dir + "/openspec/changes/x"})
		}, `{"count":2,"files":["lib/a.go","lib/b.go"]}`},
	}
	for _, test := range tests {
		s := &script{dir: root(t, test.files...)}
		test.steps(s)
		got, _ := s.scan(t, &Options{Root: s.dir}, "openspec-gate")
		if e := evidenceText(t, got); e != test.want {
			t.Errorf("%s: got %s, want %s", test.name, e, test.want)
		}
	}

	s := &script{dir: root(t)}
	edits(many...)(s)
	got, _ := s.scan(t, &Options{Root: s.dir}, "openspec-gate")
	e := got[0].Evidence.(*record.OpenSpecGateEvidence)
	if len(e.Files) != 20 || e.Count != 25 || e.Turn != 2 || e.ToolUseID.String() != "toolu_2" {
		t.Errorf("25 files: got %d files, count %d, turn %d, call %s", len(e.Files), e.Count, e.Turn, e.ToolUseID)
	}
	if got, _ := s.scan(t, &Options{}, "openspec-gate"); len(got) > 0 {
		t.Error("fires without a project to look at")
	}
}

func TestBuildRetry(t *testing.T) {
	const fail, ok = "Exit code 2\nboom", ""
	tests := []struct {
		name     string
		commands []string
		results  []string
		want     string
	}{
		{"fail, fail, ok", []string{"make all", "make all", "make all"}, []string{fail, fail, ok}, `{"errors":2,"hash":"89b0e5e4d4bc","program":"make","runs":3}`},
		{"fail twice", []string{"make all", "make all"}, []string{fail, fail}, ""},
		{"one failure", []string{"make all", "make all", "make all"}, []string{fail, ok, ok}, ""},
		{"two commands", []string{"make all", "make  all", "make all"}, []string{fail, fail, fail}, ""},
		{"nothing found", []string{"grep x y", "grep x y", "grep x y"}, []string{"Exit code 1", "Exit code 1", "Exit code 1"}, ""},
		{"refused", []string{"make", "make", "make"}, []string{"The user doesn't want to proceed with this tool use.", "The user doesn't want to proceed with this tool use.", ok}, ""},
		{"secret in front", []string{"TOKEN=zz9 make x", "TOKEN=zz9 make x", "TOKEN=zz9 make x"}, []string{fail, ok, fail}, `{"errors":2,"hash":"HASH","program":"make","runs":3}`},
	}
	for _, test := range tests {
		s := &script{dir: "/w/p"}
		for i, c := range test.commands {
			if test.results[i] == ok {
				s.bash(c)
			} else {
				s.fail(c, test.results[i])
			}
		}
		got, _ := s.scan(t, &Options{}, "build-retry")
		want := strings.Replace(test.want, "HASH", record.CommandHash(test.commands[0]).String(), 1)
		want = strings.Replace(want, "89b0e5e4d4bc", record.CommandHash("make all").String(), 1)
		if e := evidenceText(t, got); e != want {
			t.Errorf("%s: got %s, want %s", test.name, e, want)
		}
		if len(got) > 0 && (got[0].Kind != record.Event || got[0].Rule.String() != "none") {
			t.Errorf("%s: got %s of rule %s", test.name, got[0].Kind, got[0].Rule)
		}
	}
}

func TestBuildRetryNamesGotchas(t *testing.T) {
	s := &script{dir: root(t)}
	const entry = "## Proto\n- **Symptom:** a\n- **Cause:** b\n- **Fix:** c\n- **paths:** x\n- **commands:** `make proto`\n- **confirmed:** yes\n"
	if err := os.WriteFile(filepath.Join(s.dir, "GOTCHAS.md"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.fail("make proto", "Exit code 2")
		s.fail("make other", "Exit code 2")
	}
	got, _ := s.scan(t, &Options{Root: s.dir}, "build-retry")
	if len(got) != 2 || len(got[1].Evidence.(*record.BuildRetryEvidence).Gotchas) != 0 {
		t.Fatalf("got %s", evidenceText(t, got))
	}
	if g := got[0].Evidence.(*record.BuildRetryEvidence).Gotchas; len(g) != 1 || g[0].String() != "proto" {
		t.Errorf("got gotchas %v", g)
	}
}

func TestUserCorrection(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Nope", ""},
		{"no. revert it again", "no"},
		{"do it AGAIN please", "again"},
		{"<note>stop</note>", ""},
		{"against the rules", ""},
		{"no", ""},
		{"that is not what I meant", "not-what-i"},
		{"I said no, wrong", "i-said"},
		{"the log says:\n```\nstop wrong\n```\nfine", ""},
		{"> wrong\nwhere is that from?", ""},
		{"rename `stop` to `halt`", ""},
		{"the log:\n" + strings.Repeat("line of it\n", 20) + "stop", ""},
		{"no, wrong " + strings.Repeat("pasted ", 300), ""},
	}
	for _, test := range tests {
		s := &script{dir: "/w/p"}
		s.prompt("please start")
		s.edit("a.go")
		s.prompt(test.text)
		got, _ := s.scan(t, &Options{}, "user-correction")
		want := ""
		if test.want != "" {
			want = `{"after_tool":true,"pattern":"` + test.want + `"}`
		}
		if e := evidenceText(t, got); e != want {
			t.Errorf("%q: got %s, want %s", test.text, e, want)
		}
	}
}

func TestUserCorrectionNeedsACall(t *testing.T) {
	s := &script{dir: "/w/p"}
	s.prompt("try again")
	s.sub("Edit", map[string]string{"file_path": "a.go"})
	s.prompt("try again")
	s.edit("a.go")
	s.prompt("<local>x</local>")
	s.prompt("please stop")
	s.prompt("please stop")
	got, end := s.scan(t, &Options{}, "user-correction")
	if e := evidenceText(t, got); e != `{"after_tool":true,"pattern":"stop"}` {
		t.Errorf("got %s", e)
	}
	for _, o := range end.Opportunities {
		if o.Name.String() == "user-correction" && o.Count != 1 {
			t.Errorf("got %d opportunities, want 1", o.Count)
		}
	}
}

// In a profile that judges prompts a match counts where the prompt is pushback.
func TestUserCorrectionOnTopOfPushback(t *testing.T) {
	judging := *classicProfile(t)
	judging.Turns = profile.Messages
	opt := (&Options{Registry: rules.Default(), Profile: &judging}).forSession()
	var got []string
	o := userCorrection(opt, func(h Hit) { got = append(got, h.Key) })
	for _, uuid := range []string{"u2", "u4"} {
		o.Block(&transcript.Block{Kind: transcript.ToolCall, Call: &transcript.Call{}})
		o.Block(&transcript.Block{Kind: transcript.Prompt, UUID: []byte(uuid), Text: []byte("no, wrong")})
	}
	pushback := func(kind record.Kind, uuid string) {
		opt.rules.noteFriction(&Hit{Kind: kind, Detector: "explicit-reject", Evidence: &record.FrictionEvidence{Anchor: record.NewAnchor(uuid)}})
	}
	pushback(record.Candidate, "u2")
	pushback(record.Friction, "u4")
	o.End(nil)
	if strings.Join(got, " ") != `"u4"` {
		t.Errorf("got %v, want the prompt u4", got)
	}
}

func TestUserCorrectionDisabledPattern(t *testing.T) {
	registry := *rules.Default()
	registry.Patterns = append([]rules.Pattern(nil), registry.Patterns...)
	for i := range registry.Patterns {
		registry.Patterns[i].Enabled = registry.Patterns[i].ID != "stop"
	}
	s := &script{dir: "/w/p"}
	s.edit("a.go")
	s.prompt("please stop")
	if got, _ := s.scan(t, &Options{Registry: &registry}, "user-correction"); len(got) > 0 {
		t.Errorf("got %s", evidenceText(t, got))
	}
}

func TestNewDependency(t *testing.T) {
	s := &script{dir: "/w/p"}
	s.bash("cd web && npm install zod && pip install rich")
	s.edit("svc/go.mod")
	s.tool("Edit", map[string]string{"file_path": "/tmp/package.json"})
	s.bash("npm ci")
	got, end := s.scan(t, &Options{}, "new-dependency")
	want := `{"manifest":"","program":"npm","via":"command"} {"manifest":"","program":"pip","via":"command"} ` +
		`{"manifest":"svc/go.mod","program":"","via":"edit"} {"manifest":"external","program":"","via":"edit"}`
	if e := evidenceText(t, got); e != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	ids := map[string]bool{}
	for _, g := range got {
		ids[g.ID.String()] = true
	}
	if len(ids) != 4 {
		t.Errorf("got %d distinct ids, want 4", len(ids))
	}
	want = "[{generated-files 1} {no-new-deps 3} {scope 1}]"
	if o := fmt.Sprint(end.Opportunities); o != want {
		t.Errorf("opportunities: got %s, want %s", o, want)
	}
}

func TestOpportunities(t *testing.T) {
	s := &script{dir: root(t, ".code-graph/graph.db")}
	grep(s)
	graph(s)
	grep(s)
	s.edit("lib/a.go")
	s.edit("openspec/changes/n/tasks.md")
	s.edit("README.md")
	s.bash("git commit -m x")
	s.bash("npm install")
	s.prompt("go on")
	history := func(string, time.Time, time.Time) ([]repo.Commit, error) { return nil, nil }
	_, end := s.scan(t, &Options{Root: s.dir, Log: history}, "")
	want := "[{defect 1} {generated-files 2} {graph-first 2} {no-new-deps 1} {openspec-gate 1} {scope 2} {user-correction 1}]"
	if got := fmt.Sprint(end.Opportunities); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if facts := fmt.Sprint(end.Facts); facts != "[code-graph open-changes git-log]" {
		t.Errorf("facts: got %s", facts)
	}
	// Where nobody looked, no rule that needs a look had a chance to be seen
	// broken.
	_, end = s.scan(t, &Options{}, "")
	want = "[{generated-files 2} {no-new-deps 1} {scope 2} {user-correction 1}]"
	if got := fmt.Sprint(end.Opportunities); got != want || len(end.Facts) > 0 {
		t.Errorf("without a look: got %s and facts %v, want %s", got, end.Facts, want)
	}
	s.prompt("later")
	if _, end := s.scan(t, &Options{Since: s.now()}, ""); len(end.Opportunities) > 0 {
		t.Errorf("outside the period: got %v", end.Opportunities)
	}
}

func TestRulesAreOffWithoutARegistry(t *testing.T) {
	s := &script{dir: root(t, ".code-graph/graph.db")}
	grep(s)
	s.bash("npm install zod")
	s.edit("a.go")
	s.prompt("no, wrong")
	err := Session(s.session(), &Options{Root: s.dir}, func(sig *record.Signal) {
		if sig.Kind == record.Friction {
			return // the gate needs no registry
		}
		if sig.Kind != record.Session || len(sig.Evidence.(*record.SessionEvidence).Opportunities) > 0 {
			t.Errorf("got a %s of %s", sig.Kind, sig.Detector)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func commit(hash string, at time.Time, subject string, files ...string) repo.Commit {
	return repo.Commit{Hash: strings.Repeat(hash, 40), Time: at, Subject: subject, Files: files}
}

func TestDefect(t *testing.T) {
	// The session commits at 08:01 and its call ends at 08:02.
	at := time.Date(2026, 3, 1, 8, 1, 30, 0, time.UTC)
	day := func(n int) time.Time { return at.AddDate(0, 0, -n) }
	const one = `{"count":1,"days":14,"files":["x.go"],"fix":"aaaaaaaaaaaa","origin":"bbbbbbbbbbbb"}`
	tests := []struct {
		name string
		log  []repo.Commit
		want string
	}{
		{"a fix of the day before", []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", day(2), "feat: x", "x.go")}, one},
		{"two files of one origin", []repo.Commit{commit("a", at, "fix: x", "b.go", "a.go"), commit("b", day(2), "feat", "a.go", "b.go")},
			`{"count":2,"days":14,"files":["a.go","b.go"],"fix":"aaaaaaaaaaaa","origin":"bbbbbbbbbbbb"}`},
		{"two origins", []repo.Commit{commit("a", at, "fix: x", "a.go", "b.go"), commit("b", day(2), "feat", "a.go"), commit("c", day(3), "feat", "b.go")},
			`{"count":1,"days":14,"files":["a.go"],"fix":"aaaaaaaaaaaa","origin":"bbbbbbbbbbbb"} {"count":1,"days":14,"files":["b.go"],"fix":"aaaaaaaaaaaa","origin":"cccccccccccc"}`},
		{"fixes typo", []repo.Commit{commit("a", at, "fixes typo", "x.go"), commit("b", day(2), "feat", "x.go")}, ""},
		{"bugfix", []repo.Commit{commit("a", at, "bugfix: z", "x.go"), commit("b", day(2), "feat", "x.go")}, ""},
		{"Hotfix(api)", []repo.Commit{commit("a", at, "Hotfix(api): y", "x.go"), commit("b", day(2), "feat", "x.go")}, one},
		{"the older one, not the later", []repo.Commit{commit("d", at.Add(time.Hour), "feat", "x.go"), commit("a", at, "fix: x", "x.go"), commit("b", day(2), "feat", "x.go")}, one},
		{"fixes in between are no origin", []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("c", day(1), "fix: w", "x.go"), commit("b", day(2), "feat", "x.go")}, one},
		{"another file", []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", day(2), "feat", "y.go")}, ""},
		{"fourteen days before", []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", day(14), "feat", "x.go")}, one},
		{"twenty days before", []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", day(20), "feat", "x.go")}, ""},
		{"a fix after the session", []repo.Commit{commit("a", at.AddDate(0, 0, 7), "fix: x", "x.go"), commit("b", day(2), "feat", "x.go")}, ""},
		{"a fix before the session", []repo.Commit{commit("a", day(1), "fix: x", "x.go"), commit("b", day(2), "feat", "x.go")}, ""},
		{"somebody else's fix during the session", []repo.Commit{commit("a", at.Add(5*time.Minute), "fix: x", "x.go"), commit("b", day(2), "feat", "x.go")}, ""},
		{"not ascii", []repo.Commit{commit("a", at, "fix: x", "d/ü.ts"), commit("b", day(2), "feat", "d/ü.ts")},
			`{"count":1,"days":14,"files":["d/ü.ts"],"fix":"aaaaaaaaaaaa","origin":"bbbbbbbbbbbb"}`},
	}
	for _, test := range tests {
		s := &script{dir: root(t, ".git/")}
		s.bash("git commit -am x")
		s.minute += 20
		s.bash("ls")
		opt := &Options{Root: s.dir, Log: func(dir string, since, until time.Time) ([]repo.Commit, error) {
			if filepath.Clean(dir) != s.dir || since.After(day(15)) {
				t.Errorf("%s: log of %s since %s", test.name, dir, since)
			}
			return test.log, nil
		}}
		got, _ := s.scan(t, opt, "defect")
		if e := evidenceText(t, got); e != test.want {
			t.Errorf("%s: got %s, want %s", test.name, e, test.want)
		}
		for _, g := range got {
			if !g.TS.Time().Equal(at) {
				t.Errorf("%s: stamped %s, want the commit's time", test.name, g.TS)
			}
		}
	}
}

func TestDefectOfACommitByHand(t *testing.T) {
	log := func(minute int) func(string, time.Time, time.Time) ([]repo.Commit, error) {
		at := time.Date(2026, 3, 1, 8, minute, 0, 0, time.UTC)
		return func(string, time.Time, time.Time) ([]repo.Commit, error) {
			return []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", at.AddDate(0, 0, -2), "feat", "x.go")}, nil
		}
	}
	tests := []struct {
		name   string
		edited string
		minute int
		want   int
	}{
		{"of an edited file", "x.go", 2, 1},
		{"of another file", "y.go", 2, 0},
		{"before the edit", "x.go", 0, 0},
		{"after the session", "x.go", 9, 0},
	}
	for _, test := range tests {
		s := &script{dir: root(t, ".git/")}
		s.edit(test.edited)
		s.prompt("thanks")
		s.prompt("done")
		got, _ := s.scan(t, &Options{Root: s.dir, Log: log(test.minute)}, "defect")
		if len(got) != test.want {
			t.Errorf("%s: got %s", test.name, evidenceText(t, got))
		}
	}
}

func TestDefectRepositories(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"below the root", []string{"ui/.git/", "api/.git", "node_modules/.git/", ".x/.git/", "docs/"}, `["api/x.go"] ["ui/x.go"]`},
		{"the root alone", []string{".git/", "sub/.git/"}, `["x.go"]`},
		{"five at most", []string{"a/.git", "b/.git", "c/.git", "d/.git", "e/.git", "f/.git"}, `["a/x.go"] ["b/x.go"] ["c/x.go"] ["d/x.go"] ["e/x.go"]`},
		{"none", []string{"docs/"}, ""},
	}
	at := time.Date(2026, 3, 1, 8, 1, 30, 0, time.UTC)
	for _, test := range tests {
		s := &script{dir: root(t, test.files...)}
		s.bash("git -C ui commit -m x")
		got, _ := s.scan(t, &Options{Root: s.dir, Log: func(string, time.Time, time.Time) ([]repo.Commit, error) {
			return []repo.Commit{commit("a", at, "fix: x", "x.go"), commit("b", at.AddDate(0, 0, -2), "feat", "x.go")}, nil
		}}, "defect")
		var files []string
		for _, g := range got {
			text, _ := json.Marshal(g.Evidence.(*record.DefectEvidence).Files)
			files = append(files, string(text))
		}
		if f := strings.Join(files, " "); f != test.want {
			t.Errorf("%s: got %s, want %s", test.name, f, test.want)
		}
	}
	s := &script{dir: root(t, ".git/")}
	s.bash("git commit -m x")
	if got, _ := s.scan(t, &Options{Root: s.dir, Log: func(string, time.Time, time.Time) ([]repo.Commit, error) { return nil, fs.ErrPermission }}, "defect"); len(got) > 0 {
		t.Error("a history that cannot be read gives signals")
	}
}

// decision is what a hook noted at a call.
func decision(rule string, action record.Action, id string) record.Signal {
	identifier, _ := record.NewIdentifier(id)
	s := record.NewRuleSignal(&record.DecisionEvidence{Action: action, ToolUseID: identifier})
	s.Rule, s.SessionID = record.NewName(rule), record.NewSessionID("s1")
	return s
}

func TestOutcomes(t *testing.T) {
	tasks := "openspec/changes/q/tasks.md"
	tests := []struct {
		name  string
		steps func(*script) []record.Signal
		want  string
	}{
		{"scope, corrected and reconciled", func(s *script) []record.Signal {
			id := s.edit("lib/z.go")
			s.result(id, "done", false)
			s.prompt("no, wrong file")
			s.edit(tasks)
			return []record.Signal{decision("scope", record.Warned, id)}
		}, `{"action":"warned","corrected":true,"delivered":null,"proceeded":true,"reconciled":true,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"a call that is not there", func(s *script) []record.Signal {
			s.edit("lib/z.go")
			return []record.Signal{decision("scope", record.Warned, "toolu_9")}
		}, ""},
		{"another session's decision", func(s *script) []record.Signal {
			d := decision("scope", record.Warned, s.edit("lib/z.go"))
			d.SessionID = record.NewSessionID("s2")
			return []record.Signal{d}
		}, ""},
		{"written twice", func(s *script) []record.Signal {
			id := s.edit("lib/z.go")
			return []record.Signal{decision("no-new-deps", record.Suppressed, id), decision("no-new-deps", record.Suppressed, id)}
		}, `{"action":"suppressed","corrected":false,"delivered":null,"proceeded":false,"reconciled":null,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"generated, blocked and tried again", func(s *script) []record.Signal {
			id := s.edit("out/a.js")
			s.result(id, "PreToolUse:Edit hook error: [retro-scan hook]: BLOCKED: out/a.js", true)
			s.edit("out/a.js")
			return []record.Signal{decision("generated-files", record.Blocked, id)}
		}, `{"action":"blocked","corrected":false,"delivered":true,"proceeded":false,"reconciled":false,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"generated, blocked and left", func(s *script) []record.Signal {
			id := s.edit("out/a.js")
			s.result(id, "PreToolUse:Edit hook error: [retro-scan hook]: BLOCKED: out/a.js", true)
			s.edit("src/a.js")
			return []record.Signal{decision("generated-files", record.Blocked, id)}
		}, `{"action":"blocked","corrected":false,"delivered":true,"proceeded":false,"reconciled":true,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"defect, reviewed later", func(s *script) []record.Signal {
			id := s.bash("git commit -m x")
			s.tool("Skill", map[string]string{"skill": "coograph:coograph-verify"})
			return []record.Signal{decision("defect", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":null,"proceeded":true,"reconciled":true,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"refused by the person", func(s *script) []record.Signal {
			id := s.tool("Bash", map[string]string{"command": "npm i zod"})
			s.result(id, "The user doesn't want to proceed with this tool use. The tool use was rejected.", true)
			return []record.Signal{decision("no-new-deps", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":null,"proceeded":false,"reconciled":null,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"gate, touched before only", func(s *script) []record.Signal {
			s.bash("ls openspec/changes")
			id := s.edit("lib/b.go")
			return []record.Signal{decision("openspec-gate", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":null,"proceeded":false,"reconciled":false,"repeated":0,"tool_use_id":"toolu_2"}`},
		{"delivered", func(s *script) []record.Signal {
			id := s.bash("npm i zod")
			s.attach(map[string]any{"type": "hook_additional_context", "hookName": "PreToolUse:Bash", "toolUseID": id, "content": []string{"[no-new-deps] adding a dependency (npm)."}})
			return []record.Signal{decision("no-new-deps", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":true,"proceeded":true,"reconciled":null,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"a rule of another name", func(s *script) []record.Signal {
			id := s.edit("lib/z.go")
			s.attach(map[string]any{"type": "hook_system_message", "toolUseID": id, "content": "[warn-scope] editing lib/z.go"})
			s.edit(tasks)
			d := decision("stay-inside", record.Warned, id)
			d.Evidence.(*record.DecisionEvidence).Hook = record.NewName("warn-scope.py")
			return []record.Signal{d}
		}, `{"action":"warned","corrected":false,"delivered":true,"proceeded":false,"reconciled":true,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"another hook's words", func(s *script) []record.Signal {
			id := s.bash("npm i zod")
			s.attach(map[string]any{"type": "hook_additional_context", "hookName": "PreToolUse:Bash", "toolUseID": id, "content": []string{"something else"}})
			return []record.Signal{decision("no-new-deps", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":false,"proceeded":true,"reconciled":null,"repeated":0,"tool_use_id":"toolu_1"}`},
		{"a version that shows hooks", func(s *script) []record.Signal {
			s.version = "2.1.220"
			id := s.bash("npm i zod")
			return []record.Signal{decision("no-new-deps", record.Warned, id)}
		}, `{"action":"warned","corrected":false,"delivered":false,"proceeded":true,"reconciled":null,"repeated":0,"tool_use_id":"toolu_1"}`},
	}
	for _, test := range tests {
		s := &script{dir: root(t), version: "2.1.50"}
		decisions := test.steps(s)
		opt := &Options{Root: s.dir, Decisions: decisions}
		got, _ := s.scan(t, opt, "outcome")
		if e := evidenceText(t, got); e != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, e, test.want)
		}
		again, _ := s.scan(t, opt, "outcome")
		if fmt.Sprint(len(again), evidenceText(t, again)) != fmt.Sprint(len(got), evidenceText(t, got)) {
			t.Errorf("%s: another scan gives other outcomes", test.name)
		}
	}
}

func TestOutcomesRepeat(t *testing.T) {
	s := &script{dir: "/w/p"}
	var decisions []record.Signal
	for _, file := range []string{"a.go", "b.go", "c.go"} {
		decisions = append(decisions, decision("scope", record.Warned, s.edit(file)))
		s.edit("between.go")
	}
	got, _ := s.scan(t, &Options{Decisions: decisions}, "outcome")
	var repeats []int
	for _, g := range got {
		repeats = append(repeats, g.Evidence.(*record.OutcomeEvidence).Repeated)
	}
	if fmt.Sprint(repeats) != "[2 1 0]" {
		t.Errorf("got %v, want [2 1 0]", repeats)
	}
}

func TestCompareVersions(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"2.1.119", "2.1.119", 0}, {"2.1.97", "2.1.119", -1}, {"2.2", "2.1.119", 1}, {"", "2.1.119", -1}, {"x.y", "0", 0}} {
		if got := compareVersions(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestNoTextInRuleSignals plants a mark wherever a session, its history and its
// decisions hold text, lets every rule detector fire, and looks for the mark in
// what comes out.
func TestNoTextInRuleSignals(t *testing.T) {
	const mark = `<|SENTINEL 7|>`
	s := &script{dir: root(t, ".code-graph/graph.db", ".git/"), version: "2.1.220"}
	s.tool("Grep", map[string]string{"pattern": mark, "path": mark})
	s.tool("Grep", map[string]string{"pattern": mark})
	s.tool("Edit", map[string]string{"file_path": s.dir + "/lib/a.go", "old_string": mark, "new_string": mark})
	s.tool("Edit", map[string]string{"file_path": s.dir + "/lib/" + mark + ".go"})
	s.edit("lib/b.go")
	s.tool("Edit", map[string]string{"file_path": mark + "/package.json"})
	id := s.bash("npm install '" + mark + "' zod")
	s.attach(map[string]any{"type": "hook_additional_context", "toolUseID": id, "content": []string{"[no-new-deps] " + mark}})
	for range 3 {
		s.fail("'"+mark+"' all", "Exit code 2\n"+mark)
	}
	s.prompt("no, wrong " + mark)
	at := s.now()
	s.bash("git commit -m '" + mark + "'")
	opt := &Options{Root: s.dir, Decisions: []record.Signal{decision("no-new-deps", record.Warned, id)},
		Log: func(string, time.Time, time.Time) ([]repo.Commit, error) {
			return []repo.Commit{commit("a", at.Add(time.Minute), "fix: "+mark, "x.go", mark+"/y.go"), commit("b", at.AddDate(0, 0, -1), mark, "x.go", mark+"/y.go")}, nil
		}, Registry: rules.Default()}
	fired := map[string]bool{}
	err := Session(s.session(), opt, func(sig *record.Signal) {
		fired[sig.Detector.String()] = true
		text, err := json.Marshal(sig)
		if err != nil || strings.Contains(string(text), "SENTINEL") {
			t.Errorf("%v: %s", err, text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"graph-first", "openspec-gate", "new-dependency", "build-retry", "user-correction", "defect", "outcome"} {
		if !fired[name] {
			t.Errorf("%s did not fire", name)
		}
	}
}
