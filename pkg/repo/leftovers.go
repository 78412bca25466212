package repo

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"retro/pkg/record"
)

// Options say what is looked at.
type Options struct {
	// Base names what the branches are compared with; "" finds it.
	Base string
	// Keep are patterns (as of [path.Match]) of branch names that are never
	// leftovers, whatever is merged: those that live for ever.
	Keep []string
	// From is the directory that the program was started in.
	From string
	// Sessions tie the rows to the sessions that made them; nil for none.
	Sessions *Sessions
}

// FetchLimit is the time limit of a fetch.
const FetchLimit = 10 * time.Minute

// Fetch brings the remote-tracking branches of origin up to date and drops
// those whose branch is gone. It is the only thing in this package that
// changes a repository. Without a remote of that name it does nothing.
func (r *Repository) Fetch(ctx context.Context) error {
	remotes, err := r.remotes(ctx)
	if err != nil || !slices.ContainsFunc(remotes, func(m remote) bool { return m.name == "origin" }) {
		return err
	}
	patient := *r.git
	patient.limit = max(FetchLimit, r.git.limit)
	_, err = patient.run(ctx, call{dir: r.Root, env: []string{"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"},
		args: []string{"fetch", "--quiet", "--prune", "--no-recurse-submodules", "--no-write-fetch-head", "origin"}})
	return err
}

// survey is one look at a repository.
type survey struct {
	*Repository
	opt       Options
	refs      []ref
	remotes   []remote
	base      base
	worktrees []worktree
	orphans   []orphan
	judged    *judgement
	stashes   map[string]int  // entries by short name of the branch they were made on
	inHead    map[string]bool // local branches that the HEAD of the main worktree reaches, by full name
	rows      []record.Leftover
}

// Leftovers lists what closed tasks left behind in the repository, worktrees
// first, then branches by name, then directories and the state of the main
// checkout. A repository without a base gives one row that says so.
func (r *Repository) Leftovers(ctx context.Context, opt Options) ([]record.Leftover, error) {
	s := &survey{Repository: r, opt: opt}
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	if s.base.oid == "" {
		return []record.Leftover{s.withoutBase(ctx)}, nil
	}
	if err := s.judge(ctx); err != nil {
		return nil, err
	}
	s.orphans = r.orphans(ctx, s.worktrees)
	for i := range s.worktrees {
		s.worktreeRow(&s.worktrees[i])
	}
	for i := range s.refs {
		s.branchRow(&s.refs[i])
	}
	for _, o := range s.orphans {
		s.orphanRow(o)
	}
	s.sddRows()
	err := cmp.Or(s.changeRows(ctx), s.checkoutRows(ctx))
	if s.judged.partial != nil {
		row := s.row(record.Unreadable)
		row.Error = "branches could not all be compared by content: " + s.judged.partial.Error()
		row.Holds = append(row.Holds, record.HoldUnchecked)
		s.rows = append(s.rows, row)
	}
	opt.Sessions.tie(s.rows, s.places(), s.remotes)
	return s.rows, err
}

// places are the directories in which a session on the repository may have
// run.
func (s *survey) places() []string {
	places := []string{s.Root, s.Worktree}
	for _, w := range s.worktrees {
		places = append(places, w.path)
	}
	for _, row := range s.rows { // a worktree that was removed, where agents put them
		if short, local := strings.CutPrefix(row.Ref.String(), headsPrefix); local {
			for _, home := range s.homes() {
				places = append(places, filepath.Join(home, short))
			}
		}
	}
	return places
}

// read collects what the rows are made of, but for the comparison with the
// base.
func (s *survey) read(ctx context.Context) (err error) {
	if s.refs, err = s.Repository.refs(ctx); err != nil {
		return err
	}
	if s.remotes, err = s.Repository.remotes(ctx); err != nil {
		return err
	}
	s.base = s.findBase(ctx, s.opt.Base, s.refs, s.remotes)
	if s.base.oid == "" {
		return nil
	}
	if s.worktrees, err = s.Repository.worktrees(ctx); err != nil {
		return err
	}
	for i := range s.worktrees {
		s.look(ctx, &s.worktrees[i], s.opt.From)
	}
	s.stashes = s.stashCounts(ctx)
	s.inHead = s.reachedByHead(ctx)
	return ctx.Err()
}

// stashCounts counts stash entries by the branch that git wrote into their
// message.
func (s *survey) stashCounts(ctx context.Context) map[string]int {
	counts := make(map[string]int)
	out, err := s.git.read(ctx, s.Root, "stash", "list", "-z", "--format=%gs")
	if err != nil {
		return counts
	}
	for _, subject := range fields(out) {
		_, rest, _ := strings.Cut(subject, "n ") // "WIP on main: ...", "On main: ..."
		if branch, _, ok := strings.Cut(rest, ": "); ok {
			counts[branch]++
		}
	}
	return counts
}

