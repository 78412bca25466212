package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	s := newScene(t)
	s.commit("2026-01-01T10:00:00Z", "one\n\nbody", "a", "1\n")
	s.commit("2026-01-02T10:00:00Z", "fix: two\tü", "dir\n/b\nc", "1\n")
	s.run("commit", "-q", "--allow-empty", "-m", "nothing")
	s.run("mv", "a", "z")
	s.date = "2026-01-03T10:00:00Z"
	s.run("commit", "-q", "-m", "rename")

	all, err := s.git.Log(context.Background(), s.dir, time.Time{}.AddDate(1999, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		subject string
		files   []string
	}{
		{"rename", []string{"z"}}, {"nothing", nil}, {"fix: two\tü", []string{"dir\n/b\nc"}}, {"one", []string{"a"}},
	}
	if len(all) != len(want) {
		t.Fatalf("got %d commits, want %d", len(all), len(want))
	}
	for i, w := range want {
		if got := all[i]; got.Subject != w.subject || !slices.Equal(got.Files, w.files) || len(got.Hash) != 40 {
			t.Errorf("commit %d: got %+v, want %+v", i, got, w)
		}
	}
	if got := all[3].Time.Format(time.RFC3339); got != "2026-01-01T10:00:00Z" {
		t.Errorf("time: got %s", got)
	}

	late, err := s.git.Log(context.Background(), filepath.Join(s.dir, "dir\n"), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC))
	if err != nil || len(late) != 1 || late[0].Subject != "rename" {
		t.Errorf("since: got %+v, %v", late, err)
	}
}

func TestLogOfEmptyRepository(t *testing.T) {
	s := newScene(t)
	got, err := s.git.Log(context.Background(), s.dir, time.Time{})
	if got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("\x00abc\x0012\x00subject\x00\x00\na\x00b\nc\x00\x00def\x0013\x00empty\x00\x00")
	f.Fuzz(func(t *testing.T, out string) {
		commits, err := parseLog(out)
		if err != nil && commits != nil {
			t.Error("commits with an error")
		}
		if len(commits)*5 > strings.Count(out, "\x00") {
			t.Errorf("%d commits from too few fields", len(commits))
		}
	})
}

func TestOpen(t *testing.T) {
	s := newScene(t)
	s.commit("2026-01-01T10:00:00Z", "one", "sub/a", "1\n")
	linked := filepath.Join(t.TempDir(), "linked\nworktree")
	s.run("worktree", "add", "-q", linked, "-b", "side")
	bare := filepath.Join(t.TempDir(), "bare.git")
	s.run("clone", "-q", "--bare", s.dir, bare)
	separate := t.TempDir()
	s.run("clone", "-q", "--separate-git-dir", filepath.Join(separate, "meta"), s.dir, filepath.Join(separate, "tree"))

	for _, c := range []struct {
		dir, root, worktree string
		bare                bool
	}{
		{s.dir, s.dir, s.dir, false},
		{filepath.Join(s.dir, "sub"), s.dir, s.dir, false},
		{filepath.Join(s.dir, ".git"), s.dir, "", false},
		{linked, s.dir, linked, false},
		{bare, bare, "", true},
		{filepath.Join(separate, "tree"), filepath.Join(separate, "tree"), filepath.Join(separate, "tree"), false},
	} {
		r, err := s.git.Open(context.Background(), c.dir)
		if err != nil {
			t.Errorf("%q: %v", c.dir, err)
			continue
		}
		if r.Root != c.root || r.Worktree != c.worktree || r.Bare != c.bare || r.Submodule {
			t.Errorf("%q: got %+v", c.dir, r)
		}
	}
	for dir, want := range map[string]string{
		filepath.Join(s.dir, "nope"):     "no such directory",
		filepath.Join(s.dir, "sub", "a"): "not a directory",
		t.TempDir():                      "not a git repository",
	} {
		if _, err := s.git.Open(context.Background(), dir); err == nil || err.Error() != want {
			t.Errorf("%q: got error %v, want %q", dir, err, want)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	s := newScene(t)
	g, err := NewGit(s.getenv, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(context.Background(), s.dir); err == nil || err.Error() != "git rev-parse: "+ErrTimeLimit.Error() {
		t.Errorf("got %v", err)
	}
	s.env["PATH"] = "bin:" + os.DevNull
	if _, err := NewGit(s.getenv, 0); err != ErrNoGit {
		t.Errorf("got %v", err)
	}
}
