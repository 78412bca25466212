package repo

import (
	"context"
	"slices"

	"retro/pkg/record"
)

// maxEarlier is how many earlier commits of the base a branch is tried on.
const maxEarlier = 50

// byTrialMerge tries the rungs no-op and earlier-no-op, and finds for branches
// on higher rungs what merging them now would do.
func (j *judgement) byTrialMerge(ctx context.Context, open []*candidate) error {
	var pairs [][2]string
	var tried []*candidate
	for _, c := range open {
		if c.verdict.rung != "" || !j.history.whole || len(j.history.covering(c, 1)) > 0 {
			tried = append(tried, c)
			pairs = append(pairs, [2]string{j.base, c.tip})
		}
	}
	results, err := j.q.merge(ctx, pairs)
	if err != nil {
		return err
	}
	var rest []*candidate
	for i, c := range tried {
		c.verdict.now = j.outcome(results[i])
		switch {
		case c.verdict.rung != "":
		case c.verdict.now == record.MergeNoOp:
			c.verdict.rung = record.RungNoOp
		case results[i].ok:
			rest = append(rest, c)
		}
	}
	return j.earlier(ctx, rest)
}

// outcome says what a trial merge into the base did.
func (j *judgement) outcome(r mergeResult) record.MergeNow {
	switch {
	case !r.ok:
		return ""
	case !r.clean:
		return record.MergeConflict
	case r.tree == j.baseTree:
		return record.MergeNoOp
	}
	return record.MergeChanges
}

// earlier tries branches on the states that the base had after each landing
// that may have been theirs.
func (j *judgement) earlier(ctx context.Context, open []*candidate) error {
	var pairs [][2]string
	var owners []*candidate
	var landings []string
	for _, c := range open {
		for _, oid := range j.history.covering(c, maxEarlier) {
			pairs = append(pairs, [2]string{oid, c.tip})
			owners = append(owners, c)
			landings = append(landings, oid)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	trees, err := j.q.commits(ctx, landings)
	if err != nil {
		return err
	}
	results, err := j.q.merge(ctx, pairs)
	if err != nil {
		return err
	}
	for i, r := range results {
		c, landing := owners[i], pairs[i][0]
		if c.verdict.rung == "" && r.ok && r.clean && r.tree == trees[landing].tree {
			c.verdict.rung, c.verdict.match = record.RungEarlierNoOp, landing
		}
	}
	return nil
}

// covering lists, oldest first and at most limit, the first-parent commits of
// the base that touch a path of the branch and by which every path of the
// branch had been touched since the merge base. Before that point a merge
// cannot be a no-op, since a path that the base left alone would still get the
// branch's change; and between such commits nothing about it changes.
func (h *history) covering(c *candidate, limit int) []string {
	missing := make(map[string]bool, len(c.paths))
	for _, p := range c.paths {
		missing[p] = true
	}
	var landings []string
	left := len(missing)
	for i := len(h.commits) - 1; i >= 0 && len(landings) < limit; i-- {
		if !c.since[i] || !h.commits[i].main {
			continue
		}
		touches := false
		for _, p := range h.commits[i].paths {
			if _, ours := slices.BinarySearch(c.paths, p); !ours {
				continue
			}
			touches = true
			if missing[p] {
				missing[p] = false
				left--
			}
		}
		if touches && left == 0 {
			landings = append(landings, h.commits[i].oid)
		}
	}
	return landings
}
