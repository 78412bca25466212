package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"retro/pkg/record"
)

// Repository is what closed tasks left behind in one repository.
type Repository struct {
	// Root is the root of its main worktree, or its git directory when bare.
	Root string
	Rows []*record.Leftover
}

// leftovers collects rows by repository, in the order of their first row.
type leftovers struct{ repositories []Repository }

// add takes a row; one about the same thing as an earlier row takes its place.
func (l *leftovers) add(row *record.Leftover) {
	at := slices.IndexFunc(l.repositories, func(r Repository) bool { return r.Root == row.Repo.String() })
	if at < 0 {
		at = len(l.repositories)
		l.repositories = append(l.repositories, Repository{Root: row.Repo.String()})
	}
	r := &l.repositories[at]
	same := slices.IndexFunc(r.Rows, func(old *record.Leftover) bool {
		return old.Leftover == row.Leftover && old.Ref == row.Ref && old.Path == row.Path
	})
	if same >= 0 {
		r.Rows[same] = row
		return
	}
	r.Rows = append(r.Rows, row)
}

// writeLeftovers prints a checklist for each repository. Nothing is printed
// when there is none: the section belongs to those who asked for it.
func writeLeftovers(w *bufio.Writer, repositories []Repository) {
	if len(repositories) == 0 {
		return
	}
	total, ready := 0, 0
	for _, r := range repositories {
		total += len(r.Rows)
		for _, row := range r.Rows {
			if removable(row) {
				ready++
			}
		}
	}
	fmt.Fprintf(w, "## Leftovers\n\n%s in %s: %d with a command that settles it, %d to look at.\n",
		count(total, "leftover"), counted(len(repositories), "repository", "repositories"), ready, total-ready)
	for _, r := range repositories {
		fmt.Fprintf(w, "\n### %s\n\n", span(r.Root))
		if base := r.Rows[0].Base; !base.IsZero() {
			fmt.Fprintf(w, "Compared with %s.\n\n", span(base.Short()))
		}
		for _, row := range r.Rows {
			writeLeftover(w, row)
		}
	}
}

// writeLeftover prints one item: what it is, why, and the command.
func writeLeftover(w *bufio.Writer, row *record.Leftover) {
	fmt.Fprintf(w, "- [ ] %s", leftoverTitle(row))
	if reasons := leftoverReasons(row); len(reasons) > 0 {
		fmt.Fprintf(w, ": %s", strings.Join(reasons, "; "))
	}
	w.WriteString("\n")
	if !row.Suggest.IsZero() {
		verb := "look"
		if removable(row) {
			verb = "run"
		}
		fmt.Fprintf(w, "  - %s: %s\n", verb, span(row.Suggest.String()))
	}
}

// removable tells whether the command of a row settles it.
func removable(row *record.Leftover) bool {
	switch row.Leftover {
	case record.Dirty, record.OpenChange, record.SDDWorkspace, record.NoBase, record.Unreadable:
		return false
	case record.Behind:
		return strings.Contains(row.Suggest.String(), " merge --ff-only ")
	case record.OrphanDir: // one that was moved is mended
		return !row.Suggest.IsZero()
	}
	return len(row.Holds) == 0 && !row.Suggest.IsZero()
}

// leftoverTitles are what the kinds are called.
var leftoverTitles = map[record.LeftoverKind]string{
	record.MergedLocalBranch:  "branch",
	record.MergedRemoteBranch: "remote branch",
	record.MergedByContent:    "branch",
	record.GoneLocalBranch:    "branch",
	record.WorktreeLeft:       "worktree",
	record.LockedMissing:      "worktree",
	record.OrphanDir:          "directory",
	record.SDDWorkspace:       "workspace of a plan",
	record.OpenChange:         "open change",
	record.Behind:             "main checkout",
	record.Dirty:              "main checkout",
	record.NoOriginMain:       "no base: origin/HEAD is not set and there is no origin/main",
	record.NoBase:             "no base to compare with; --base names one",
	record.Unreadable:         "could not be read",
}

func leftoverTitle(row *record.Leftover) string {
	title, known := leftoverTitles[row.Leftover]
	switch {
	case !known:
		title = text(string(row.Leftover))
	case row.Leftover == record.MergedByContent && strings.HasPrefix(row.Ref.String(), "refs/remotes/"):
		title = "remote branch"
	}
	if !row.Path.IsZero() {
		title += " " + span(row.Path.String())
	}
	switch {
	case row.Ref.IsZero():
	case row.Path.IsZero():
		title += " " + span(row.Ref.Short())
	default:
		title += " on " + span(row.Ref.Short())
	}
	return title
}

