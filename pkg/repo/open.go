package repo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Repository is one repository on disk.
type Repository struct {
	git *Git
	// Root is the absolute path of the main worktree, or of the git directory
	// when there is none. All worktrees of a repository have the same Root.
	Root string
	// Worktree is the absolute path of the worktree that was opened; "" when
	// bare.
	Worktree string
	// CommonDir is the absolute path of the git directory that all worktrees
	// share.
	CommonDir string
	// Bare tells that there is no main worktree.
	Bare bool
	// Submodule tells that it is the repository of a submodule.
	Submodule bool
}

// Open finds the repository that dir belongs to: dir may be any directory
// below a worktree, or a bare repository.
func (g *Git) Open(ctx context.Context, dir string) (*Repository, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, errors.New("no such directory")
	} else if !info.IsDir() {
		return nil, errors.New("not a directory")
	}
	r := &Repository{git: g}
	common, err := g.read(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	r.CommonDir = line(common)
	// Inside a git directory there is no top level: that is no fault.
	if top, err := g.read(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel"); err == nil {
		r.Worktree = line(top)
	}
	return r, r.findRoot(ctx, dir)
}

// findRoot fills Root, Bare and Submodule.
func (r *Repository) findRoot(ctx context.Context, dir string) error {
	super, err := r.git.read(ctx, dir, "rev-parse", "--path-format=absolute", "--show-superproject-working-tree")
	r.Submodule = err == nil && line(super) != ""
	bare, err := r.git.read(ctx, r.CommonDir, "config", "--type=bool", "--default=false", "core.bare")
	if err != nil {
		return err
	}
	r.Bare = line(bare) == "true"
	switch {
	case r.Bare:
		r.Root = r.CommonDir
	case filepath.Base(r.CommonDir) == ".git":
		r.Root = filepath.Dir(r.CommonDir)
	default:
		// A submodule or --separate-git-dir: git knows the main worktree only
		// by core.worktree, or as the place we came from.
		r.Root = r.separateRoot(ctx)
	}
	return nil
}

// separateRoot is the main worktree of a repository whose git directory lies
// somewhere else.
func (r *Repository) separateRoot(ctx context.Context) string {
	if set, err := r.git.read(ctx, r.CommonDir, "config", "core.worktree"); err == nil {
		path := line(set)
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.CommonDir, path)
		}
		return filepath.Clean(path)
	}
	if own, err := r.git.read(ctx, r.Worktree, "rev-parse", "--path-format=absolute", "--git-dir"); err == nil && line(own) == r.CommonDir {
		return r.Worktree
	}
	return r.CommonDir
}