// reachedByHead asks what git branch -d will ask when a branch has no upstream.
func (s *survey) reachedByHead(ctx context.Context) map[string]bool {
	reached := make(map[string]bool)
	out, err := s.git.read(ctx, s.Root, "for-each-ref", "--merged=HEAD", "--format=%(refname)%00", headsPrefix)
	if err != nil {
		return reached // then git branch -d is not relied on
	}
	for _, name := range fields(out) {
		reached[strings.TrimPrefix(name, "\n")] = true
	}
	return reached
}

// judge compares all tips with the base, in a quarantine.
func (s *survey) judge(ctx context.Context) error {
	var tips []string
	for _, r := range s.refs {
		if r.symref == "" {
			tips = append(tips, r.oid)
		}
	}
	for _, w := range s.worktrees {
		if strings.Trim(w.head, "0") != "" { // zeros stand for a branch without commits
			tips = append(tips, w.head)
		}
	}
	q, err := s.quarantine(len(s.base.oid))
	if err != nil {
		return errors.New("no temporary directory for the comparison")
	}
	defer q.close()
	s.judged, err = q.judge(ctx, s.base.oid, tips)
	return err
}

// row starts a record.
func (s *survey) row(kind record.LeftoverKind) record.Leftover {
	return record.Leftover{
		V: record.Version, Kind: record.KindLeftover, Repo: record.NewPlace(s.Root), Leftover: kind,
		Base: record.NewRefName(s.base.name), Holds: []record.Hold{},
	}
}

// withoutBase is the only row of a repository that has nothing to compare
// with.
func (s *survey) withoutBase(ctx context.Context) record.Leftover {
	row := s.row(record.NoBase)
	switch {
	case s.opt.Base != "":
	case slices.ContainsFunc(s.remotes, func(m remote) bool { return m.name == "origin" }):
		row.Leftover = record.NoOriginMain
		row.Suggest = command(s.Root, "remote", "set-head", "origin", "--auto")
	default: // without a remote, the branch of the main worktree is a guess that a person may take
		if head, err := s.git.read(ctx, s.Root, "symbolic-ref", "--quiet", "HEAD"); err == nil && s.refNamed(line(head)) != nil {
			row.Suggest, _ = record.NewCommand("retro-leftovers", "--base="+line(head), s.Root)
		}
	}
	return row
}

// settled tells whether a tip is over: the base has all of it, and it is not
// the base itself, as a branch made a minute ago is.
func (s *survey) settled(tip string) (*verdict, bool) {
	v := s.judged.verdicts[tip]
	return v, v != nil && v.rung != "" && tip != s.base.oid
}

// branchFacts are the facts about a tip, of a branch or of a detached
// worktree.
func (s *survey) branchFacts(tip, name string) *record.BranchFacts {
	v := s.judged.verdicts[tip]
	if v == nil {
		v = &verdict{}
	}
	hash, _ := record.NewHash(tip)
	match, _ := record.NewHash(v.match)
	b := &record.BranchFacts{
		Tip: hash, LastCommit: record.NewTimestamp(s.judged.commits[tip].time), Ahead: v.ahead,
		Merged: v.rung == record.RungAncestor, MergedByContent: v.rung != "" && v.rung != record.RungAncestor,
		Rung: v.rung, Match: match, MergeNow: v.now,
	}
	if short, local := strings.CutPrefix(name, headsPrefix); local {
		b.Stashes = s.stashes[short]
		b.Untouched = s.untouched(short, tip)
		if r := s.refNamed(name); r != nil && r.upstream != "" {
			b.Upstream = record.NewRefName(r.upstream)
			b.Gone = s.refNamed(r.upstream) == nil
		}
	}
	return b
}

// refNamed finds a branch by its full name.
func (s *survey) refNamed(name string) *ref {
	for i := range s.refs {
		if s.refs[i].name == name {
			return &s.refs[i]
		}
	}
	return nil
}

// untouched reads the reflog of a branch: one entry that made it at its tip
// means that nothing was ever committed on it here.
func (s *survey) untouched(short, tip string) bool {
	text, err := os.ReadFile(filepath.Join(s.CommonDir, "logs", "refs", "heads", filepath.FromSlash(short)))
	if err != nil || strings.Count(string(text), "\n") != 1 {
		return false
	}
	words := strings.Fields(string(text))
	return len(words) > 1 && strings.Trim(words[0], "0") == "" && words[1] == tip
}