// leftoverReasons are the facts of a row in words: why it is listed, what
// holds it, and what else to know before it goes.
func leftoverReasons(row *record.Leftover) []string {
	reasons := whyListed(row)
	for _, h := range row.Holds {
		reasons = append(reasons, holdText(row, h))
	}
	if w := row.Evidence.Worktree; w != nil && row.Leftover == record.WorktreeLeft && w.Ignored > 0 {
		reasons = append(reasons, counted(w.Ignored, "ignored file or directory", "ignored files or directories")+" would go with it")
	}
	if b := row.Evidence.Branch; b != nil {
		if b.Gone && row.Leftover != record.GoneLocalBranch {
			reasons = append(reasons, "its upstream is gone")
		}
		if b.Stashes > 0 {
			reasons = append(reasons, counted(b.Stashes, "stash entry", "stash entries")+" made on it will stay")
		}
		if !b.LastCommit.IsZero() {
			reasons = append(reasons, "last commit "+b.LastCommit.String()[:len("2026-01-02")])
		}
	}
	if !row.SessionID.IsZero() {
		reasons = append(reasons, "made in session "+code(row.SessionID.String()))
	}
	if row.Error != "" {
		reasons = append(reasons, text(row.Error))
	}
	return slices.DeleteFunc(reasons, func(s string) bool { return s == "" })
}

func whyListed(row *record.Leftover) []string {
	var reasons []string
	n := row.Evidence.Count
	if w := row.Evidence.Worktree; w != nil && !w.Main {
		switch {
		case row.Leftover == record.LockedMissing:
			reasons = append(reasons, "its directory is gone; it may be on a disk that is not mounted")
		case w.Missing:
			reasons = append(reasons, "its directory is gone")
		case row.Leftover == record.WorktreeLeft && w.Prunable:
			reasons = append(reasons, "git would prune it")
		}
	}
	if b := row.Evidence.Branch; b != nil {
		reasons = append(reasons, rungText(b))
	}
	switch row.Leftover {
	case record.Behind:
		reasons = append(reasons, count(n, "commit")+" behind")
	case record.Dirty:
		reasons = append(reasons, count(n, "changed or unknown file"))
	case record.OrphanDir:
		reasons = append(reasons, "no worktree of the repository, "+holding(n))
	case record.SDDWorkspace:
		reasons = append(reasons, holding(n))
	}
	return reasons
}

func holding(n int) string {
	if n == 0 {
		return "empty"
	}
	return counted(n, "entry", "entries")
}

// rungText says how a branch was found to be merged.
func rungText(b *record.BranchFacts) string {
	switch b.Rung {
	case record.RungAncestor:
		return "merged"
	case record.RungPatches:
		return "merged as other commits: each of its patches is in the base"
	case record.RungSquash:
		return "merged as one commit, " + short(b.Match)
	case record.RungNoOp:
		return "merged by content: merging it would change nothing"
	case record.RungEarlierNoOp:
		return "merged by content: at " + short(b.Match) + " merging it would have changed nothing"
	}
	if b.Gone {
		return fmt.Sprintf("its upstream is gone, which proves no merge: %s of its own", count(b.Ahead, "commit"))
	}
	return ""
}

func short(h record.Hash) string { return code(h.String()[:min(12, len(h.String()))]) }

// holdText says what keeps a row from being removed.
func holdText(row *record.Leftover, h record.Hold) string {
	w := row.Evidence.Worktree
	if w == nil {
		w = new(record.WorktreeFacts)
	}
	switch h {
	case record.HoldCheckedOut:
		return "held: checked out in " + span(w.Path.String())
	case record.HoldLocked:
		return "held: locked"
	case record.HoldDetached:
		return "held: on no branch"
	case record.HoldInUse:
		return "held: one stands in it"
	case record.HoldDirty:
		return fmt.Sprintf("held: %d changed, %d unknown to git", w.Changed, w.Untracked)
	case record.HoldSubmodules:
		return "held: " + count(w.Submodules, "submodule") + " checked out, so that git refuses; --force would discard what was not pushed from there"
	case record.HoldOperation:
		return "held: a " + w.Operation.String() + " is under way"
	case record.HoldUntouched:
		return "held: nothing was committed on the branch yet, so work may be about to begin"
	case record.HoldMoved:
		return "held: it seems to have been moved by hand"
	case record.HoldReverted:
		return "held: merging it again would change the base, so it was probably reverted"
	case record.HoldNotProven:
		return ""
	case record.HoldLocalWork:
		return "held: the local branch has work that is not merged"
	case record.HoldOtherRemote:
		return "held: it is of another remote than the base"
	case record.HoldUnchecked:
		return "held: git could not tell"
	}
	return "held: " + text(string(h))
}
