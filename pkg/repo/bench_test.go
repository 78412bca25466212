package repo

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// crowd writes 500 branches through fast-import: a fifth each is merged,
// squashed, squashed with an edit of the same line after it, rebased and open.
// They touch 100 files, so that many branches have files in common.
func crowd(b *testing.B, branches int) *scene {
	s := newScene(b)
	in := new(strings.Builder)
	stamp, mark := 1767225600, 0
	data := func(text string) { fmt.Fprintf(in, "data %d\n%s\n", len(text), text) }
	commit := func(ref, from string, merge int, name, text string) int {
		mark++
		stamp += 60
		fmt.Fprintf(in, "commit %s\nmark :%d\ncommitter A <a@example.org> %d +0000\n", ref, mark, stamp)
		data(fmt.Sprint("commit ", mark))
		if from != "" {
			fmt.Fprintf(in, "from %s\n", from)
		}
		if merge > 0 {
			fmt.Fprintf(in, "merge :%d\n", merge)
		}
		if name != "" {
			fmt.Fprintf(in, "M 644 inline %s\n", name)
			data(text)
		}
		return mark
	}
	files := make([][]string, 100)
	for i := range files {
		files[i] = strings.Split(numbered(200), "\n")
		commit("refs/heads/main", "", 0, fmt.Sprintf("dir%d/file%d", i%10, i), numbered(200))
	}
	tip := mark
	for i := range branches {
		file, first := i%100, 10+i/100*30
		name := fmt.Sprintf("dir%d/file%d", file%10, file)
		ref := fmt.Sprintf("refs/heads/branch-%d", i)
		with := func(n ...int) string {
			lines := append([]string(nil), files[file]...)
			for _, at := range n {
				lines[first+at] = fmt.Sprintf("branch %d line %d", i, at)
			}
			return strings.Join(lines, "\n")
		}
		one := commit(ref, fmt.Sprint(":", tip), 0, name, with(0))
		two := commit(ref, fmt.Sprint(":", one), 0, name, with(0, 8))
		land := func(merge int, text string) { tip = commit("refs/heads/main", fmt.Sprint(":", tip), merge, name, text) }
		switch i % 5 {
		case 0:
			land(two, with(0, 8))
			files[file] = strings.Split(with(0, 8), "\n")
		case 1:
			land(0, with(0, 8))
			files[file] = strings.Split(with(0, 8), "\n")
		case 2:
			land(0, with(0, 8))
			files[file] = strings.Split(with(0, 8), "\n")
			files[file][first] = "newer"
			land(0, strings.Join(files[file], "\n"))
		case 3:
			land(0, with(0))
			land(0, with(0, 8))
			files[file] = strings.Split(with(0, 8), "\n")
		}
	}
	fmt.Fprintf(in, "reset refs/remotes/origin/main\nfrom :%d\n\n", tip)
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	s.run("reset", "-q", "--hard")
	return s
}

// BenchmarkManyBranches compares what a repository of 500 branches costs with
// the plain question git can answer, which finds a fifth of them.
func BenchmarkManyBranches(b *testing.B) {
	const branches = 500
	s := crowd(b, branches)
	b.Run("leftovers", func(b *testing.B) {
		rows := 0
		for b.Loop() {
			r, err := s.git.Open(context.Background(), s.dir)
			if err != nil {
				b.Fatal(err)
			}
			all, err := r.Leftovers(context.Background(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			rows = len(all)
		}
		b.ReportMetric(float64(rows), "rows")
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/branches, "us/branch")
	})
	b.Run("git-branch-merged", func(b *testing.B) {
		rows := 0
		for b.Loop() {
			cmd := exec.Command("git", "branch", "--merged", "refs/remotes/origin/main")
			cmd.Dir = s.dir
			out, err := cmd.Output()
			if err != nil {
				b.Fatal(err)
			}
			rows = strings.Count(string(out), "\n")
		}
		b.ReportMetric(float64(rows), "rows")
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/branches, "us/branch")
	})
}
