package repo

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"retro/pkg/record"
)

// worktreeRow adds a linked worktree whose work is over or whose directory is
// gone.
func (s *survey) worktreeRow(w *worktree) {
	if w.main || w.bare {
		return
	}
	v, over := s.settled(w.head)
	if s.protected(w.branch) {
		over = false
	}
	absent := w.facts.Missing || w.prunable
	if !over && !absent {
		return
	}
	row := s.row(record.WorktreeLeft)
	if w.locked && w.facts.Missing {
		row.Leftover = record.LockedMissing
	}
	row.Ref, row.Path = record.NewRefName(w.branch), record.NewPlace(w.path)
	row.Evidence.Worktree = &w.facts
	if v != nil {
		row.Evidence.Branch = s.branchFacts(w.head, w.branch)
	}
	w.holds, w.listed = s.worktreeHolds(w, v), true
	row.Holds = w.holds
	row.Suggest = s.worktreeCommand(w, w.holds)
	if w.err != nil {
		row.Error = w.err.Error()
	}
	s.rows = append(s.rows, row)
}

// worktreeHolds lists what speaks against removing a worktree, the firmest
// first. Git itself would refuse for the lock, the changes and the submodules;
// the others it would not see.
func (s *survey) worktreeHolds(w *worktree, v *verdict) []record.Hold {
	holds := []record.Hold{}
	hold := func(when bool, h record.Hold) {
		if when {
			holds = append(holds, h)
		}
	}
	absent := w.facts.Missing || w.prunable
	hold(w.locked, record.HoldLocked)
	hold(w.facts.InUse, record.HoldInUse)
	hold(!w.facts.Operation.IsZero(), record.HoldOperation)
	hold(w.facts.Changed+w.facts.Untracked > 0, record.HoldDirty)
	hold(w.facts.Submodules > 0, record.HoldSubmodules)
	hold(w.detached, record.HoldDetached)
	hold(slices.ContainsFunc(s.orphans, func(o orphan) bool { return o.movedFrom != "" && o.movedFrom == w.gitDir }), record.HoldMoved)
	hold(w.prunable && !w.facts.Missing, record.HoldMoved)
	if !absent {
		short, local := strings.CutPrefix(w.branch, headsPrefix)
		hold(local && s.untouched(short, w.head), record.HoldUntouched)
		hold(v != nil && reverted(v), record.HoldReverted)
	}
	hold(w.err != nil, record.HoldUnchecked)
	return slices.Compact(holds)
}

// worktreeCommand removes a worktree that nothing holds, and else shows what
// holds it where a command can.
func (s *survey) worktreeCommand(w *worktree, holds []record.Hold) record.Command {
	switch {
	case len(holds) == 0:
		return command(s.Root, "worktree", "remove", w.path)
	case slices.Contains(holds, record.HoldUnchecked):
		return record.Command{}
	case w.locked:
		return command(s.Root, "worktree", "list", "--verbose") // tells the reason of the lock
	case slices.Contains(holds, record.HoldMoved):
		return record.Command{}
	case slices.Contains(holds, record.HoldDirty), slices.Contains(holds, record.HoldOperation):
		return command(w.path, "status")
	case slices.Contains(holds, record.HoldSubmodules):
		return command(w.path, "submodule", "foreach", "--recursive", "git status --short --branch")
	}
	return record.Command{}
}

// reverted tells whether a branch that was merged by content would bring its
// changes back when merged again.
func reverted(v *verdict) bool {
	return v.rung != record.RungAncestor && v.now == record.MergeChanges
}

// branchRow adds a branch that is over, or whose upstream is gone.
func (s *survey) branchRow(r *ref) {
	if r.symref != "" || r.name == s.base.name || s.protected(r.name) {
		return
	}
	v, over := s.settled(r.oid)
	facts := s.branchFacts(r.oid, r.name)
	row := s.row(record.MergedByContent)
	switch {
	case v.err != nil:
		row.Leftover, row.Error = record.Unreadable, v.err.Error()
	case over && v.rung != record.RungAncestor:
	case over && r.local():
		row.Leftover = record.MergedLocalBranch
	case over:
		row.Leftover = record.MergedRemoteBranch
	case facts.Gone && r.oid != s.base.oid:
		row.Leftover = record.GoneLocalBranch
	default:
		return
	}
	row.Ref = record.NewRefName(r.name)
	row.Evidence.Branch = facts
	w := s.checkout(r.name)
	if w != nil {
		row.Evidence.Worktree = &w.facts
	}
	row.Holds = s.branchHolds(r, v, over, w)
	row.Suggest = s.branchCommand(r, v, row.Holds)
	s.rows = append(s.rows, row)
}

