package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

func TestInMarkdown(t *testing.T) {
	const text = "# Repos\n\n| name | Path | note |\n|---|:---|---|\n| a | `../a` | x |\r\n| b | [b](sub/b) | |\n| c | ~/c\\|d | |\n| d | | |\n| e | /abs/./e |\n\n" +
		"Text with a | bar.\n\n```\n| path |\n|---|\n| no |\n```\n\n| head | tail |\n| --- | --- |\n| not/this | nor/that |\n\nLocal directory | Owner\n--- | ---\n**plain** | me\n"
	places, found := InMarkdown(text, "/w", "/home/me")
	var got []string
	for _, p := range places {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Dir))
	}
	want := []string{"5 /a", "6 /w/sub/b", "7 /home/me/c|d", "9 /abs/e", "25 /w/plain"}
	if !found || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, found, want)
	}
	if places, found := InMarkdown("| a | b |\n|---|---|\n| x | y |\n", "/w", ""); found || places != nil {
		t.Errorf("got %v, %v from a table without paths", places, found)
	}
}

func FuzzInMarkdown(f *testing.F) {
	f.Add("| path |\n|---|\n| a |\n")
	f.Add("path|\n-|\n```\n[a](b)|")
	f.Fuzz(func(t *testing.T, text string) {
		places, found := InMarkdown(text, "/w", "/h")
		if len(places) > 0 && !found {
			t.Error("places without a table")
		}
		for _, p := range places {
			if !filepath.IsAbs(p.Dir) || p.Line < 3 || p.Line > strings.Count(text, "\n")+1 {
				t.Errorf("got %+v", p)
			}
		}
	})
}

func TestInDirectory(t *testing.T) {
	s := cloned(t)
	s.tree(filepath.Join(s.base(), "linked"), "linked")
	for _, dir := range []string{"plain", "plain/deep"} {
		if err := os.Mkdir(filepath.Join(s.base(), dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	places, err := InDirectory(s.base())
	var got []string
	for _, p := range places {
		got = append(got, filepath.Base(p.Dir))
	}
	if want := []string{"linked", "origin.git", "repo"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func sessionLine(t *testing.T, sessions *Sessions, id, started, rest string) {
	t.Helper()
	var s record.Signal
	line := fmt.Sprintf(`{"v":1,"kind":"session","session_id":%q,"detector":"session","evidence":{"started":%q%s}}`, id, started, rest)
	if err := ndjson.Unmarshal([]byte(line), &s); err != nil {
		t.Fatal(err)
	}
	sessions.Add(&s)
}

func TestSessions(t *testing.T) {
	s := cloned(t)
	tree := filepath.Join(s.base(), "a-tree")
	s.tree(tree, "topic")
	s.land("topic")
	s.run("push", "-q", "origin", "topic")
	project := func(dir string) string {
		return `,"project":"` + filepath.Base(dir) + "-" + record.HashOf(8, dir).String() + `"`
	}
	for _, c := range []struct {
		name  string
		lines [][3]string // id, started, rest
		want  string
	}{
		{"the earliest of the repository", [][3]string{
			{"late", "2026-01-03T00:00:00Z", project(s.dir) + `,"branch_first":"topic"`},
			{"first", "2026-01-02T00:00:00Z", project(s.dir) + `,"branch_first":"main","branch_last":"topic"`},
			{"other", "2026-01-01T00:00:00Z", project("/elsewhere") + `,"branch_last":"topic"`},
			{"alike", "2026-01-01T00:00:00Z", project("/elsewhere/repo") + `,"branch_last":"topic"`},
			{"nowhere", "2026-01-01T00:00:00Z", `,"branch_last":"topic"`},
		}, "first"},
		{"a session in the worktree", [][3]string{{"in-tree", "2026-01-02T00:00:00Z", project(tree) + `,"branch_last":"topic"`}}, "in-tree"},
		{"a repository that was moved", [][3]string{{"alike", "2026-01-01T00:00:00Z", project("/elsewhere/repo") + `,"branch_last":"topic"`}}, "alike"},
		{"another project", [][3]string{{"other", "2026-01-01T00:00:00Z", project("/elsewhere") + `,"branch_last":"topic"`}}, ""},
		{"another branch", [][3]string{{"other", "2026-01-01T00:00:00Z", project(s.dir) + `,"branch_last":"topic2"`}}, ""},
		{"no name at all", [][3]string{{"other", "2026-01-01T00:00:00Z", project(s.dir) + `,"branch_last":"a branch"`}}, ""},
	} {
		sessions := new(Sessions)
		for _, l := range c.lines {
			sessionLine(t, sessions, l[0], l[1], l[2])
		}
		rows := s.leftovers(Options{Sessions: sessions})
		if len(rows) != 3 {
			t.Fatalf("got %d rows", len(rows))
		}
		for _, row := range rows { // worktree, local branch, remote branch
			if row.SessionID.String() != c.want {
				t.Errorf("%s: %s: got session %q, want %q", c.name, row.Leftover, row.SessionID, c.want)
			}
		}
	}
	sessions := new(Sessions)
	sessionLine(t, sessions, "by-tree", "2026-01-01T00:00:00Z", project(s.dir)+`,"branch_last":"main","worktree":"a-tree"`)
	rows := s.leftovers(Options{Sessions: sessions})
	if got := rows[0].SessionID.String(); got != "by-tree" {
		t.Errorf("got %q by the name of the worktree", got)
	}
	if got := rows[2].SessionID.String(); got != "" {
		t.Errorf("got %q for the remote branch", got)
	}
}
