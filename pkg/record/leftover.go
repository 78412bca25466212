package record

import (
	"strings"
	"unicode/utf8"
)

// KindLeftover is the kind of a Leftover.
const KindLeftover Kind = "leftover"

// LeftoverKind names what was left behind.
type LeftoverKind string

// The kinds of leftovers.
const (
	MergedLocalBranch  LeftoverKind = "merged-local-branch"  // its tip is an ancestor of the base
	MergedRemoteBranch LeftoverKind = "merged-remote-branch" // the same of a remote-tracking branch
	MergedByContent    LeftoverKind = "merged-by-content"    // the base holds its changes under other commits
	GoneLocalBranch    LeftoverKind = "gone-local-branch"    // its upstream is no longer there; proves no merge
	WorktreeLeft       LeftoverKind = "worktree"             // its branch is merged, or its directory is gone
	LockedMissing      LeftoverKind = "locked-missing"       // locked and its directory is gone: perhaps a disk that is not mounted
	OrphanDir          LeftoverKind = "orphan-dir"           // a directory where worktrees live that is none
	SDDWorkspace       LeftoverKind = "sdd-workspace"        // a directory under .superpowers/sdd
	OpenChange         LeftoverKind = "open-change"          // a directory under openspec/changes of the base
	Behind             LeftoverKind = "behind"               // the main checkout lacks commits of the base
	Dirty              LeftoverKind = "dirty"                // the main checkout has changes that are not committed
	NoOriginMain       LeftoverKind = "no-origin-main"       // there is a remote, but no base was found; the only row of its repository
	NoBase             LeftoverKind = "no-base"              // there is nothing to compare with; the only row of its repository
	Unreadable         LeftoverKind = "unreadable"           // could not tell; Error says why
)

// Rung is the step of the ladder by which a branch was found to be merged. The
// ladder goes from the firmest evidence to the weakest and the first step that
// holds is named.
type Rung string

// The rungs.
const (
	RungAncestor    Rung = "ancestor"      // the tip is an ancestor of the base
	RungPatches     Rung = "patches"       // each of its commits has the same patch as a commit of the base
	RungSquash      Rung = "squash"        // all of its changes together are the patch of one commit of the base
	RungNoOp        Rung = "no-op"         // merging it into the base would change nothing
	RungEarlierNoOp Rung = "earlier-no-op" // merging it into an earlier commit of the base would have changed nothing
)

// MergeNow tells what merging a branch into the base would do today.
type MergeNow string

// The outcomes of a trial merge.
const (
	MergeNoOp     MergeNow = "no-op"    // nothing: the base has it all
	MergeChanges  MergeNow = "changes"  // it would change the base: merged by content, it was probably reverted
	MergeConflict MergeNow = "conflict" // the base has moved on in the same lines
)

// Hold is a condition that keeps a leftover from being suggested for removal.
type Hold string

// The holds.
const (
	HoldCheckedOut  Hold = "checked-out"    // the branch is checked out in a worktree
	HoldLocked      Hold = "locked"         // the worktree is locked
	HoldDetached    Hold = "detached"       // the worktree is on no branch
	HoldInUse       Hold = "in-use"         // the program was started inside the worktree
	HoldDirty       Hold = "dirty"          // the worktree has changes or files that git does not have
	HoldSubmodules  Hold = "submodules"     // the worktree has submodules checked out; git refuses to remove it without --force
	HoldOperation   Hold = "operation"      // a rebase, merge, cherry-pick, revert or bisect is under way
	HoldUntouched   Hold = "untouched"      // nothing was ever committed on the branch here: work may be about to begin
	HoldMoved       Hold = "moved"          // the worktree seems to have been moved by hand: git knows another path
	HoldReverted    Hold = "maybe-reverted" // merged by content, but merging it again would change the base
	HoldNotProven   Hold = "not-proven"     // the upstream is gone, which does not prove a merge
	HoldLocalWork   Hold = "local-work"     // a local branch that tracks it has work that is not merged
	HoldOtherRemote Hold = "other-remote"   // it belongs to another remote than the base, or to none that is known
	HoldUnchecked   Hold = "unchecked"      // git could not tell: it stays
)

// Leftover is what a closed task left behind in a repository: one record a
// branch, worktree, directory or checkout. Facts are independent of each other
// and hold at the time of the run.
type Leftover struct {
	V        int          `json:"v"`
	Kind     Kind         `json:"kind"` // KindLeftover
	Repo     Place        `json:"repo"` // root of the main worktree, or the bare repository
	Leftover LeftoverKind `json:"leftover"`
	// Ref is the full name of the branch.
	Ref RefName `json:"ref,omitempty"`
	// Path is the worktree or directory; for an open change it is relative to
	// the root of the base's tree.
	Path Place `json:"path,omitempty"`
	// Base is the full name of what the repository was compared with.
	Base     RefName          `json:"base,omitempty"`
	Evidence LeftoverEvidence `json:"evidence"`
	Holds    []Hold           `json:"holds"`
	// SessionID is the session that the branch or worktree was made in, when
	// signals were given and they tell.
	SessionID SessionID `json:"session_id,omitempty"`
	// Suggest is a command for a POSIX shell; it does no more than the evidence
	// allows and checks again what may have changed. Absent when there is
	// nothing to suggest but to look.
	Suggest Command `json:"suggest,omitempty"`
	// Error says why git could not tell, in words of this program.
	Error string `json:"error,omitempty"`
}