// protected tells whether a branch is never a leftover: the default branch
// under any remote, and the names that the caller keeps.
func (s *survey) protected(name string) bool {
	short, local := strings.CutPrefix(name, headsPrefix)
	if !local {
		if _, branch, ok := origin(s.remotes, name); ok {
			if short, ok = strings.CutPrefix(branch, headsPrefix); !ok {
				return true // a pull request or a tag that is fetched like a branch
			}
		} else {
			_, short, _ = strings.Cut(strings.TrimPrefix(name, remotesPrefix), "/")
		}
	}
	return short != "" && (slices.Contains(s.base.defaults, short) || kept(s.opt.Keep, short))
}

// checkout is the worktree that has the branch.
func (s *survey) checkout(name string) *worktree {
	for i := range s.worktrees {
		if s.worktrees[i].branch == name {
			return &s.worktrees[i]
		}
	}
	return nil
}

// branchHolds lists what speaks against deleting a branch.
func (s *survey) branchHolds(r *ref, v *verdict, over bool, w *worktree) []record.Hold {
	holds := []record.Hold{}
	// The row of a worktree that nothing holds stands before this one; until
	// it is removed git refuses to delete the branch.
	if w != nil && (w.main || !w.listed || len(w.holds) > 0) {
		holds = append(holds, record.HoldCheckedOut)
	}
	switch {
	case v.err != nil:
		holds = append(holds, record.HoldUnchecked)
	case !over:
		holds = append(holds, record.HoldNotProven)
	case reverted(v):
		holds = append(holds, record.HoldReverted)
	}
	if r.local() {
		return holds
	}
	remote, _, known := origin(s.remotes, r.name)
	if !known || remote != s.base.remote {
		holds = append(holds, record.HoldOtherRemote)
	}
	for i := range s.refs {
		local := &s.refs[i]
		if local.local() && local.upstream == r.name && local.oid != r.oid {
			if _, over := s.settled(local.oid); !over && local.oid != s.base.oid {
				holds = append(holds, record.HoldLocalWork)
				break
			}
		}
	}
	return holds
}

// branchCommand deletes a branch that nothing holds, and else shows the work
// that is in doubt.
func (s *survey) branchCommand(r *ref, v *verdict, holds []record.Hold) record.Command {
	for _, doubt := range []record.Hold{record.HoldNotProven, record.HoldReverted} {
		if slices.Contains(holds, doubt) {
			return showWork(s.Root, s.base.name, r.name)
		}
	}
	if len(holds) > 0 {
		return record.Command{}
	}
	if !r.local() {
		remote, branch, _ := origin(s.remotes, r.name)
		return deleteRemote(s.Root, remote, branch, r.oid)
	}
	short := strings.TrimPrefix(r.name, headsPrefix)
	if v.rung != record.RungAncestor {
		return deleteAt(s.Root, short, r.oid)
	}
	agrees := s.inHead[r.name]
	if upstream := s.refNamed(r.upstream); upstream != nil {
		agrees = upstream.oid == r.oid
	}
	return deleteMerged(s.Root, short, s.base.name, agrees)
}

// orphanRow adds a directory in a home of worktrees that is none.
func (s *survey) orphanRow(o orphan) {
	row := s.row(record.OrphanDir)
	row.Path = record.NewPlace(o.path)
	row.Evidence.Count = o.entries
	switch {
	case within(s.opt.From, o.path):
		row.Holds = append(row.Holds, record.HoldInUse)
	case o.movedFrom != "":
		row.Holds = append(row.Holds, record.HoldMoved)
		row.Suggest = command(s.Root, "worktree", "repair", o.path)
	case o.entries == 0:
		row.Suggest, _ = record.NewCommand("rmdir", "--", o.path)
	}
	s.rows = append(s.rows, row)
}

