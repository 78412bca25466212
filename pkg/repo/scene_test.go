package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scene is a repository that a test builds, with nothing of the machine's own
// git configuration in it.
type scene struct {
	t    testing.TB
	dir  string
	home string
	date string // of the next commits
	env  map[string]string
	git  *Git
}

func newScene(t testing.TB) *scene {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, dir: filepath.Join(base, "repo"), home: filepath.Join(base, "home"), date: "2026-01-01T00:00:00Z"}
	for _, dir := range []string{s.dir, s.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": s.home, "TMPDIR": t.TempDir()}
	if s.git, err = NewGit(s.getenv, 0); err != nil {
		t.Fatal(err)
	}
	s.run("init", "-q", "-b", "main")
	return s
}

func (s *scene) getenv(name string) string { return s.env[name] }

// at is the same scene seen from another directory.
func (s *scene) at(dir string) *scene {
	other := *s
	other.dir = dir
	return &other
}

// run runs git in the scene's directory and returns its output.
func (s *scene) run(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + s.date, "GIT_COMMITTER_DATE=" + s.date, "GIT_EDITOR=true",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// write writes a file of the worktree.
func (s *scene) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// commit commits files given as name, content, name, content.
func (s *scene) commit(date, message string, files ...string) {
	s.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		s.write(files[i], files[i+1])
	}
	s.date = date
	s.run("add", "-A")
	s.run("commit", "-q", "-m", message)
}