// LeftoverEvidence is what a leftover rests on. Facts about a branch and about
// a worktree stand apart, since a row can have both.
type LeftoverEvidence struct {
	Branch   *BranchFacts   `json:"branch,omitempty"`
	Worktree *WorktreeFacts `json:"worktree,omitempty"`
	// Count is the number of commits (behind), of changed or unknown files
	// (dirty) or of directory entries (orphan-dir, sdd-workspace).
	Count int `json:"count,omitempty"`
}

// BranchFacts are the facts about a branch, or about the commit that a
// detached worktree is on.
type BranchFacts struct {
	Tip        Hash      `json:"tip"`
	LastCommit Timestamp `json:"last_commit"` // when the tip was committed
	// Ahead counts commits that the base does not have.
	Ahead           int      `json:"ahead"`
	Merged          bool     `json:"merged"`
	MergedByContent bool     `json:"merged_by_content"`
	Rung            Rung     `json:"rung,omitempty"`
	Match           Hash     `json:"match,omitempty"`     // the commit of the base that holds the changes
	MergeNow        MergeNow `json:"merge_now,omitempty"` // absent when merged by ancestry, or not tried
	Upstream        RefName  `json:"upstream,omitempty"`
	Gone            bool     `json:"gone"`      // the upstream is configured and no longer there
	Untouched       bool     `json:"untouched"` // the reflog shows that nothing was committed on it here
	Stashes         int      `json:"stashes"`   // stash entries made on the branch; they outlive it
}

// WorktreeFacts are the facts about a worktree.
type WorktreeFacts struct {
	Path       Place `json:"path"`
	Main       bool  `json:"main"`     // the main worktree
	Missing    bool  `json:"missing"`  // there is no such directory
	Prunable   bool  `json:"prunable"` // git would prune it
	Locked     bool  `json:"locked"`
	Detached   bool  `json:"detached"`
	InUse      bool  `json:"in_use"`
	Changed    int   `json:"changed"`   // tracked files that differ from HEAD
	Untracked  int   `json:"untracked"` // entries git does not know; a directory is one
	Ignored    int   `json:"ignored"`   // ignored entries, which removing the worktree deletes
	Submodules int   `json:"submodules"`
	// Operation is the command under way: rebase, am, merge, cherry-pick,
	// revert or bisect.
	Operation Identifier `json:"operation,omitempty"`
}

// RefName is the full name of a git ref, or an object id. Bytes that are not
// UTF-8 are replaced, so a command must be made of the name itself.
type RefName struct{ word }

// NewRefName makes a RefName of what git prints.
func NewRefName(s string) RefName { return RefName{word{strings.ToValidUTF8(s, "\uFFFD")}} }

// Short is the name without refs/heads/ or refs/remotes/.
func (r RefName) Short() string {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if short, ok := strings.CutPrefix(r.text, prefix); ok {
			return short
		}
	}
	return r.text
}

// UnmarshalJSON reads a ref name.
func (r *RefName) UnmarshalJSON(data []byte) (err error) {
	r.word, err = readWord(data, utf8.ValidString)
	return err
}

// Place is a path on this machine, which a [Path] may not be: leftovers are
// about directories anywhere. Bytes that are not UTF-8 are replaced.
type Place struct{ word }

// NewPlace makes a Place of a file name.
func NewPlace(s string) Place { return Place{word{strings.ToValidUTF8(s, "\uFFFD")}} }

// UnmarshalJSON reads a place.
func (p *Place) UnmarshalJSON(data []byte) (err error) {
	p.word, err = readWord(data, utf8.ValidString)
	return err
}

// Command is a command line for a POSIX shell: every word is quoted, and it is
// printable text on one line.
type Command struct{ word }

// NewCommand joins words into a command line. False when a word cannot be
// passed through a shell (it holds a NUL byte, or ends with a line end that a
// substitution would drop).
func NewCommand(words ...string) (Command, bool) {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if !appendShellWord(&b, w) {
			return Command{}, false
		}
	}
	return Command{word{b.String()}}, true
}

// And is c followed by d when c succeeds; no command when one of them is none.
func (c Command) And(d Command) Command {
	if c.IsZero() || d.IsZero() {
		return Command{}
	}
	return Command{word{c.text + " && " + d.text}}
}

// UnmarshalJSON reads a command.
func (c *Command) UnmarshalJSON(data []byte) (err error) {
	c.word, err = readWord(data, isPrintable)
	return err
}
