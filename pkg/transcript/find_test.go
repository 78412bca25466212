package transcript

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// tree writes files below a new directory; a name that ends in `@` is a
// symbolic link to its content.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		link := strings.HasSuffix(name, "@")
		path := filepath.Join(root, strings.TrimSuffix(name, "@"))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if link {
			if err := os.Symlink(filepath.Join(root, content), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func firstRecord(session, dir string) string {
	return `{"type":"summary","summary":"x"}` + "\n" + `{"type":"user","sessionId":"` + session + `","cwd":"` + dir + `","message":{"content":"hi"}}` + "\n"
}

// found lists sessions as `path +subagents -copies`, relative to the root.
func found(root string, sessions []*Session) string {
	var out []string
	for _, s := range sessions {
		rel, _ := filepath.Rel(root, s.Main.Path)
		line := filepath.ToSlash(rel)
		for _, a := range s.Subagents {
			line += " +" + filepath.Base(a.Path)
		}
		if s.Copies > 0 {
			line += " -copy"
		}
		out = append(out, line)
	}
	return strings.Join(out, "|")
}

func TestFindPaths(t *testing.T) {
	root := tree(t, map[string]string{
		"p/s1.jsonl":                                  firstRecord("s1", "/w"),
		"p/s1/subagents/agent-b.jsonl":                firstRecord("s1", "/w"),
		"p/s1/subagents/workflows/wf_1/agent-a.jsonl": firstRecord("s1", "/w"),
		"p/s1/subagents/workflows/wf_1/journal.jsonl": "{}",
		"p/s1/subagents/agent-acompact-9.jsonl":       firstRecord("s1", "/w"),
		"p/s1/tool-results/x.txt":                     "big",
		"p/s2.jsonl":                                  firstRecord("s2", "/w"),
		"p/agent-77.jsonl":                            firstRecord("s2", "/w"),
		"p/gone/subagents/agent-1.jsonl":              firstRecord("gone", "/w"),
		"p/notes.txt":                                 "no",
		"q/s3.jsonl":                                  firstRecord("s3", "/w"),
		"loop@":                                       "",
		"same.jsonl@":                                 "q/s3.jsonl",
	})
	finder := NewFinder(true)
	var skipped []string
	finder.Skipped = func(path, reason string) {
		rel, _ := filepath.Rel(root, path)
		skipped = append(skipped, filepath.ToSlash(rel)+": "+reason)
	}
	if got, want := found(root, finder.Path(root)), "p/s1.jsonl +agent-b.jsonl +agent-a.jsonl -copy|p/s2.jsonl +agent-77.jsonl|q/s3.jsonl"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := []string{
		"loop: directory read already",
		"p/gone/subagents: companion of a session whose transcript is gone",
		"same.jsonl: read already under another name",
	}
	if !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	if got := found(root, NewFinder(false).Path(filepath.Join(root, "p/s1.jsonl"))); got != "p/s1.jsonl" {
		t.Errorf("without sub-agents: %s", got)
	}
	if got := NewFinder(true).Path(filepath.Join(root, "missing.jsonl")); len(got) != 1 {
		t.Errorf("a missing path gives %d sessions, want one that fails", len(got))
	}
}

func TestFindProject(t *testing.T) {
	root := tree(t, map[string]string{
		"-p-repo/a.jsonl":                     firstRecord("a", "/p/repo"),
		"-p-repo/b.jsonl":                     firstRecord("b", "/p/repo/sub"),
		"-p-repo/c.jsonl":                     firstRecord("c", "/p-repo"),
		"-p-repo/none.jsonl":                  `{"type":"summary"}`,
		"-p-repo-tools/d.jsonl":               firstRecord("d", "/p/repo-tools"),
		"-p-repo--claude-worktrees-x/a.jsonl": firstRecord("a", "/p/repo") + firstRecord("a", "/p/repo/.claude/worktrees/x"),
		"-p-repo-wt-y/e.jsonl":                firstRecord("e", "/p/repo.wt/y"),
		"-other/f.jsonl":                      firstRecord("f", "/p/repo"),
	})
	if got, want := found(root, NewFinder(true).Project(root, "/p/repo")), "-p-repo--claude-worktrees-x/a.jsonl|-p-repo/b.jsonl|-p-repo-wt-y/e.jsonl"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"-p-repo/a.jsonl", "-p-repo--claude-worktrees-x/a.jsonl"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(firstRecord("a", "/p/repo")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(root, "-p-repo--claude-worktrees-x/a.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	if got := found(root, NewFinder(true).Project(root, "/p/repo")); !strings.HasPrefix(got, "-p-repo/a.jsonl|") {
		t.Errorf("of equal copies the newest must stand: %s", got)
	}
}

func TestSlug(t *testing.T) {
	for path, want := range map[string]string{"/home/me/app": "-home-me-app", `C:\me\code\app`: "C--me-code-app", "/p/my.app_1": "-p-my-app-1", "/p/외주": "-p---"} {
		if got := Slug(path); got != want {
			t.Errorf("Slug(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestCompressed(t *testing.T) {
	plain := []byte(user(`"hi"`) + "\n")
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(plain)
	g.Close()
	z, _ := zstd.NewWriter(&zst)
	z.Write(plain)
	z.Close()
	root := tree(t, map[string]string{"a.jsonl.gz": gz.String(), "b.jsonl.zst": zst.String(), "c.jsonl": gz.String(), "e.jsonl": ""})
	for _, name := range []string{"a.jsonl.gz", "b.jsonl.zst", "c.jsonl"} {
		check(t, trace(t, AtPath(filepath.Join(root, name), true)), `prompt "hi" (human, turn 0)`)
	}
	check(t, trace(t, AtPath(filepath.Join(root, "e.jsonl"), true)))
}

// TestDamagedCompression reads what cannot be unpacked: what was read before stays,
// and the error says why.
func TestDamagedCompression(t *testing.T) {
	text := []byte(strings.Repeat(user(`"hi"`)+"\n", 2000))
	var gz, zst, wide bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(text)
	g.Close()
	z, _ := zstd.NewWriter(&zst)
	z.Write(text)
	z.Close()
	w, _ := zstd.NewWriter(&wide, zstd.WithWindowSize(64<<20))
	for range 40 { // more than one block, or the frame says its size and needs no window
		w.Write(text)
		w.Flush()
	}
	w.Close()
	for name, want := range map[string]struct {
		text []byte
		err  error
	}{
		"cut.gz":    {gz.Bytes()[:gz.Len()/2], ErrCompressed},
		"head.gz":   {gz.Bytes()[:5], ErrCompressed},
		"cut.zst":   {zst.Bytes()[:zst.Len()/2], ErrCompressed},
		"other.zst": {append([]byte{0x28, 0xB5, 0x2F, 0xFD}, "no frame of zstd at all"...), ErrCompressed},
		"wide.zst":  {wide.Bytes(), ErrWindow},
	} {
		root := tree(t, map[string]string{name: string(want.text)})
		if _, err := AtPath(filepath.Join(root, name), true).Read(Handler{}); err != want.err {
			t.Errorf("%s: %v, want %v", name, err, want.err)
		}
	}
}
