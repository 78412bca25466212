package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"retro/pkg/record"
)

// checkLayout finds what cannot be made: items of no or two kinds, and paths
// that lead out of the home.
func checkLayout(layout []record.LayoutItem, home string) error {
	var faults []error
	for i, item := range layout {
		kinds := 0
		for _, place := range []string{item.Dir, item.File, item.Repo, item.Worktree} {
			if place != "" {
				kinds++
			}
		}
		switch {
		case kinds != 1:
			faults = append(faults, fmt.Errorf("layout item %d: want one of dir, file, repo and worktree", i+1))
		case item.Worktree != "" && (item.Of == "" || item.Branch == ""):
			faults = append(faults, fmt.Errorf(`layout item %d: a worktree needs its repository in "of" and a branch`, i+1))
		case !fits(item.Dir+item.File+item.Repo+item.Worktree, home), item.Of != "" && !fits(item.Of, home):
			faults = append(faults, fmt.Errorf("layout item %d: its path leads out of the home", i+1))
		}
	}
	return errors.Join(faults...)
}

// fits tells whether a path of a layout stays in the home.
func fits(place, home string) bool {
	_, ok := relative(place, home)
	return ok
}

// relative is a layout's path relative to the home.
func relative(place, home string) (string, bool) {
	if rest, ok := strings.CutPrefix(place, "~/"); ok {
		place = rest
	}
	if path.IsAbs(place) {
		if !inside(place, home) {
			return "", false
		}
		place = strings.TrimPrefix(strings.TrimPrefix(place, home), "/")
	}
	return place, place == "" || filepath.IsLocal(filepath.FromSlash(place))
}

// inside tells whether an absolute path is the home or below it.
func inside(place, home string) bool {
	rest, ok := strings.CutPrefix(path.Clean(place), home)
	return ok && home != "" && (rest == "" || rest[0] == '/')
}

// Sandbox is the surroundings of a segment on disk.
type Sandbox struct {
	// Home is the home directory of its hooks.
	Home string
	from string // the home in the cases
	path string // the search path of hooks and git
}

// NewSandbox makes the segment's surroundings in dir/home, which must not be
// there yet. Search is the PATH on which git is found.
func NewSandbox(ctx context.Context, dir, search string, s *record.Segment) (*Sandbox, error) {
	box := &Sandbox{Home: filepath.Join(dir, "home"), from: s.Home, path: search}
	if err := os.MkdirAll(box.tmp(), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(box.Home, 0o700); err != nil {
		return nil, err
	}
	for i, item := range s.Layout {
		if err := box.make(ctx, item); err != nil {
			return nil, fmt.Errorf("layout item %d: %w", i+1, err)
		}
	}
	return box, nil
}

func (b *Sandbox) make(ctx context.Context, item record.LayoutItem) error {
	place, ok := b.place(item.Dir + item.File + item.Repo + item.Worktree)
	if !ok {
		return errors.New("its path leads out of the home")
	}
	switch {
	case item.Dir != "":
		return os.MkdirAll(place, 0o755)
	case item.File != "":
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return err
		}
		return os.WriteFile(place, []byte(item.Text), 0o644)
	case item.Repo != "":
		return b.makeRepo(ctx, place, item.Branch)
	}
	of, ok := b.place(item.Of)
	if !ok {
		return errors.New("its repository is outside the home")
	}
	return b.makeWorktree(ctx, of, place, item.Branch)
}

// makeRepo makes a repository of whatever lies in the directory.
func (b *Sandbox) makeRepo(ctx context.Context, dir, branch string) error {
	if branch == "" {
		branch = "main"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "-b", branch}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
		if err := b.git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

func (b *Sandbox) makeWorktree(ctx context.Context, repo, dir, branch string) error {
	if b.git(ctx, repo, "show-ref", "-q", "--verify", "refs/heads/"+branch) == nil {
		return b.git(ctx, repo, "worktree", "add", "-q", "--", dir, branch)
	}
	return b.git(ctx, repo, "worktree", "add", "-q", "-b", branch, "--", dir)
}

// git runs git with a fixed author and date, so that a sandbox has the same
// commits on every run.
func (b *Sandbox) git(ctx context.Context, dir string, args ...string) error {
	program, err := lookPath("git", b.path)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(b.environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=corpus", "GIT_AUTHOR_EMAIL=corpus@localhost", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=corpus", "GIT_COMMITTER_EMAIL=corpus@localhost", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	if cmd.Run() != nil {
		return fmt.Errorf("git %s failed", args[0])
	}
	return nil
}

// environ is all the environment that hooks and git have.
func (b *Sandbox) environ() []string {
	return []string{"PATH=" + b.path, "HOME=" + b.Home, "TMPDIR=" + b.tmp(), "LANG=C.UTF-8", "TZ=UTC", "USER=user", "LOGNAME=user"}
}

func (b *Sandbox) tmp() string { return filepath.Join(filepath.Dir(b.Home), "tmp") }

// place is where a path of the layout lies on disk.
func (b *Sandbox) place(item string) (string, bool) {
	rel, ok := relative(item, b.from)
	return filepath.Join(b.Home, filepath.FromSlash(rel)), ok
}

// Rewrite puts the sandbox's home in place of the cases' home, wherever the
// latter stands in the text as a whole path element.
func (b *Sandbox) Rewrite(text string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, b.from)
		if i < 0 || b.from == "" {
			out.WriteString(text)
			return out.String()
		}
		end := i + len(b.from)
		out.WriteString(text[:i])
		if (i == 0 || !pathByte(text[i-1])) && (end == len(text) || text[end] == '/' || !pathByte(text[end])) {
			out.WriteString(b.Home)
		} else {
			out.WriteString(text[i:end])
		}
		text = text[end:]
	}
}

// pathByte tells whether c can go on a path element.
func pathByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// lookPath finds a program on a search path; entries that are not absolute
// are left out.
func lookPath(name, search string) (string, error) {
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("no %s program on the search path", name)
}
