package repo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// orphan is a directory in a home of worktrees that is no worktree.
type orphan struct {
	path    string
	entries int
	// movedFrom is the git directory of a worktree that is registered at
	// another path and points here: it was moved by hand.
	movedFrom string
}

// homes are the directories in which agents and people keep worktrees.
func (r *Repository) homes() []string {
	parent, name := filepath.Split(r.Root)
	homes := []string{
		filepath.Join(r.Root, ".worktrees"),
		filepath.Join(r.Root, ".claude", "worktrees"),
		filepath.Join(parent, name+".wt"),
	}
	if tasks, err := os.ReadDir(filepath.Join(parent, ".wt")); err == nil {
		for _, t := range tasks {
			homes = append(homes, filepath.Join(parent, ".wt", t.Name(), name))
		}
	}
	return homes
}

// orphans lists what an interrupted run left in the homes. Directories with a
// repository of their own, or with files that git tracks, are not orphans.
func (r *Repository) orphans(ctx context.Context, list []worktree) []orphan {
	if r.Bare || r.Submodule {
		return nil
	}
	f := finder{repo: r, registered: make(map[string]bool)}
	for _, w := range list {
		f.registered[resolved(w.path)] = true
	}
	task := filepath.Join(filepath.Dir(r.Root), ".wt") + string(filepath.Separator)
	for _, home := range r.homes() {
		if strings.HasPrefix(home, task) {
			f.visit(home, 0) // the directory itself is the worktree
		} else {
			f.children(home, 0)
		}
	}
	return f.untracked(ctx)
}

type finder struct {
	repo       *Repository
	registered map[string]bool
	found      []orphan
}

// maxNesting is how deep a worktree may lie below its home: a branch named
// feat/ui/menu makes three levels.
const maxNesting = 4

// children visits the directories in dir. One that cannot be read hides nothing
// that could be suggested.
func (f *finder) children(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil || depth > maxNesting {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			f.visit(filepath.Join(dir, e.Name()), depth)
		}
	}
}

// visit decides about one directory: worktree, place of worktrees, repository of
// its own, worktree of another repository, or orphan.
func (f *finder) visit(dir string, depth int) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || f.registered[resolved(dir)] {
		return
	}
	if f.holdsRepository(dir) {
		f.children(dir, depth+1)
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return // a repository of its own
		}
		f.found = append(f.found, orphan{path: dir, entries: len(entries)})
		return
	}
	admin := strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
	if !filepath.IsAbs(admin) {
		admin = filepath.Join(dir, admin)
	}
	if filepath.Dir(resolved(admin)) != resolved(filepath.Join(f.repo.CommonDir, "worktrees")) {
		return // it belongs to another repository
	}
	o := orphan{path: dir, entries: len(entries)}
	if _, err := os.Stat(admin); err == nil {
		o.movedFrom = filepath.Clean(admin)
	}
	f.found = append(f.found, o)
}

// holdsRepository tells whether a worktree or a repository lies below dir, as
// it does when branch names have slashes.
func (f *finder) holdsRepository(dir string) bool {
	real := resolved(dir) + string(filepath.Separator)
	for path := range f.registered {
		if strings.HasPrefix(path, real) {
			return true
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return false
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(dir, e.Name(), ".git")); err == nil {
			return true
		}
	}
	return false
}

// untracked leaves out directories that hold files of the project.
func (f *finder) untracked(ctx context.Context) []orphan {
	var kept []orphan
	for _, o := range f.found {
		if within(o.path, f.repo.Root) {
			out, err := f.repo.git.read(ctx, f.repo.Root, "--literal-pathspecs", "ls-files", "-z", "--", o.path)
			if err != nil || len(out) > 0 {
				continue
			}
		}
		kept = append(kept, o)
	}
	return kept
}

// subdirectories lists the directories in dir, by name; links are none.
func subdirectories(dir string) []string {
	var names []string
	for _, e := range entriesOf(dir) {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// entriesOf lists a directory; one that cannot be read has no entries.
func entriesOf(dir string) []os.DirEntry {
	entries, _ := os.ReadDir(dir)
	return entries
}
