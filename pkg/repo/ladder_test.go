package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retro/pkg/record"
)

// numbered is a file of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// edit replaces line n of a file and commits it.
func (s *scene) edit(name string, n int, text string) {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	lines[n-1] = text
	s.commit(s.date, "edit "+name, name, strings.Join(lines, "\n"))
}

// branch starts a branch at main.
func (s *scene) branch(name string) {
	s.t.Helper()
	s.run("checkout", "-q", "-B", name, "main")
}

// squash lands a branch on main as one commit.
func (s *scene) squash(name string) {
	s.t.Helper()
	s.run("checkout", "-q", "main")
	s.run("merge", "-q", "--squash", name)
	s.run("commit", "-q", "-m", "squashed "+name)
}

// ladderCases are ways in which a branch ends, or does not. Each gets files of
// its own, so that they do not stand in each other's way: file is a text of 40
// lines.
var ladderCases = []struct {
	name string
	rung record.Rung
	now  record.MergeNow
	make func(s *scene, file string)
}{
	{"merge", record.RungAncestor, "", func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.run("merge", "-q", "--no-ff", "merge")
	}},
	{"fast-forward", record.RungAncestor, "", func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.run("merge", "-q", "--ff-only", "fast-forward")
	}},
	{"stale", record.RungAncestor, "", func(s *scene, file string) {
		s.run("checkout", "-q", "main")
	}},
	{"rebase", record.RungPatches, record.MergeNoOp, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.run("checkout", "-q", "main")
		s.edit("other", 3, "elsewhere")
		s.run("cherry-pick", "main..rebase")
	}},
	{"squash-one", record.RungPatches, record.MergeNoOp, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.squash("squash-one")
	}},
	{"squash-rename", record.RungPatches, record.MergeNoOp, func(s *scene, file string) {
		s.run("mv", file, "renamed-"+file)
		s.run("commit", "-q", "-m", "rename")
		s.squash("squash-rename")
	}},
	{"squash-binary", record.RungPatches, record.MergeNoOp, func(s *scene, file string) {
		s.commit(s.date, "binary", file, "\x00\x01\x02", "new-"+file, "\x00\x03")
		s.squash("squash-binary")
	}},
	{"squash-many", record.RungSquash, record.MergeNoOp, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.squash("squash-many")
	}},
	{"squash-with-main-merged-in", record.RungSquash, record.MergeNoOp, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.edit("other", 7, "meanwhile")
		s.run("checkout", "-q", "squash-with-main-merged-in")
		s.run("merge", "-q", "--no-edit", "main")
		s.edit(file, 20, "mine too")
		s.squash("squash-with-main-merged-in")
	}},
	{"squash-then-same-line", record.RungSquash, record.MergeConflict, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.squash("squash-then-same-line")
		s.edit(file, 5, "newer")
	}},
	{"neighbour-before", record.RungNoOp, record.MergeNoOp, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.run("checkout", "-q", "main")
		s.edit(file, 7, "a neighbour")
		s.squash("neighbour-before")
	}},
	{"neighbour-before-same-line-after", record.RungEarlierNoOp, record.MergeConflict, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.run("checkout", "-q", "main")
		s.edit(file, 7, "a neighbour")
		s.squash("neighbour-before-same-line-after")
		s.edit(file, 5, "newer")
	}},
	{"squash-reverted", record.RungSquash, record.MergeChanges, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.squash("squash-reverted")
		s.run("revert", "--no-edit", "HEAD")
	}},
	{"edited-while-merging", "", record.MergeConflict, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.squash("edited-while-merging")
		s.write(file, strings.Replace(numbered(40), "line 5", "mine, edited", 1))
		s.run("commit", "-q", "-a", "--amend", "--no-edit")
	}},
	{"went-on-after", "", record.MergeConflict, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.squash("went-on-after")
		s.run("checkout", "-q", "went-on-after")
		s.edit(file, 5, "mine, better")
		s.run("checkout", "-q", "main")
	}},
	{"open", "", "", func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
	}},
	{"open-on-a-busy-file", "", record.MergeChanges, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.edit(file, 30, "theirs")
		s.edit(file, 35, "theirs")
	}},
	{"open-white-space", "", "", func(s *scene, file string) {
		s.edit(file, 5, "  line 5")
		s.run("checkout", "-q", "main")
	}},
	{"other-white-space", "", record.MergeConflict, func(s *scene, file string) {
		s.edit(file, 5, "  mine")
		s.run("checkout", "-q", "main")
		s.edit(file, 5, "mine")
	}},
	{"other-binary", "", record.MergeConflict, func(s *scene, file string) {
		s.commit(s.date, "binary", file, "\x00\x01")
		s.run("checkout", "-q", "main")
		s.commit(s.date, "binary", file, "\x00\x02")
	}},
	{"nothing-yet", "", "", func(s *scene, file string) {
		s.run("commit", "-q", "--allow-empty", "-m", "begin")
		s.run("checkout", "-q", "main")
	}},
	{"changed-and-changed-back", "", "", func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 5, "line 5")
		s.run("checkout", "-q", "main")
		s.edit(file, 9, "theirs")
	}},
	{"again-after-a-revert", "", record.MergeChanges, func(s *scene, file string) {
		s.run("checkout", "-q", "main")
		s.edit(file, 5, "mine")
		s.run("revert", "--no-edit", "HEAD")
		s.branch("again-after-a-revert")
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.edit(file, 30, "theirs")
	}},
	{"half-merged", "", record.MergeChanges, func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.edit(file, 20, "mine too")
		s.run("checkout", "-q", "main")
		s.edit("other", 4, "elsewhere")
		s.run("cherry-pick", "half-merged~1")
	}},
	{"work-in-a-merge", "", "", func(s *scene, file string) {
		s.edit(file, 5, "mine")
		s.run("checkout", "-q", "main")
		s.edit("other", 5, "elsewhere")
		s.run("cherry-pick", "work-in-a-merge")
		s.run("checkout", "-q", "work-in-a-merge")
		s.run("merge", "-q", "--no-commit", "main")
		s.write("evil-"+file, "only here\n")
		s.run("add", "-A")
		s.run("commit", "-q", "-m", "merge")
		s.run("checkout", "-q", "main")
		s.edit("evil", 1, "x")
	}},
	{"unrelated", "", "", func(s *scene, file string) {
		s.run("checkout", "-q", "--orphan", "fresh-root")
		s.commit(s.date, "root", "root", "1\n")
		s.run("branch", "-f", "unrelated", "fresh-root")
		s.run("checkout", "-q", "main")
	}},
}

