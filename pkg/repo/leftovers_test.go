package repo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// cloned makes a scene whose repository is a clone of a bare origin, with one
// commit on main.
func cloned(t *testing.T, files ...string) *scene {
	t.Helper()
	s := newScene(t)
	s.commit("2026-01-01T10:00:00Z", "start", append([]string{"file", numbered(40), "other", numbered(40)}, files...)...)
	s.run("clone", "-q", "--bare", s.dir, filepath.Join(s.dir, "..", "origin.git"))
	s.run("remote", "add", "origin", filepath.Join(s.dir, "..", "origin.git"))
	s.run("fetch", "-q")
	s.run("remote", "set-head", "origin", "main")
	s.run("branch", "-q", "-u", "origin/main")
	return s
}

// base is the directory that holds everything of the scene.
func (s *scene) base() string { return filepath.Dir(s.home) }

// tree makes a linked worktree with a branch that has one commit.
func (s *scene) tree(path, branch string) *scene {
	s.t.Helper()
	s.run("worktree", "add", "-q", "-b", branch, path, "main")
	w := s.at(path)
	w.commit(s.date, "work of "+branch, "of-"+strings.ReplaceAll(branch, "/", "-"), branch+"\n")
	return w
}

// land merges a branch into main with a merge commit and pushes main.
func (s *scene) land(branches ...string) {
	s.t.Helper()
	s.run("checkout", "-q", "main")
	for _, b := range branches {
		s.run("merge", "-q", "--no-ff", "--no-edit", b)
	}
	s.run("push", "-q", "origin", "main")
}

