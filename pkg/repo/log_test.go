package repo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
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

	y2000 := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	history, err := s.git.Log(context.Background(), s.dir, y2000)
	if err != nil {
		t.Fatal(err)
	}
	all := history.Between(y2000, y2000.AddDate(100, 0, 0))
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

	third := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	late, err := s.git.Log(context.Background(), filepath.Join(s.dir, "dir\n"), third)
	if err != nil || len(late.commits) != 1 || late.commits[0].Subject != "rename" {
		t.Errorf("since: got %+v, %v", late, err)
	}
	if early := history.Between(y2000, third); len(early) != 3 || early[0].Subject != "nothing" {
		t.Errorf("until: got %+v", early)
	}
}

func TestLogOfEmptyRepository(t *testing.T) {
	s := newScene(t)
	got, err := s.git.Log(context.Background(), s.dir, time.Time{})
	if err != nil || len(got.commits) > 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("\x00abc\x00def ace\x0012\x00subject\x00\x00\na\x00b\nc\x00\x00def\x00\x0013\x00empty\x00\x00")
	f.Fuzz(func(t *testing.T, out string) {
		commits, err := parseLog(out)
		if err != nil && commits != nil {
			t.Error("commits with an error")
		}
		if len(commits)*6 > strings.Count(out, "\x00") {
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

// TestBetweenIsLog holds the cut of a long history against git's own answer, on
// histories with merges whose clocks were wrong.
func TestBetweenIsLog(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newScene(t)
		first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var script strings.Builder
		for i := range 40 {
			at := first.Add(time.Duration(i+rng.IntN(3)*(rng.IntN(20)-10)) * time.Hour).Unix()
			fmt.Fprintf(&script, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 2\nc\n", i+1, at)
			if i > 0 {
				fmt.Fprintf(&script, "from :%d\n", max(1, i-rng.IntN(4)))
			}
			if other := rng.IntN(i + 1); i > 4 && rng.IntN(3) == 0 && other > 0 {
				fmt.Fprintf(&script, "merge :%d\n", other)
			}
			fmt.Fprintf(&script, "M 644 inline f%d\ndata 1\nx\n\n", i)
		}
		cmd := exec.Command("git", "fast-import", "--quiet", "--force")
		cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(script.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fast-import: %v\n%s", err, out)
		}
		history, err := s.git.Log(context.Background(), s.dir, first.AddDate(0, 0, -5))
		if err != nil {
			t.Fatal(err)
		}
		skewed := false
		for hours := range 45 {
			since := first.Add(time.Duration(hours) * time.Hour)
			var got []string
			for _, c := range history.Between(since, first.AddDate(1, 0, 0)) {
				got = append(got, c.Hash)
			}
			want := s.run("log", "--no-merges", "--format=%H", "--since="+since.Format(time.RFC3339))
			if strings.Join(got, "\n") != want {
				t.Fatalf("seed %d, since %d h: got\n%s\nwant\n%s", seed, hours, strings.Join(got, "\n"), want)
			}
			rest := 0
			for _, c := range history.commits {
				if !c.merge && !c.Time.Before(since) {
					rest++
				}
			}
			skewed = skewed || rest > len(got)
		}
		if !skewed {
			t.Errorf("seed %d: no clock was wrong enough to matter", seed)
		}
	}
}