func TestLadder(t *testing.T) {
	s := newScene(t)
	files := []string{"other", numbered(10), "evil", numbered(3)}
	for i := range ladderCases {
		files = append(files, fmt.Sprintf("file-%d", i), numbered(40))
	}
	s.commit("2026-01-01T10:00:00Z", "start", files...)
	for i, c := range ladderCases {
		s.branch(c.name)
		c.make(s, fmt.Sprintf("file-%d", i))
	}
	s.run("commit", "-q", "--allow-empty", "-m", "last")
	before := s.run("count-objects", "-v")

	r, err := s.git.Open(context.Background(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	tips := make(map[string]string)
	var all []string
	for _, c := range ladderCases {
		tips[c.name] = s.run("rev-parse", "refs/heads/"+c.name)
		all = append(all, tips[c.name])
	}
	q, err := r.quarantine(40)
	if err != nil {
		t.Fatal(err)
	}
	j, err := q.judge(context.Background(), s.run("rev-parse", "main"), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range ladderCases {
		v := j.verdicts[tips[c.name]]
		if v.err != nil || v.rung != c.rung || v.now != c.now {
			t.Errorf("%s: got rung %q, now %q, error %v; want %q, %q", c.name, v.rung, v.now, v.err, c.rung, c.now)
		}
		if needsMatch := v.rung == record.RungSquash || v.rung == record.RungPatches || v.rung == record.RungEarlierNoOp; needsMatch != (v.match != "") {
			t.Errorf("%s: match %q", c.name, v.match)
		}
	}
	q.close()
	if after := s.run("count-objects", "-v"); after != before {
		t.Errorf("objects: before\n%s\nafter\n%s", before, after)
	}
	if _, err := os.Stat(q.dir); !os.IsNotExist(err) {
		t.Errorf("the quarantine is still there: %v", err)
	}
}
