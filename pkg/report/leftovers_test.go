package report

import (
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// leftoverLine is a row of the repository /r with a few fields set.
func leftoverLine(t *testing.T, change func(*record.Leftover)) string {
	t.Helper()
	row := record.Leftover{V: 1, Kind: record.KindLeftover, Repo: record.NewPlace("/r"), Holds: []record.Hold{}}
	change(&row)
	line, err := ndjson.Marshal(&row)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestLeftovers(t *testing.T) {
	command, _ := record.NewCommand("git", "-C", "/r", "branch", "-d", "--", "it's`x``y`")
	tip, _ := record.NewHash("1111111111111111")
	stamp, _ := record.ParseTimestamp("2026-03-01T23:59:59Z")
	held := []record.Hold{record.HoldCheckedOut, record.HoldLocked, record.HoldDetached, record.HoldInUse, record.HoldDirty, record.HoldSubmodules,
		record.HoldOperation, record.HoldUntouched, record.HoldMoved, record.HoldReverted, record.HoldLocalWork, record.HoldOtherRemote, record.HoldUnchecked, "new-hold"}
	branch := func(row *record.Leftover) {
		row.Leftover, row.Ref, row.Suggest = record.MergedByContent, record.NewRefName("refs/heads/a`b|c"), command
		row.Evidence.Branch = &record.BranchFacts{Tip: tip, Match: tip, Rung: record.RungSquash, LastCommit: stamp, Gone: true, Stashes: 1}
	}
	got := report(t,
		leftoverLine(t, branch),
		leftoverLine(t, branch), // the same again
		leftoverLine(t, func(row *record.Leftover) {
			branch(row)
			row.Repo = record.NewPlace("/s\n# head")
			row.Ref = record.NewRefName("refs/remotes/origin/x")
			row.Evidence.Branch.Rung, row.Evidence.Branch.Gone, row.Evidence.Branch.Stashes = record.RungEarlierNoOp, false, 0
			row.SessionID = record.NewSessionID("s1")
		}),
		leftoverLine(t, func(row *record.Leftover) {
			row.Leftover, row.Path, row.Holds = record.WorktreeLeft, record.NewPlace("/w"), held
			row.Evidence.Worktree = &record.WorktreeFacts{Path: row.Path, Changed: 2, Untracked: 3, Ignored: 1, Submodules: 2, Operation: record.MustIdentifier("rebase")}
			row.Suggest = command
		}),
		leftoverLine(t, func(row *record.Leftover) {
			row.Leftover, row.Ref, row.Holds = record.GoneLocalBranch, record.NewRefName("refs/heads/gone"), []record.Hold{record.HoldNotProven}
			row.Evidence.Branch = &record.BranchFacts{Gone: true, Ahead: 1}
		}),
		leftoverLine(t, func(row *record.Leftover) {
			row.Leftover, row.Repo, row.Error = record.Unreadable, record.NewPlace("/t"), "not a git *repository*"
		}),
		leftoverLine(t, func(row *record.Leftover) {
			row.Leftover, row.Repo, row.Path = "new-kind", record.NewPlace("/t"), record.NewPlace("/w ")
		}),
	)
	const run = "``` git -C /r branch -d -- 'it'\\''s`x``y`' ```\n"
	const want = "## Leftovers\n\n6 leftovers in 3 repositories: 2 with a command that settles it, 4 to look at.\n" +
		"\n### `/r`\n\n" +
		"- [ ] branch `` a`b|c ``: merged as one commit, `111111111111`; its upstream is gone; 1 stash entry made on it will stay; last commit 2026-03-01\n" +
		"  - run: " + run +
		"- [ ] worktree `/w`: held: checked out in `/w`; held: locked; held: on no branch; held: one stands in it; held: 2 changed, 3 unknown to git; " +
		"held: 2 submodules checked out, so that git refuses; --force would discard what was not pushed from there; held: a rebase is under way; " +
		"held: nothing was committed on the branch yet, so work may be about to begin; held: it seems to have been moved by hand; " +
		"held: merging it again would change the base, so it was probably reverted; held: the local branch has work that is not merged; " +
		"held: it is of another remote than the base; held: git could not tell; held: new-hold; 1 ignored file or directory would go with it\n" +
		"  - look: " + run +
		"- [ ] branch `gone`: its upstream is gone, which proves no merge: 1 commit of its own\n" +
		"\n### /s \\# head\n\n" +
		"- [ ] remote branch `origin/x`: merged by content: at `111111111111` merging it would have changed nothing; last commit 2026-03-01; made in session `s1`\n" +
		"  - run: " + run +
		"\n### `/t`\n\n" +
		"- [ ] could not be read: not a git \\*repository\\*\n" +
		"- [ ] new-kind ` /w  `\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := report(t, verdictLine, leftoverLine(t, branch)); !strings.HasPrefix(got, "## Sessions\n") || !strings.Contains(got, "|\n\n## Leftovers\n") {
		t.Errorf("got:\n%s", got)
	}
}
