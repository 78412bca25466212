package repo

import (
	"context"
	"strings"
)

// Bounds of the search. A branch beyond them is not found merged by content,
// and so it is kept.
const (
	// maxOwn is the most commits of its own that a branch may have. Larger
	// ones are other lines of history, not tasks.
	maxOwn = 2000
	// maxHistory is how far the base is read back for the commits that a
	// branch may have become.
	maxHistory = 10000
)

// ownCommits reads which commits the tips have that the base has not, with
// their parents. A tip that is not in the answer is an ancestor of the base,
// unless it is in bad: git could not walk from it.
func (q *quarantine) ownCommits(ctx context.Context, base string, tips []string) (own map[string][]string, bad map[string]error) {
	own, err := q.walk(ctx, base, tips, maxOwn*len(tips))
	if err == nil {
		return own, nil
	}
	// One of them is damaged or endless: ask for each alone.
	own, bad = make(map[string][]string), make(map[string]error)
	for _, tip := range tips {
		part, err := q.walk(ctx, base, []string{tip}, maxOwn)
		if err != nil {
			bad[tip] = err
			continue
		}
		for oid, parents := range part {
			own[oid] = parents
		}
	}
	return own, bad
}

// walk is one rev-list. More than limit commits are an error.
func (q *quarantine) walk(ctx context.Context, base string, tips []string, limit int) (map[string][]string, error) {
	lines := append([]string{"^" + base}, tips...)
	out, err := q.read(ctx, lines, "rev-list", "--parents", "--max-count="+itoa(limit+1), "--stdin")
	if err != nil {
		return nil, err
	}
	own := make(map[string][]string)
	for l := range strings.Lines(string(out)) {
		if words := strings.Fields(l); len(words) > 0 {
			own[words[0]] = words[1:]
		}
	}
	if len(own) > limit {
		return nil, errTooMuch
	}
	return own, nil
}

// line of work: what a branch has that the base has not.
type work struct {
	commits []string // tip first
	linear  bool     // no merges among them
	outside []string // parents that the base has
}

// workOf collects the own commits below a tip.
func workOf(own map[string][]string, tip string) work {
	w := work{linear: true}
	seen := map[string]bool{tip: true}
	for queue := []string{tip}; len(queue) > 0; queue = queue[1:] {
		parents, ours := own[queue[0]]
		if !ours {
			w.outside = append(w.outside, queue[0])
			continue
		}
		w.commits = append(w.commits, queue[0])
		w.linear = w.linear && len(parents) < 2
		for _, p := range parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return w
}

// mergeBase is where the work left the base; "" when there is no such place,
// or more than one.
func (q *quarantine) mergeBase(ctx context.Context, base, tip string, w work) string {
	switch len(w.outside) {
	case 0:
		return ""
	case 1:
		return w.outside[0]
	}
	out, err := q.read(ctx, nil, "merge-base", "--all", base, tip)
	if all := strings.Fields(string(out)); err == nil && len(all) == 1 {
		return all[0]
	}
	return ""
}

// past is a commit of the base's history.
type past struct {
	oid     string
	parents []string
	paths   []string // what it changed against its first parent
	main    bool     // on the first-parent line, where a branch lands
}

// history is the newest part of the base's history, newest first.
type history struct {
	commits []past
	at      map[string]int // position by object id
	whole   bool           // it reaches back to every merge base
}

// readHistory reads the base's history back to the oldest of the merge bases.
func (q *quarantine) readHistory(ctx context.Context, base string, mergeBases []string) (*history, error) {
	args := []string{"log", "-z", "--name-only", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff",
		"--format=%x00%H%x00%P%x00", "--max-count=" + itoa(maxHistory+1), base}
	octopus, err := q.read(ctx, nil, append([]string{"merge-base", "--octopus", base}, mergeBases...)...)
	if err == nil {
		args = append(args, "^"+line(octopus))
	}
	out, err := q.read(ctx, nil, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return parseHistory(string(out), base)
}

// parseHistory reads the output of readHistory, in which commits look as in
// logFormat: fields that begin and end with a NUL byte, then the paths.
func parseHistory(out, base string) (*history, error) {
	h := &history{at: make(map[string]int)}
	for out != "" {
		head := strings.SplitN(out, "\x00", 5)
		if len(head) < 5 || head[0] != "" {
			return nil, errLogForm
		}
		c := past{oid: head[1], parents: strings.Fields(head[2])}
		c.paths, out = cutFiles(head[4])
		h.at[c.oid] = len(h.commits)
		h.commits = append(h.commits, c)
	}
	h.whole = len(h.commits) <= maxHistory
	h.markMain(base)
	return h, nil
}

// markMain marks the first-parent line from oid on.
func (h *history) markMain(oid string) {
	for {
		at, known := h.at[oid]
		if !known || h.commits[at].main {
			return
		}
		c := &h.commits[at]
		c.main = true
		if len(c.parents) == 0 {
			return
		}
		oid = c.parents[0]
	}
}

// since marks the commits that are in the base and not in the ancestry of the
// merge base: the only ones that a branch from there can have become.
func (h *history) since(mergeBase string) []bool {
	in := make([]bool, len(h.commits))
	for i := range in {
		in[i] = true
	}
	queue := []string{mergeBase}
	for len(queue) > 0 {
		at, known := h.at[queue[0]]
		queue = queue[1:]
		if known && in[at] {
			in[at] = false
			queue = append(queue, h.commits[at].parents...)
		}
	}
	return in
}