// sddRows adds the directories under .superpowers/sdd of the main checkout and
// of worktrees that are leftovers themselves; in the worktree of an active task
// they are work in progress.
func (s *survey) sddRows() {
	var places []string
	if !s.Bare && s.Root != s.CommonDir {
		places = append(places, s.Root)
	}
	for _, w := range s.worktrees {
		if _, over := s.settled(w.head); over && !w.main && !s.protected(w.branch) && !w.facts.Missing {
			places = append(places, w.path)
		}
	}
	for _, place := range places {
		home := filepath.Join(place, ".superpowers", "sdd")
		for _, name := range subdirectories(home) {
			row := s.row(record.SDDWorkspace)
			dir := filepath.Join(home, name)
			row.Path = record.NewPlace(dir)
			row.Evidence.Count = len(entriesOf(dir))
			// A dry run: that the directory is there does not prove that it
			// is no longer wanted.
			row.Suggest = command(place, "--literal-pathspecs", "clean", "-ndx", "--", path.Join(".superpowers", "sdd", name))
			s.rows = append(s.rows, row)
		}
	}
}

// changeRows adds the open changes of the base.
func (s *survey) changeRows(ctx context.Context) error {
	const home = "openspec/changes/"
	out, err := s.git.read(ctx, s.Root, "ls-tree", "-z", "-d", "--name-only", "--full-tree", s.base.oid, home)
	if err != nil {
		return err
	}
	for _, dir := range fields(out) {
		if dir == home+"archive" {
			continue
		}
		row := s.row(record.OpenChange)
		row.Path = record.NewPlace(dir)
		row.Suggest = command(s.Root, "--literal-pathspecs", "log", "--oneline", "-5", s.base.name, "--", dir)
		s.rows = append(s.rows, row)
	}
	return nil
}

// checkoutRows adds what the main checkout lacks and what it has that git does
// not.
func (s *survey) checkoutRows(ctx context.Context) error {
	main := &s.worktrees[0]
	if main.bare || strings.Trim(main.head, "0") == "" {
		return nil
	}
	out, err := s.git.read(ctx, s.Root, "rev-list", "--count", main.head+".."+s.base.oid)
	if err != nil {
		return err
	}
	changes := main.facts.Changed + main.facts.Untracked
	if behind := atoi(line(out)); behind > 0 {
		row := s.checkoutRow(record.Behind, main, behind)
		row.Suggest = showWork(s.Root, "HEAD", s.base.name)
		// Only its own default branch, with nothing on top, is moved.
		if v := s.judged.verdicts[main.head]; s.follows(main.branch) && changes == 0 && v.rung == record.RungAncestor && main.facts.Operation.IsZero() {
			row.Suggest = command(s.Root, "merge", "--ff-only", s.base.name)
		}
		s.rows = append(s.rows, row)
	}
	if main.err != nil {
		row := s.checkoutRow(record.Unreadable, main, 0)
		row.Error = main.err.Error()
		s.rows = append(s.rows, row)
	} else if changes > 0 {
		row := s.checkoutRow(record.Dirty, main, changes)
		row.Suggest = command(s.Root, "status")
		s.rows = append(s.rows, row)
	}
	return nil
}

// checkoutRow starts a row about the main checkout.
func (s *survey) checkoutRow(kind record.LeftoverKind, w *worktree, count int) record.Leftover {
	row := s.row(kind)
	row.Ref, row.Path = record.NewRefName(w.branch), record.NewPlace(w.path)
	row.Evidence = record.LeftoverEvidence{Worktree: &w.facts, Count: count}
	return row
}

// follows tells whether a branch is the local one of the base.
func (s *survey) follows(name string) bool {
	r := s.refNamed(name)
	return r != nil && r.local() && (r.upstream == s.base.name || r.name == s.base.name) &&
		slices.Contains(s.base.defaults, strings.TrimPrefix(name, headsPrefix))
}