// leftovers are the rows of the scene's repository.
func (s *scene) leftovers(opt Options) []record.Leftover {
	s.t.Helper()
	r, err := s.git.Open(context.Background(), s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	rows, err := r.Leftovers(context.Background(), opt)
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

// brief is a row on one line, without what differs from run to run.
func (s *scene) brief(row *record.Leftover) string {
	words := []string{string(row.Leftover)}
	for _, w := range []string{row.Ref.Short(), row.Path.String()} {
		if w != "" {
			words = append(words, w)
		}
	}
	for _, h := range row.Holds {
		words = append(words, "!"+string(h))
	}
	if !row.Suggest.IsZero() {
		words = append(words, ": "+row.Suggest.String())
	}
	text := strings.ReplaceAll(strings.Join(words, " "), s.base(), "$W")
	if row.Evidence.Branch != nil {
		text = strings.ReplaceAll(text, row.Evidence.Branch.Tip.String(), "TIP")
	}
	return text
}

func (s *scene) compare(rows []record.Leftover, want ...string) {
	s.t.Helper()
	var got []string
	for i := range rows {
		got = append(got, s.brief(&rows[i]))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// obey runs every suggestion in a shell.
func (s *scene) obey(rows []record.Leftover) {
	s.t.Helper()
	for _, row := range rows {
		if row.Suggest.IsZero() {
			continue
		}
		cmd := exec.Command("sh", "-c", row.Suggest.String())
		cmd.Dir = s.home
		cmd.Env = append(os.Environ(), "HOME="+s.home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_PAGER=cat")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Errorf("%s: %v\n%s", row.Suggest, err, out)
		}
	}
}

// snapshot is every file under a directory with its mode, time and content.
func snapshot(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := [32]byte{}
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(text)
		}
		when := info.ModTime()
		if strings.Contains(path, "/objects/") {
			when = time.Time{} // see quarantine
		}
		fmt.Fprintf(&b, "%q %v %v %x\n", path, info.Mode(), when, sum[:8])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unchanged compares everything of the scene with a snapshot.
func (s *scene) unchanged(before string) {
	s.t.Helper()
	after := strings.Split(snapshot(s.t, s.base()), "\n")
	for i, line := range strings.Split(before, "\n") {
		if i >= len(after) || after[i] != line {
			s.t.Fatalf("something has changed: it was\n%s", line)
		}
	}
}

func TestBranches(t *testing.T) {
	s := cloned(t)
	for _, name := range []string{"merged", "merged-here-only", "squashed", "squashed-reverted", "gone-open", "gone-squashed", "went-on", "open", "develop"} {
		s.branch(name)
		s.commit(s.date, name, name, numbered(9))
		s.edit(name, 5, "more")
		if name != "merged-here-only" {
			s.run("push", "-q", "-u", "origin", name)
		}
	}
	s.land("merged", "merged-here-only", "went-on", "develop")
	s.run("checkout", "-q", "went-on")
	s.edit("went-on", 2, "a fix after the merge")
	for _, name := range []string{"squashed", "squashed-reverted", "gone-squashed"} {
		s.squash(name)
	}
	s.run("revert", "--no-edit", "HEAD~1")
	s.run("push", "-q", "origin", "main", ":gone-open", ":gone-squashed")
	s.run("branch", "-q", "fresh")
	s.run("branch", "-q", "stale", "HEAD~1")
	s.run("update-ref", "refs/remotes/fork/topic", "merged")
	s.run("tag", "squashed", "main") // a tag of the same name must not be meant

	before := snapshot(t, s.base())
	rows := s.leftovers(Options{Keep: []string{"develop"}})
	s.unchanged(before)
	s.compare(rows,
		"gone-local-branch gone-open !not-proven : git -C $W/repo log --oneline refs/remotes/origin/main..refs/heads/gone-open --",
		"merged-by-content gone-squashed : git -C $W/repo update-ref refs/heads/gone-squashed TIP TIP && git -C $W/repo branch -D -- gone-squashed",
		"merged-local-branch merged : git -C $W/repo branch -d -- merged",
		"merged-local-branch merged-here-only : git -C $W/repo branch -d -- merged-here-only",
		"merged-by-content squashed : git -C $W/repo update-ref refs/heads/squashed TIP TIP && git -C $W/repo branch -D -- squashed",
		"merged-by-content squashed-reverted !maybe-reverted : git -C $W/repo log --oneline refs/remotes/origin/main..refs/heads/squashed-reverted --",
		"merged-local-branch stale : git -C $W/repo branch -d -- stale",
		"merged-remote-branch fork/topic !other-remote",
		"merged-remote-branch origin/merged : git -C $W/repo push --force-with-lease=refs/heads/merged:TIP --delete -- origin refs/heads/merged",
		"merged-by-content origin/squashed : git -C $W/repo push --force-with-lease=refs/heads/squashed:TIP --delete -- origin refs/heads/squashed",
		"merged-by-content origin/squashed-reverted !maybe-reverted : git -C $W/repo log --oneline refs/remotes/origin/main..refs/remotes/origin/squashed-reverted --",
		"merged-remote-branch origin/went-on !local-work",
	)
	gone := rows[1].Evidence.Branch
	if !gone.Gone || gone.Merged || !gone.MergedByContent || gone.Rung != record.RungSquash || gone.Ahead != 2 ||
		gone.Upstream.String() != "refs/remotes/origin/gone-squashed" || gone.LastCommit.String() != "2026-01-01T10:00:00.000Z" {
		t.Errorf("facts: got %+v", *gone)
	}

	s.obey(rows)
	s.compare(s.leftovers(Options{Keep: []string{"develop"}}),
		"gone-local-branch gone-open !not-proven : git -C $W/repo log --oneline refs/remotes/origin/main..refs/heads/gone-open --",
		"merged-by-content squashed-reverted !maybe-reverted : git -C $W/repo log --oneline refs/remotes/origin/main..refs/heads/squashed-reverted --",
		"merged-remote-branch fork/topic !other-remote",
		"merged-by-content origin/squashed-reverted !maybe-reverted : git -C $W/repo log --oneline refs/remotes/origin/main..refs/remotes/origin/squashed-reverted --",
		"merged-remote-branch origin/went-on !local-work",
	)
}

// A suggestion that is pasted after more work was done must do nothing.
func TestSuggestionsCheckAgain(t *testing.T) {
	s := cloned(t)
	for _, name := range []string{"merged", "squashed"} {
		s.branch(name)
		s.commit(s.date, name, name, "1\n", name+"-2", "2\n")
		s.run("push", "-q", "-u", "origin", name)
	}
	s.land("merged")
	s.squash("squashed")
	s.run("push", "-q", "origin", "main")
	s.run("checkout", "-q", "-b", "elsewhere", "HEAD~2")
	s.run("branch", "-q", "--unset-upstream", "merged") // then git asks HEAD, which has not got it
	rows := s.leftovers(Options{})
	s.compare(rows,
		"merged-local-branch elsewhere !checked-out",
		"merged-local-branch merged : git -C $W/repo merge-base --is-ancestor refs/heads/merged refs/remotes/origin/main && git -C $W/repo branch -D -- merged",
		"merged-by-content squashed : git -C $W/repo update-ref refs/heads/squashed TIP TIP && git -C $W/repo branch -D -- squashed",
		"merged-remote-branch origin/merged : git -C $W/repo push --force-with-lease=refs/heads/merged:TIP --delete -- origin refs/heads/merged",
		"merged-by-content origin/squashed : git -C $W/repo push --force-with-lease=refs/heads/squashed:TIP --delete -- origin refs/heads/squashed",
		"behind elsewhere $W/repo : git -C $W/repo log --oneline HEAD..refs/remotes/origin/main --",
	)
	for _, name := range []string{"merged", "squashed"} {
		s.run("checkout", "-q", name)
		s.commit(s.date, "later", name, "later\n")
		s.run("push", "-q", "origin", name)
		s.run("update-ref", "refs/remotes/origin/"+name, name+"~1") // as if somebody else had pushed
	}
	s.run("checkout", "-q", "elsewhere")
	for _, row := range rows[1:5] {
		cmd := exec.Command("sh", "-c", row.Suggest.String())
		cmd.Env = append(os.Environ(), "HOME="+s.home)
		if err := cmd.Run(); err == nil {
			t.Errorf("%s: did something", row.Suggest)
		}
	}
	for _, ref := range []string{"merged", "squashed"} {
		s.run("rev-parse", "--verify", ref)
		s.run("ls-remote", "--exit-code", "origin", "refs/heads/"+ref)
	}
}

func TestWorktrees(t *testing.T) {
	s := cloned(t, ".gitignore", "build/\n")
	at := func(name string) string { return filepath.Join(s.base(), "trees", name) }
	var names []string
	for _, name := range []string{"changed", "clean", "gone", "in-use", "locked", "lost", "rebasing"} {
		s.tree(at(name), name)
		names = append(names, name)
	}
	s.tree(at("open"), "open")
	s.tree(at("prunable-open"), "prunable-open")
	s.land(names...)
	s.run("worktree", "add", "-q", "-b", "begun", at("begun"), "main~1")
	s.run("worktree", "add", "-q", "-b", "fresh", at("fresh"), "main")
	s.run("worktree", "add", "-q", "--detach", at("detached"), "clean")
	s.at(at("changed")).write("of-changed", "edited\n")
	s.at(at("changed")).write("new", "1\n")
	s.at(at("clean")).write("build/out", "1\n")
	s.run("worktree", "lock", "--reason", "on a disk", at("locked"))
	s.run("worktree", "lock", at("lost"))
	for _, name := range []string{"gone", "lost", "prunable-open"} {
		if err := os.RemoveAll(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	rebasing := s.at(at("rebasing"))
	rebasing.run("-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
	s.at(at("clean")).write("of-clean", "stashed\n")
	s.at(at("clean")).run("stash", "-q")

	before := snapshot(t, s.base())
	rows := s.leftovers(Options{From: filepath.Join(at("in-use"), ".")})
	s.unchanged(before)
	s.compare(rows,
		"worktree begun $W/trees/begun !untouched",
		"worktree changed $W/trees/changed !dirty : git -C $W/trees/changed status",
		"worktree clean $W/trees/clean : git -C $W/repo worktree remove $W/trees/clean",
		"worktree $W/trees/detached !detached",
		"worktree gone $W/trees/gone : git -C $W/repo worktree remove $W/trees/gone",
		"worktree in-use $W/trees/in-use !in-use",
		"worktree locked $W/trees/locked !locked : git -C $W/repo worktree list --verbose",
		"locked-missing lost $W/trees/lost !locked : git -C $W/repo worktree list --verbose",
		"worktree prunable-open $W/trees/prunable-open : git -C $W/repo worktree remove $W/trees/prunable-open",
		"worktree rebasing $W/trees/rebasing !operation !detached : git -C $W/trees/rebasing status",
		"merged-local-branch begun !checked-out",
		"merged-local-branch changed !checked-out",
		"merged-local-branch clean : git -C $W/repo branch -d -- clean",
		"merged-local-branch gone : git -C $W/repo branch -d -- gone",
		"merged-local-branch in-use !checked-out",
		"merged-local-branch locked !checked-out",
		"merged-local-branch lost !checked-out",
		"merged-local-branch rebasing !checked-out",
	)
	find := func(name string) *record.WorktreeFacts {
		for i := range rows {
			if rows[i].Path.String() == at(name) {
				return rows[i].Evidence.Worktree
			}
		}
		t.Fatalf("no row for %s", name)
		return nil
	}
	if w := find("changed"); w.Changed != 1 || w.Untracked != 1 || w.Ignored != 0 {
		t.Errorf("changed: got %+v", *w)
	}
	if w := find("clean"); w.Changed != 0 || w.Untracked != 0 || w.Ignored != 1 {
		t.Errorf("clean: got %+v", *w)
	}
	if w := find("rebasing"); w.Operation.String() != "rebase" || !w.Detached {
		t.Errorf("rebasing: got %+v", *w)
	}
	if b := rows[2].Evidence.Branch; b.Stashes != 1 || !b.Merged || b.Untouched {
		t.Errorf("clean: got %+v", *b)
	}

	s.obey(rows)
	s.compare(s.leftovers(Options{From: at("in-use")}),
		"worktree begun $W/trees/begun !untouched",
		"worktree changed $W/trees/changed !dirty : git -C $W/trees/changed status",
		"worktree $W/trees/detached !detached",
		"worktree in-use $W/trees/in-use !in-use",
		"worktree locked $W/trees/locked !locked : git -C $W/repo worktree list --verbose",
		"locked-missing lost $W/trees/lost !locked : git -C $W/repo worktree list --verbose",
		"worktree rebasing $W/trees/rebasing !operation !detached : git -C $W/trees/rebasing status",
		"merged-local-branch begun !checked-out",
		"merged-local-branch changed !checked-out",
		"merged-local-branch in-use !checked-out",
		"merged-local-branch locked !checked-out",
		"merged-local-branch lost !checked-out",
		"merged-local-branch rebasing !checked-out",
	)
}

func TestDirectories(t *testing.T) {
	s := cloned(t, ".gitignore", ".worktrees/\n.claude/\n.superpowers/\n",
		"openspec/changes/archive/old/proposal.md", "1\n", "openspec/changes/add-x/proposal.md", "1\n", "openspec/changes/README.md", "1\n")
	for _, dir := range []string{".worktrees/empty", ".worktrees/full/src", ".claude/worktrees/a b", ".superpowers/sdd/plan-1"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.write(".superpowers/sdd/plan-1/notes", "1\n")
	s.write(".superpowers/sdd/file", "1\n")
	s.tree(filepath.Join(s.dir, ".worktrees/feat/deep"), "feat/deep")
	done := s.tree(filepath.Join(s.dir, ".worktrees/done"), "done")
	s.tree(s.dir+".wt/moved", "moved")
	s.tree(filepath.Join(s.base(), ".wt", "task-1", "repo"), "task-1")
	s.run("init", "-q", filepath.Join(s.dir, ".worktrees/clone"))
	s.run("init", "-q", filepath.Join(s.dir, ".worktrees/group/clone"))
	for _, dir := range []string{".wt/task-2/repo", ".wt/task-2/another", "repo.wt/broken"} {
		if err := os.MkdirAll(filepath.Join(s.base(), dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.at(s.dir+".wt/broken").write(".git", "gitdir: "+filepath.Join(s.dir, ".git/worktrees/was-here")+"\n")
	if err := os.Rename(s.dir+".wt/moved", s.dir+".wt/here-now"); err != nil {
		t.Fatal(err)
	}
	done.write(".superpowers/sdd/plan-2/notes", "1\n")
	s.at(filepath.Join(s.dir, ".worktrees/feat/deep")).write(".superpowers/sdd/active/notes", "1\n")
	s.land("done")

	before := snapshot(t, s.base())
	rows := s.leftovers(Options{From: filepath.Join(s.dir, ".worktrees", "full", "src")})
	s.unchanged(before)
	s.compare(rows,
		"worktree moved $W/repo.wt/moved !moved",
		"worktree done $W/repo/.worktrees/done : git -C $W/repo worktree remove $W/repo/.worktrees/done",
		"merged-local-branch done : git -C $W/repo branch -d -- done",
		"orphan-dir $W/repo/.worktrees/empty : rmdir -- $W/repo/.worktrees/empty",
		"orphan-dir $W/repo/.worktrees/full !in-use",
		"orphan-dir $W/repo/.claude/worktrees/a b : rmdir -- '$W/repo/.claude/worktrees/a b'",
		"orphan-dir $W/repo.wt/broken",
		"orphan-dir $W/repo.wt/here-now !moved : git -C $W/repo worktree repair $W/repo.wt/here-now",
		"orphan-dir $W/.wt/task-2/repo : rmdir -- $W/.wt/task-2/repo",
		"sdd-workspace $W/repo/.superpowers/sdd/plan-1 : git -C $W/repo --literal-pathspecs clean -ndx -- .superpowers/sdd/plan-1",
		"sdd-workspace $W/repo/.worktrees/done/.superpowers/sdd/plan-2 : git -C $W/repo/.worktrees/done --literal-pathspecs clean -ndx -- .superpowers/sdd/plan-2",
		"open-change openspec/changes/add-x : git -C $W/repo --literal-pathspecs log --oneline -5 refs/remotes/origin/main -- openspec/changes/add-x",
	)
	s.obey(rows[3:]) // the directory in a worktree before the worktree
	s.obey(rows[:2])
	s.obey(rows[2:3])
}

func TestMainCheckout(t *testing.T) {
	s := cloned(t)
	s.edit("file", 1, "newer")
	s.run("push", "-q", "origin", "main")
	s.run("reset", "-q", "--hard", "HEAD~1")
	rows := s.leftovers(Options{})
	s.compare(rows, "behind main $W/repo : git -C $W/repo merge --ff-only refs/remotes/origin/main")
	if rows[0].Evidence.Count != 1 {
		t.Errorf("count: got %d", rows[0].Evidence.Count)
	}
	s.write("other", "changed\n")
	s.write("new\nfile", "1\n")
	rows = s.leftovers(Options{})
	s.compare(rows,
		"behind main $W/repo : git -C $W/repo log --oneline HEAD..refs/remotes/origin/main --",
		"dirty main $W/repo : git -C $W/repo status")
	if rows[1].Evidence.Count != 2 {
		t.Errorf("count: got %d", rows[1].Evidence.Count)
	}
	s.run("checkout", "-q", "-f", "-b", "feature", "origin/main")
	s.run("clean", "-qfd")
	// Worktrees and workspaces in the checkout are not its dirt; a file beside
	// them is, and so is a tracked one among them.
	s.run("worktree", "add", "-q", "-b", "near", ".claude/worktrees/near")
	s.run("worktree", "add", "-q", "-b", "inside", "inside *")
	s.write(".superpowers/sdd/plan/notes", "1\n")
	const plan = "sdd-workspace $W/repo/.superpowers/sdd/plan : git -C $W/repo --literal-pathspecs clean -ndx -- .superpowers/sdd/plan"
	s.compare(s.leftovers(Options{}), plan)
	s.write(".claude/settings", "1\n")
	s.write(".superpowers/sdd/plan/tracked", "1\n")
	s.run("add", ".superpowers/sdd/plan/tracked")
	rows = s.leftovers(Options{})
	s.compare(rows, plan, "dirty feature $W/repo : git -C $W/repo status")
	if got := rows[1].Evidence.Worktree; rows[1].Evidence.Count != 2 || got.Changed != 1 || got.Untracked != 1 {
		t.Errorf("got %+v", *got)
	}
	s.run("rm", "-q", "-f", "--cached", ".superpowers/sdd/plan/tracked")
	if err := os.RemoveAll(filepath.Join(s.dir, ".superpowers")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"near", "inside"} {
		s.run("worktree", "remove", map[string]string{"near": ".claude/worktrees/near", "inside": "inside *"}[name])
		s.run("branch", "-q", "-D", name)
	}
	s.run("clean", "-qfd")
	s.edit("file", 9, "mine")
	s.run("push", "-q", "origin", "feature:main")
	s.run("fetch", "-q")
	s.edit("file", 9, "mine again")
	s.run("push", "-q", "origin", "HEAD:main")
	s.run("reset", "-q", "--hard", "HEAD~1")
	s.run("clean", "-qfd")
	s.compare(s.leftovers(Options{}), // merged, but one stands on it; and it only follows main
		"merged-local-branch feature !checked-out",
		"behind feature $W/repo : git -C $W/repo log --oneline HEAD..refs/remotes/origin/main --")
}

func TestBase(t *testing.T) {
	alone := newScene(t)
	alone.compare(alone.leftovers(Options{}), "no-base")
	alone.commit(alone.date, "start", "file", numbered(9))
	alone.branch("topic")
	alone.edit("file", 3, "x")
	alone.run("checkout", "-q", "main")
	alone.run("merge", "-q", "--no-ff", "topic")
	alone.compare(alone.leftovers(Options{}), "no-base : retro-leftovers --base=refs/heads/main $W/repo")
	alone.compare(alone.leftovers(Options{Base: "no-such"}), "no-base")
	alone.compare(alone.leftovers(Options{Base: "--all"}), "no-base")
	const topic = "merged-local-branch topic : git -C $W/repo branch -d -- topic"
	alone.compare(alone.leftovers(Options{Base: "main"}), topic)
	rows := alone.leftovers(Options{Base: "main~0"})
	alone.compare(rows, topic)
	if got, want := rows[0].Base.String(), alone.run("rev-parse", "main"); got != want {
		t.Errorf("base: got %s, want %s", got, want)
	}

	s := cloned(t)
	s.at(filepath.Join(s.base(), "origin.git")).run("config", "receive.denyDeleteCurrent", "ignore")
	s.run("branch", "-q", "-m", "main", "trunk")
	s.run("push", "-q", "origin", "trunk", ":main")
	s.branchFrom("topic", "trunk")
	s.edit("file", 3, "x")
	s.run("push", "-q", "origin", "topic:trunk", "topic", "topic:topic2")
	s.run("fetch", "-q", "--prune")
	s.run("checkout", "-q", "trunk")
	// origin/HEAD dangles: it still points to main, which is gone.
	s.compare(s.leftovers(Options{}), "no-origin-main : git -C $W/repo remote set-head origin --auto")
	s.at(filepath.Join(s.base(), "origin.git")).run("symbolic-ref", "HEAD", "refs/heads/trunk")
	s.obey(s.leftovers(Options{}))
	s.edit("other", 4, "y")
	s.run("pull", "-q", "--rebase", "origin", "trunk")
	s.run("push", "-q", "origin", "trunk")
	want := []string{
		"merged-local-branch topic : git -C $W/repo branch -d -- topic",
		"merged-remote-branch origin/topic : git -C $W/repo push --force-with-lease=refs/heads/topic:TIP --delete -- origin refs/heads/topic",
		"merged-remote-branch origin/topic2 : git -C $W/repo push --force-with-lease=refs/heads/topic2:TIP --delete -- origin refs/heads/topic2",
	}
	s.compare(s.leftovers(Options{}), want...)
	s.run("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	s.compare(s.leftovers(Options{}), "no-origin-main : git -C $W/repo remote set-head origin --auto")
	s.run("branch", "-q", "-m", "trunk", "mine")
	s.run("branch", "-q", "--unset-upstream")
	rows = s.leftovers(Options{Base: "trunk"}) // no local one: that of origin
	s.compare(rows, want...)
}

func (s *scene) branchFrom(name, start string) {
	s.t.Helper()
	s.run("checkout", "-q", "-B", name, start)
}

func TestBareRepository(t *testing.T) {
	s := cloned(t)
	s.branch("topic")
	s.edit("file", 3, "x")
	s.land("topic")
	bare := s.at(filepath.Join(s.base(), "bare.git"))
	s.run("clone", "-q", "--bare", s.dir, bare.dir)
	bare.run("worktree", "add", "-q", filepath.Join(s.base(), "linked"), "topic")
	s.run("remote", "remove", "origin")
	before := snapshot(t, bare.dir)
	rows := bare.at(filepath.Join(s.base(), "linked")).leftovers(Options{Base: "main"})
	s.compare(rows,
		"worktree topic $W/linked : git -C $W/bare.git worktree remove $W/linked", // it keeps no reflog
		"merged-local-branch topic : git -C $W/bare.git branch -d -- topic")
	if rows[0].Repo.String() != bare.dir {
		t.Errorf("repo: got %s", rows[0].Repo)
	}
	if snapshot(t, bare.dir) != before {
		t.Error("the repository has changed")
	}
}

func TestSubmodules(t *testing.T) {
	s := cloned(t)
	lib := newScene(t)
	lib.commit(lib.date, "lib", "lib", "1\n")
	s.run("submodule", "--quiet", "add", lib.dir, "lib dir")
	s.run("commit", "-q", "-m", "submodule")
	s.run("push", "-q", "origin", "main")
	with, without := filepath.Join(s.base(), "with"), filepath.Join(s.base(), "without")
	s.tree(with, "with")
	s.tree(without, "without")
	s.at(with).run("submodule", "--quiet", "update", "--init")
	s.land("with", "without")
	rows := s.leftovers(Options{})
	s.compare(rows,
		"worktree with $W/with !submodules : git -C $W/with submodule foreach --recursive 'git status --short --branch'",
		"worktree without $W/without : git -C $W/repo worktree remove $W/without",
		"merged-local-branch with !checked-out",
		"merged-local-branch without : git -C $W/repo branch -d -- without")
	if got := rows[0].Evidence.Worktree.Submodules; got != 1 {
		t.Errorf("submodules: got %d", got)
	}
	s.obey(rows)
	r, err := s.git.Open(context.Background(), filepath.Join(s.dir, "lib dir"))
	if err != nil || !r.Submodule || r.Root != filepath.Join(s.dir, "lib dir") {
		t.Errorf("got %+v, %v", r, err)
	}
	places, err := InDirectory(s.dir)
	if err != nil || len(places) > 0 {
		t.Errorf("a submodule was listed: %v, %v", places, err)
	}
}

// What a repository configures must not run, and its names must not break
// out.
func TestHostileRepository(t *testing.T) {
	s := cloned(t, ".gitattributes", "* filter=evil merge=evil diff=evil\n")
	trap := filepath.Join(s.base(), "trapped")
	names := []string{"-D", "$(touch${IFS}x)", "it's;echo", "`id`", "a\"b", "ü/文", "right\u202eleft", "bad\xffbyte", "a&&b", "|x", "!history"}
	for _, name := range names {
		s.run("checkout", "-q", "--detach", "main")
		s.commit(s.date, "work", "of-"+record.HashOf(8, name).String(), name+"\n")
		s.run("update-ref", "refs/heads/"+name, "HEAD")
		s.run("push", "-q", "origin", "refs/heads/"+name)
	}
	s.run("checkout", "-q", "main")
	for _, name := range names {
		s.run("merge", "-q", "--no-ff", "-m", "m", "refs/heads/"+name)
	}
	tree := filepath.Join(s.base(), "tree\n\x1b[31m $(touch x)")
	s.run("worktree", "add", "-q", "-b", "linked", tree)
	s.at(tree).commit(s.date, "linked", "linked\nfile", numbered(40))
	s.branch("conflicting")
	s.edit("file", 3, "mine")
	s.land("linked")
	s.edit("file", 3, "theirs")
	s.run("push", "-q", "origin", "main")

	bite := "touch '" + trap + "'; cat"
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.editor", "diff.external", "diff.evil.command", "diff.evil.textconv",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "gpg.program", "credential.helper", "pager.log", "pager.status", "alias.log"} {
		s.run("config", key, bite)
	}
	s.run("config", "log.showSignature", "true")
	s.run("config", "core.hooksPath", filepath.Join(s.base(), "hooks"))
	for _, hook := range []string{"reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc"} {
		s.at(s.base()).write("hooks/"+hook, "#!/bin/sh\n"+bite+"\n")
		if err := os.Chmod(filepath.Join(s.base(), "hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(s.dir, "file"), filepath.Join(tree, "file")} {
		text, err := os.ReadFile(path) // new times: status has to look into them
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"GIT_DIR": "/nonexistent", "GIT_WORK_TREE": "/nonexistent", "GIT_CONFIG_COUNT": "x", "GIT_EXTERNAL_DIFF": bite,
		"GIT_OBJECT_DIRECTORY": "/nonexistent", "GIT_TRACE": filepath.Join(s.base(), "trace"), "GIT_PAGER": bite, "GIT_INDEX_FILE": "/nonexistent", "LC_ALL": "de_DE.UTF-8"} {
		s.env[name] = value
	}
	var err error
	if s.git, err = NewGit(s.getenv, 0); err != nil {
		t.Fatal(err)
	}

	before := snapshot(t, s.base())
	rows := s.leftovers(Options{})
	s.unchanged(before)
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the repository was run")
	}
	if len(rows) != 2*len(names)+2 {
		t.Errorf("got %d rows", len(rows))
	}
	for _, row := range rows {
		line, err := ndjson.Marshal(&row)
		if err != nil || strings.ContainsAny(row.Suggest.String(), "\n\x1b\u202e") {
			t.Errorf("%s: %v", line, err)
		}
		var again record.Leftover
		if err := ndjson.Unmarshal(line, &again); err != nil || again.Suggest != row.Suggest {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, key := range []string{"core.fsmonitor", "core.hooksPath", "filter.evil.clean", "filter.evil.process", "diff.external", "core.pager", "pager.log", "pager.status"} {
		s.run("config", "--unset", key)
	}
	s.obey(rows)
	if left := s.leftovers(Options{}); len(left) > 0 {
		s.compare(left)
	}
}

// A branch that is damaged hides no other, and is no leftover.
func TestDamage(t *testing.T) {
	s := cloned(t)
	for _, name := range []string{"fine", "torn"} {
		s.branch(name)
		s.edit("file", 3, name)
		s.edit("file", 9, name)
		s.run("checkout", "-q", "main")
	}
	s.squash("fine")
	s.run("push", "-q", "origin", "main")
	for _, rev := range []string{"torn~1"} {
		oid := s.run("rev-parse", rev)
		path := filepath.Join(s.dir, ".git", "objects", oid[:2], oid[2:])
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s.at(s.dir).write(".git/refs/heads/missing", strings.Repeat("1", 40)+"\n")
	rows := s.leftovers(Options{})
	s.compare(rows,
		"merged-by-content fine : git -C $W/repo update-ref refs/heads/fine TIP TIP && git -C $W/repo branch -D -- fine",
		"unreadable missing !unchecked",
		"unreadable torn !unchecked")
	if rows[1].Error == "" || rows[2].Error == "" {
		t.Errorf("got no error: %+v", rows[1:])
	}
}

func TestShallowClone(t *testing.T) {
	s := cloned(t)
	for i := range 5 {
		s.edit("file", 20+i, "x")
	}
	s.branch("topic")
	s.edit("other", 3, "mine")
	s.edit("other", 9, "mine")
	s.run("push", "-q", "origin", "topic")
	s.squash("topic")
	s.run("push", "-q", "origin", "main")
	shallow := s.at(filepath.Join(s.base(), "shallow"))
	s.run("clone", "-q", "--depth", "3", "--no-single-branch", "file://"+filepath.Join(s.base(), "origin.git"), shallow.dir)
	s.compare(shallow.leftovers(Options{}),
		"merged-by-content origin/topic : git -C $W/shallow push --force-with-lease=refs/heads/topic:TIP --delete -- origin refs/heads/topic")
}

// Blobs that a partial clone has not got are not fetched; what can be told
// without them is.
func TestPartialClone(t *testing.T) {
	s := cloned(t)
	for _, name := range []string{"merged", "squashed", "open"} {
		s.branch(name)
		s.edit("file", 3, name)
		s.edit("file", 9, name)
		s.run("push", "-q", "origin", name)
		s.run("checkout", "-q", "main")
		if name == "merged" {
			s.land(name)
		}
	}
	s.squash("squashed")
	s.edit("file", 3, "newer")
	s.run("push", "-q", "origin", "main")
	s.at(filepath.Join(s.base(), "origin.git")).run("config", "uploadpack.allowFilter", "true")
	partial := s.at(filepath.Join(s.base(), "partial"))
	s.run("clone", "-q", "--filter=blob:none", "file://"+filepath.Join(s.base(), "origin.git"), partial.dir)
	before := snapshot(t, partial.dir)
	rows := partial.leftovers(Options{})
	if snapshot(t, partial.dir) != before {
		t.Error("objects were fetched")
	}
	s.compare(rows,
		"merged-remote-branch origin/merged : git -C $W/partial push --force-with-lease=refs/heads/merged:TIP --delete -- origin refs/heads/merged",
		"unreadable !unchecked")
	if want := "branches could not all be compared by content: git diff-tree: exit status 128"; rows[1].Error != want {
		t.Errorf("got error %q, want %q", rows[1].Error, want)
	}
}

// Object ids of 64 digits, and objects that are borrowed from elsewhere.
func TestOtherObjectStores(t *testing.T) {
	s := newScene(t)
	long := s.at(filepath.Join(s.base(), "long"))
	s.run("init", "-q", "-b", "main", "--object-format=sha256", long.dir)
	long.commit(s.date, "start", "file", numbered(40))
	long.branch("squashed")
	long.edit("file", 3, "x")
	long.edit("file", 9, "x")
	long.squash("squashed")
	borrowed := s.at(filepath.Join(s.base(), "borrowed \"dir\""))
	s.run("clone", "-q", "--shared", long.dir, borrowed.dir)
	for _, r := range []*scene{long, borrowed} {
		rows := r.leftovers(Options{Base: "main"})
		if len(rows) != 1 || rows[0].Evidence.Branch.Rung != record.RungSquash || len(rows[0].Evidence.Branch.Tip.String()) != 64 {
			t.Errorf("%s: got %+v", r.dir, rows)
		}
	}
}

func TestFetch(t *testing.T) {
	s := cloned(t)
	s.branch("topic")
	s.edit("file", 3, "x")
	s.run("push", "-q", "-u", "origin", "topic")
	s.run("checkout", "-q", "main")
	s.at(filepath.Join(s.base(), "origin.git")).run("update-ref", "-d", "refs/heads/topic")
	s.compare(s.leftovers(Options{}))
	r, err := s.git.Open(context.Background(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	s.write(".git/hooks/reference-transaction", "#!/bin/sh\ntouch '"+filepath.Join(s.base(), "trapped")+"'\n")
	if err := os.Chmod(filepath.Join(s.dir, ".git/hooks/reference-transaction"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.Fetch(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.dir, ".git/hooks/reference-transaction")); err != nil {
		t.Fatal(err)
	}
	s.compare(s.leftovers(Options{}),
		"gone-local-branch topic !not-proven : git -C $W/repo log --oneline refs/remotes/origin/main..refs/heads/topic --")
	s.run("config", "remote.origin.url", "ext::sh -c 'touch "+filepath.Join(s.base(), "trapped")+"'")
	if err := r.Fetch(context.Background()); err == nil {
		t.Error("fetched through a program")
	}
	if _, err := os.Stat(filepath.Join(s.base(), "trapped")); err == nil {
		t.Error("a hook, or the program of the url, was run")
	}
}
