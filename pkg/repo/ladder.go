package repo

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"retro/pkg/record"
)

var (
	errTooMuch   = errors.New("more commits of its own than are looked at")
	errNotCommit = errors.New("the tip is missing or is no commit")
)

func itoa(n int) string { return strconv.Itoa(n) }

// atoi reads a count that git printed; 0 when it is none.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// verdict is how a tip stands to the base.
type verdict struct {
	rung  record.Rung // "" when the base does not have its changes
	match string      // the commit of the base that holds them, where one was found
	now   record.MergeNow
	ahead int
	err   error // git could not tell
}

// candidate is a tip on its way up the ladder.
type candidate struct {
	tip       string
	work      work
	mergeBase string
	paths     []string // of all its changes together, sorted
	since     []bool   // which commits of the history it can have become
	verdict   *verdict
}

// judgement climbs the ladder with all tips of a repository at once, because a
// git process costs more than what it does for one branch:
//
//  1. a tip that the base reaches is merged (ancestor);
//  2. each commit has the same patch as a commit of the base (patches), as
//     after a rebase. A branch with merges of its own does not qualify: what
//     was resolved in them is in no patch;
//  3. all changes together are the patch of one commit of the base (squash);
//  4. a trial merge into the base changes nothing (no-op);
//  5. a trial merge into an earlier commit on the base's first-parent line
//     would have changed nothing (earlier-no-op): the base moved on in the
//     same lines after the squash.
//
// A branch whose changes add up to nothing is not merged by content: there is
// no content to find. Whatever git cannot tell leaves the branch unmerged.
type judgement struct {
	q        *quarantine
	base     string
	baseTree string
	commits  map[string]commit
	verdicts map[string]*verdict
	history  *history
	// partial is why content was not searched to the end, as when blobs are
	// missing in a partial clone. It is about the search and not about one
	// branch: what was not found stays.
	partial error
}

// judge finds how each tip stands to the base.
func (q *quarantine) judge(ctx context.Context, base string, tips []string) (*judgement, error) {
	j := &judgement{q: q, base: base, verdicts: make(map[string]*verdict)}
	slices.Sort(tips)
	tips = slices.Compact(tips)
	var err error
	if j.commits, err = q.commits(ctx, append([]string{base}, tips...)); err != nil {
		return nil, err
	}
	j.baseTree = j.commits[base].tree
	if j.baseTree == "" {
		return nil, errNotCommit
	}
	open := j.ancestors(ctx, tips)
	if len(open) > 0 {
		j.partial = j.climb(ctx, open)
	}
	return j, ctx.Err()
}

// ancestors settles the first rung and returns the tips that are not on it.
func (j *judgement) ancestors(ctx context.Context, tips []string) []*candidate {
	var known []string
	for _, tip := range tips {
		j.verdicts[tip] = &verdict{}
		if _, ok := j.commits[tip]; ok {
			known = append(known, tip)
		} else {
			j.verdicts[tip].err = errNotCommit
		}
	}
	if len(known) == 0 {
		return nil
	}
	own, bad := j.q.ownCommits(ctx, j.base, known)
	var open []*candidate
	for _, tip := range known {
		v := j.verdicts[tip]
		if _, ahead := own[tip]; ahead {
			c := &candidate{tip: tip, work: workOf(own, tip), verdict: v}
			v.ahead = len(c.work.commits)
			open = append(open, c)
			continue
		}
		switch err := bad[tip]; err {
		case nil:
			v.rung = record.RungAncestor
		case errTooMuch: // another line of history: open
			v.ahead = maxOwn + 1
		default:
			v.err = err
		}
	}
	return open
}

// climb tries the rungs that look at content.
func (j *judgement) climb(ctx context.Context, open []*candidate) error {
	open, err := j.locate(ctx, open)
	if err != nil || len(open) == 0 {
		return err
	}
	var mergeBases []string
	for _, c := range open {
		mergeBases = append(mergeBases, c.mergeBase)
	}
	slices.Sort(mergeBases)
	if j.history, err = j.q.readHistory(ctx, j.base, slices.Compact(mergeBases)); err != nil {
		return err
	}
	for _, c := range open {
		c.since = j.history.since(c.mergeBase)
	}
	return cmp.Or(j.byPatch(ctx, open), j.byTrialMerge(ctx, open))
}

