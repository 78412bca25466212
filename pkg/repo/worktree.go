package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"retro/pkg/record"
)

// worktree is one entry of git's list of worktrees, the main one first.
type worktree struct {
	path     string
	head     string // object id
	branch   string // full name; also while it is being rebased, when git calls the worktree detached
	gitDir   string // its own git directory; "" when not found
	main     bool
	bare     bool
	detached bool
	locked   bool
	prunable bool
	facts    record.WorktreeFacts
	err      error         // why the facts are not complete
	listed   bool          // it has a row
	holds    []record.Hold // of its row
}

// worktrees lists the worktrees of the repository.
func (r *Repository) worktrees(ctx context.Context) ([]worktree, error) {
	out, err := r.git.read(ctx, r.Root, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	list := parseWorktrees(string(out))
	admins := r.adminDirs()
	for i := range list {
		w := &list[i]
		if i == 0 {
			w.main, w.gitDir = true, r.CommonDir
			continue
		}
		w.gitDir = admins[filepath.Join(w.path, ".git")]
	}
	return list, nil
}

// parseWorktrees reads the porcelain form: attributes end with a NUL byte, an
// entry with another. Attributes that are not known change nothing.
func parseWorktrees(out string) []worktree {
	var list []worktree
	for attribute := range strings.SplitSeq(out, "\x00") {
		label, value, _ := strings.Cut(attribute, " ")
		if label == "worktree" {
			list = append(list, worktree{path: value})
		}
		if len(list) == 0 {
			continue
		}
		w := &list[len(list)-1]
		switch label {
		case "HEAD":
			w.head = value
		case "branch":
			w.branch = value
		case "bare":
			w.bare = true
		case "detached":
			w.detached = true
		case "locked":
			w.locked = true
		case "prunable":
			w.prunable = true
		}
	}
	return list
}

// adminDirs maps the .git file of each linked worktree to the directory that
// git keeps for it.
func (r *Repository) adminDirs() map[string]string {
	dirs := make(map[string]string)
	entries, _ := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	for _, e := range entries {
		dir := filepath.Join(r.CommonDir, "worktrees", e.Name())
		text, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err != nil {
			continue
		}
		link := strings.TrimSuffix(string(text), "\n")
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		dirs[filepath.Clean(link)] = dir
	}
	return dirs
}

// look fills the facts of a worktree. From is the directory the program was
// started in.
func (r *Repository) look(ctx context.Context, w *worktree, from string) {
	_, err := os.Lstat(w.path)
	w.facts = record.WorktreeFacts{
		Path: record.NewPlace(w.path), Main: w.main, Missing: os.IsNotExist(err), Prunable: w.prunable,
		Locked: w.locked, Detached: w.detached, InUse: within(from, w.path),
	}
	operation, onto := operationIn(w.gitDir)
	w.facts.Operation = operation
	if w.detached && onto != "" {
		w.branch = onto
	}
	if w.bare || w.facts.Missing || w.prunable {
		return
	}
	if w.err = r.status(ctx, w); w.err == nil && !w.main {
		w.facts.Submodules, w.err = r.submodules(ctx, w)
	}
}

// status counts what the worktree has that its HEAD has not. What is inside
// submodules is left alone: git would run there without the settings of this
// package.
func (r *Repository) status(ctx context.Context, w *worktree) error {
	args := append(r.filtersOff(ctx, w.path), "status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if !w.main {
		args = append(args, "--ignored=traditional")
	}
	out, err := r.git.run(ctx, call{dir: w.path, args: args})
	if err != nil {
		return err
	}
	w.facts.Changed, w.facts.Untracked, w.facts.Ignored = countStatus(out)
	if !w.main || w.facts.Untracked == 0 {
		return nil
	}
	// Worktrees, and directories that have rows of their own, do not make the
	// main checkout dirty; but tracked files in them do.
	out, err = r.git.run(ctx, call{dir: w.path, args: append(args, r.notDirt(w.path)...)})
	_, w.facts.Untracked, _ = countStatus(out)
	return err
}

// countStatus counts the entries of a status in the porcelain form.
func countStatus(out []byte) (changed, untracked, ignored int) {
	for _, entry := range fields(out) {
		switch entry[:min(2, len(entry))] {
		case "1 ", "2 ", "u ":
			changed++
		case "? ":
			untracked++
		case "! ":
			ignored++
		}
	}
	return changed, untracked, ignored
}

// notDirt are pathspecs that leave out what lies in the main checkout without
// being part of it: homes of worktrees, worktrees elsewhere in it, workspaces
// of plans and the state of retro itself.
func (r *Repository) notDirt(root string) []string {
	dirs := []string{filepath.Join(root, ".superpowers", "sdd"), filepath.Join(root, ".claude", "retro")}
	dirs = append(dirs, r.homes()...)
	for link := range r.adminDirs() {
		dirs = append(dirs, filepath.Dir(link))
	}
	slices.Sort(dirs)
	specs := []string{"--", ":(top)"}
	for _, dir := range dirs {
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) && rel != "." {
			specs = append(specs, ":(top,exclude,literal)"+filepath.ToSlash(rel))
		}
	}
	return specs
}

// filtersOff are the options that keep git from running content filters which
// the repository itself configures. Those of the user (as for large files)
// stay: without them every such file would look changed.
func (r *Repository) filtersOff(ctx context.Context, dir string) []string {
	out, err := r.git.read(ctx, dir, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\..*\.(clean|process)$`)
	if err != nil {
		return nil // there are none
	}
	var options []string
	for values := fields(out); len(values) > 1; values = values[2:] {
		if scope := values[0]; scope == "system" || scope == "global" {
			continue
		}
		filter := values[1][:strings.LastIndexByte(values[1], '.')]
		options = append(options, "-c", filter+".clean=", "-c", filter+".process=", "-c", filter+".required=false")
	}
	return options
}

// submodules counts the submodules that are checked out in a worktree; git
// refuses to remove one that has any. A .gitmodules file alone means nothing.
func (r *Repository) submodules(ctx context.Context, w *worktree) (int, error) {
	if _, err := os.Stat(filepath.Join(w.path, ".gitmodules")); err != nil {
		return 0, nil
	}
	out, err := r.git.read(ctx, w.path, "ls-files", "-z", "--stage")
	if err != nil {
		return 0, err
	}
	count := 0
	for _, entry := range fields(out) {
		head, name, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(head, "160000 ") {
			continue
		}
		if _, err := os.Lstat(filepath.Join(w.path, name, ".git")); err == nil {
			count++
		}
	}
	return count, nil
}

// operations are the files by which git remembers what is under way.
var operations = []struct{ file, name string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply/applying", "am"},
	{"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
}

// operationIn tells what is under way in a worktree, and the branch that git
// will return to.
func operationIn(gitDir string) (name record.Identifier, branch string) {
	if gitDir == "" {
		return name, ""
	}
	for _, op := range operations {
		if _, err := os.Lstat(filepath.Join(gitDir, op.file)); err != nil {
			continue
		}
		for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
			if text, err := os.ReadFile(filepath.Join(gitDir, file)); err == nil {
				branch = strings.TrimSpace(string(text))
			}
		}
		if text, err := os.ReadFile(filepath.Join(gitDir, "BISECT_START")); err == nil && branch == "" {
			branch = headsPrefix + strings.TrimSpace(string(text))
		}
		return record.MustIdentifier(op.name), branch
	}
	return name, ""
}

// within tells whether dir is root or below it, symbolic links resolved.
func within(dir, root string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(resolved(root), resolved(dir))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is path without symbolic links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
