package instruct

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// project makes a file system of file, text pairs.
func project(pairs ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return files
}

func mustMeasure(t *testing.T, pairs ...string) *Measured {
	t.Helper()
	m, err := Measure(project(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"abcd", 1},
		{"abc", 0},
		{strings.Repeat("x", 44000), 11000},
		{strings.Repeat("字", 10), 9},
		{strings.Repeat("ы", 100), 32},
		{"\xff\xff\xff\xff", 1},
	} {
		if got := Tokens([]byte(c.text)); got != c.want {
			t.Errorf("%.10q: got %d, want %d", c.text, got, c.want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name       string
		files      []string
		over       int
		structural []string
		bad        bool
	}{
		{"over, not structural", []string{"CLAUDE.md", strings.Repeat("x", 44000)}, 1, nil, true},
		{"structural", []string{"CLAUDE.md", strings.Repeat("x", 45004)}, 1, []string{"always-loaded over budget x structural_factor"}, true},
		{"exactly the factor", []string{"CLAUDE.md", strings.Repeat("x", 45000)}, 1, nil, true},
		{"router at twice", []string{"a/AGENTS.md", strings.Repeat("x", 16000)}, 1, nil, true},
		{"router over twice", []string{"a/AGENTS.md", strings.Repeat("x", 16004)}, 1, []string{"a/AGENTS.md over twice its budget"}, true},
		{"dates", []string{"CLAUDE.md", "# 2026-01-02\n## A 2026-01-03\n### x (OpenSpec y)\n```\n# 2026-01-01\n```\n"}, 0, []string{"CLAUDE.md has 3 dated headings"}, false},
		{"two dates", []string{"CLAUDE.md", "# 2026-01-02\n## A 2026-01-03\n#2026-01-03\n"}, 0, nil, false},
		{"calm", []string{"CLAUDE.md", "x"}, 0, nil, false},
		{"nothing", nil, 0, nil, false},
	} {
		m := mustMeasure(t, c.files...)
		if len(m.Layout.Over) != c.over || !slices.Equal(m.Layout.Structural, c.structural) || m.Bad() != c.bad {
			t.Errorf("%s: got %d over, %q, bad %v", c.name, len(m.Layout.Over), m.Layout.Structural, m.Bad())
		}
	}
}

func TestImports(t *testing.T) {
	m := mustMeasure(t,
		"CLAUDE.md", "See @docs/a.md, and @./b.md. Ask @Planner, @scope/pkg or me@x.md.\n`@code.md` and\n```\n@fenced.md\n```\n@~/home.md @missing.md @../out.md @README\n",
		"docs/a.md", "@c.md @a.md", "docs/c.md", "@../docs/d.md", "docs/d.md", "@e.md", "docs/e.md", "@f.md", "docs/f.md", "never", "b.md", "x", "README", "xx")
	var files, missing []string
	for _, f := range m.Layout.AlwaysLoaded.Files {
		files = append(files, f.File.String())
	}
	for _, r := range m.Layout.Missing {
		missing = append(missing, fmt.Sprintf("%s:%d %s", r.File, r.Line, r.Target))
	}
	if want := []string{"CLAUDE.md", "docs/a.md", "b.md", "README", "docs/c.md", "docs/d.md", "docs/e.md"}; !slices.Equal(files, want) {
		t.Errorf("files: got %q, want %q", files, want)
	}
	if want := []string{"CLAUDE.md:6 missing.md", "CLAUDE.md:6 ../out.md"}; !slices.Equal(missing, want) {
		t.Errorf("missing: got %q, want %q", missing, want)
	}
}

func TestRepeatedAndPadded(t *testing.T) {
	long := strings.Repeat("word ", 30)
	m := mustMeasure(t, "CLAUDE.md", "a\n\n"+long+"\n", "AGENTS.md", strings.ReplaceAll(long, " ", "\n"), "docs/features/x.md", long+"\n\n| a "+strings.Repeat(" ", 1024)+"|\n")
	if r := m.Layout.Repeated; len(r) != 1 || len(r[0].Places) != 2 || r[0].Places[0].Line != 3 || r[0].Characters != 149 {
		t.Errorf("repeated: got %+v", r)
	}
	if p := m.Layout.Padding; len(p) != 1 || p[0].File.String() != "docs/features/x.md" || p[0].Bytes != 1025 {
		t.Errorf("padding: got %+v", p)
	}
}

func TestStaleGlobs(t *testing.T) {
	m := mustMeasure(t, "src/a.ts", "", "node_modules/x.rb", "",
		".github/instructions/a.instructions.md", "---\napplyTo: \"src/**,gone/**\"\n---\napplyTo: x/**\n",
		".claude/rules/b.md", "---\npaths:\n  - \"src/*.{ts,tsx}\"\n  - '**/*.rb'\nother: x\n---\n",
		".claude/rules/open.md", "---\npaths: nowhere/**\n")
	var got []string
	for _, r := range m.Layout.Stale {
		got = append(got, fmt.Sprintf("%s:%d %s", r.File, r.Line, r.Target))
	}
	if want := []string{".github/instructions/a.instructions.md:2 gone/**", ".claude/rules/b.md:4 **/*.rb"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGotchaEntries(t *testing.T) {
	entry := func(title, cause, paths string) string {
		return "## " + title + "\n- **Symptom:** s\n- **Cause:** " + cause + "\n- **Fix / rule:** f\n- **paths:** " + paths + "\n- **confirmed:** 2026-01-01\n- **commands:** `make proto`, npx x\n\n"
	}
	m := mustMeasure(t, "GOTCHAS.md", entry("One", "c", "gone/**")+entry("Two", "TODO(person)", ".env.local")+entry("One", "c", "api/"), ".env.local", "", "api/x/y.go", "",
		"a/GOTCHAS.md", entry("Two", "c", "x")+entry("Long "+strings.Repeat("x", 700), "c", "api/**"))
	want := []string{"one [] stale=true", "two [Cause] stale=false", "one [unique id] stale=false", "two [unique id] stale=true"}
	for i, g := range m.Gotchas[:4] {
		if got := fmt.Sprint(g.Gotcha, " ", g.Missing, " stale=", g.Stale); got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
	if g := m.Gotchas[1]; g.Line != 9 || len(g.Programs) != 2 || g.Programs[0].String() != "make" {
		t.Errorf("got %+v", g)
	}
	if o := m.Layout.Over; len(o) != 1 || o[0].Unit.String() != "bytes" || o[0].Gotcha == "" {
		t.Errorf("over: got %+v", o)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"version":1}`, ""},
		{`{"budgets":{"always_loaded":1},"other":[]}`, ""},
		{`[]`, "root"},
		{`{`, "root"},
		{`{"version":2}`, "version"},
		{`{"budgets":{"doc":-1}}`, "budgets.doc"},
		{`{"budgets":3}`, "budgets"},
		{`{"always_loaded":"x"}`, "always_loaded"},
		{`{"docs":["{a"]}`, "docs"},
		{`{"structural_factor":0.5}`, "structural_factor"},
		{`{"call":""}`, "call"},
	} {
		_, err := Measure(project(Path, c.text))
		var invalid *Invalid
		switch got := ""; {
		case errors.As(err, &invalid):
			got = invalid.Field
			fallthrough
		default:
			if got != c.want || got == "" && err != nil {
				t.Errorf("%s: got %q, %v, want %q", c.text, got, err, c.want)
			}
		}
	}
	m := mustMeasure(t, Path, `{"always_loaded":["docs/*.md"],"budgets":{"always_loaded":0}}`, "docs/a.md", "four", "CLAUDE.md", "not counted")
	if a := m.Layout.AlwaysLoaded; a.Total != 1 || !a.Over || m.Layout.Config != Path {
		t.Errorf("got %+v", m.Layout)
	}
}

func TestWorktreesAreLeftOut(t *testing.T) {
	m := mustMeasure(t, "w/.git", "gitdir: /r/.git/worktrees/w\n", "w/AGENTS.md", "x", "dist/AGENTS.md", "x", "sub/.git", "gitdir: ../.git/modules/sub\n", "sub/AGENTS.md", "x")
	if f := m.Layout.Router.Files; len(f) != 1 || f[0].File.String() != "sub/AGENTS.md" {
		t.Errorf("got %+v", f)
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add("# 2026\n@a.md\n", "---\napplyTo: a,{b\n---\n", "## x\n- **paths:** [a\n", `{"budgets":{}}`)
	f.Fuzz(func(t *testing.T, claude, scoped, gotchas, config string) {
		Measure(project("CLAUDE.md", claude, ".claude/rules/x.md", scoped, "GOTCHAS.md", gotchas, Path, config))
	})
}