// locate finds where each branch left the base and what it changed since.
// Branches without a single merge base or without a change are left out.
func (j *judgement) locate(ctx context.Context, open []*candidate) ([]*candidate, error) {
	var lines []string
	for _, c := range open {
		if c.mergeBase = j.q.mergeBase(ctx, j.base, c.tip, c.work); c.mergeBase != "" && len(c.work.commits) <= maxOwn {
			lines = append(lines, c.tip+" "+c.mergeBase)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	paths, err := j.q.changedPaths(ctx, lines)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(open), func(c *candidate) bool {
		c.paths = paths[c.tip]
		return c.mergeBase == "" || len(c.paths) == 0
	}), nil
}

// byPatch tries the rungs patches and squash.
func (j *judgement) byPatch(ctx context.Context, open []*candidate) error {
	series, err := j.series(ctx, open)
	if err != nil {
		return err
	}
	twins := newTwins(j.history)
	var commits, squashes []string
	for _, c := range open {
		for _, s := range series[c.tip] {
			if found := twins.of(s.paths, c.since); len(found) > 0 {
				commits = append(append(commits, s.oid), found...)
			}
		}
		if found := twins.of(c.paths, c.since); len(found) > 0 {
			commits = append(commits, found...)
			squashes = append(squashes, c.tip+" "+c.mergeBase)
		}
	}
	slices.Sort(commits)
	ofCommit, err := j.q.patches(ctx, slices.Compact(commits))
	if err != nil {
		return err
	}
	ofSquash, err := j.q.patches(ctx, squashes)
	if err != nil {
		return err
	}
	for _, c := range open {
		if last := matchSeries(series[c.tip], twins, c.since, ofCommit); last != "" {
			c.verdict.rung, c.verdict.match = record.RungPatches, last
		} else if id, ok := ofSquash[c.tip]; ok {
			if same := firstEqual(id, twins.of(c.paths, c.since), ofCommit); same != "" {
				c.verdict.rung, c.verdict.match = record.RungSquash, same
			}
		}
	}
	return nil
}

// step is one commit of a branch that changes something.
type step struct {
	oid   string
	paths []string
}

// series lists the steps of each linear branch, newest first.
func (j *judgement) series(ctx context.Context, open []*candidate) (map[string][]step, error) {
	var lines []string
	for _, c := range open {
		if c.work.linear {
			lines = append(lines, c.work.commits...)
		}
	}
	slices.Sort(lines)
	series := make(map[string][]step)
	if len(lines) == 0 {
		return series, nil
	}
	paths, err := j.q.changedPaths(ctx, slices.Compact(lines))
	if err != nil {
		return nil, err
	}
	for _, c := range open {
		for _, oid := range c.work.commits {
			if c.work.linear && len(paths[oid]) > 0 {
				series[c.tip] = append(series[c.tip], step{oid, paths[oid]})
			}
		}
	}
	return series, nil
}

// matchSeries is the commit of the base that equals the newest step, when
// every step has an equal; else "".
func matchSeries(steps []step, twins twins, in []bool, ids map[string]patchID) string {
	newest := ""
	for i, s := range steps {
		id, ok := ids[s.oid]
		if !ok {
			return ""
		}
		same := firstEqual(id, twins.of(s.paths, in), ids)
		if same == "" {
			return ""
		}
		if i == 0 {
			newest = same
		}
	}
	return newest
}

// firstEqual is the first of the commits whose patch is the same.
func firstEqual(id patchID, among []string, ids map[string]patchID) string {
	for _, oid := range among {
		if other, ok := ids[oid]; ok && other == id {
			return oid
		}
	}
	return ""
}

// twins finds the commits of a history by the set of paths they change: only
// those can have the same patch, and comparing names is far cheaper than
// making patches.
type twins struct {
	history *history
	byPaths map[string][]int
}

// newTwins sorts a history by paths. Merges are left out: what a merge changes
// against its first parent is the work of others.
func newTwins(h *history) twins {
	t := twins{h, make(map[string][]int)}
	for i, c := range h.commits {
		if len(c.parents) < 2 && len(c.paths) > 0 {
			paths := slices.Sorted(slices.Values(c.paths))
			key := strings.Join(paths, "\x00")
			t.byPaths[key] = append(t.byPaths[key], i)
		}
	}
	return t
}

// of lists the commits that change exactly these paths, newest first.
func (t twins) of(paths []string, in []bool) []string {
	var oids []string
	for _, i := range t.byPaths[strings.Join(paths, "\x00")] {
		if in[i] {
			oids = append(oids, t.history.commits[i].oid)
		}
	}
	return oids
}
