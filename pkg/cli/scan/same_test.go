package scan

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// TestOutputIsTheSame scans sound and damaged transcripts with other numbers of
// jobs, processors and parsers and in other pieces: everything that is said, to
// the byte, is what one job says that reads line by line. `make race` runs it
// with the race detector.
func TestOutputIsTheSame(t *testing.T) {
	dirs := []string{filepath.Join("..", "..", "..", "testdata", "transcripts"), damaged(t)}
	paces := []transcript.Pace{{}}
	for i, chunk := range []int{1 << 10, 64<<10 - 1, 1 << 20} {
		for j, lines := range []int{1, 7, 1000} {
			batch := []int{1, 4 << 10, 1 << 20}[(i+j)%3]
			paces = append(paces, transcript.Pace{Parsers: 1 + j, Large: 1, Chunk: chunk, BatchBytes: batch, BatchLines: lines})
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, profile := range []string{"guarded", "classic"} {
		want := scanAtPace(t, dirs, profile, 1, transcript.Pace{})
		if n := strings.Count(want, `"kind":"session"`); n < 10 || !strings.Contains(want, "retro-scan: ") {
			t.Fatalf("%s: %d sessions; the samples must be several and damaged", profile, n)
		}
		n := 0
		for jobs := 1; jobs <= 8; jobs++ {
			for _, processors := range []int{1, 2, 4, 8} {
				runtime.GOMAXPROCS(processors)
				pace := paces[n%len(paces)]
				n++
				if got := scanAtPace(t, dirs, profile, jobs, pace); got != want {
					t.Fatalf("%s, %d jobs, %d processors, %+v: %s", profile, jobs, processors, pace, difference(got, want))
				}
			}
		}
	}
}

// TestLargeFileIsTheSame scans one session with more jobs than sessions, which is
// when a file is parsed ahead. A line of it is longer than what is held whole.
func TestLargeFileIsTheSame(t *testing.T) {
	path := largest(t, damaged(t))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, `{"type":"user","uuid":"long","message":{"role":"user","content":"no, revert %s"}}`+"\n", strings.Repeat("it ", ndjson.MaxHeld/3+100))
	f.Close()
	want := scanAtPace(t, []string{path}, "guarded", 1, transcript.Pace{})
	for jobs := 2; jobs <= 8; jobs++ {
		for _, pace := range []transcript.Pace{{Large: 1}, {Large: 1, Chunk: 5000, BatchBytes: 3000, BatchLines: 3}} {
			if got := scanAtPace(t, []string{path}, "guarded", jobs, pace); got != want {
				t.Fatalf("%d jobs, %+v: %s", jobs, pace, difference(got, want))
			}
		}
	}
}

// TestMuchOutputIsTheSame scans sessions of which some have more to say than is
// kept ahead: their workers wait, and nobody waits for them in vain.
func TestMuchOutputIsTheSame(t *testing.T) {
	dir := t.TempDir()
	const prompt = `{"type":"user","uuid":"u%d","timestamp":"2026-03-01T08:00:00.000Z","message":{"role":"user","content":"no, that's wrong, revert that"}}` + "\n"
	const answer = `{"type":"assistant","uuid":"a%d","timestamp":"2026-03-01T08:00:01.000Z","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"You're right, my mistake."}]}}` + "\n"
	for i, prompts := range []int{1, 900, 2, 700, 1000, 3, 1, 800, 2, 1, 1, 600} {
		var text bytes.Buffer
		fmt.Fprintf(&text, answer, 0, 0)
		for n := 1; n <= prompts; n++ {
			fmt.Fprintf(&text, prompt+answer, n, n, n)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%02d.jsonl", i)), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := scanAtPace(t, []string{dir}, "guarded", 1, transcript.Pace{})
	if len(want) < 8*piecesAhead*pieceSize {
		t.Fatalf("%d bytes are too few to wait for", len(want))
	}
	for jobs := 2; jobs <= 8; jobs++ {
		if got := scanAtPace(t, []string{dir}, "guarded", jobs, transcript.Pace{}); got != want {
			t.Fatalf("%d jobs: %s", jobs, difference(got, want))
		}
	}
}

// TestStateOfManyIsTheSame answers from a state and reads with several workers,
// which share what they know of the project.
func TestStateOfManyIsTheSame(t *testing.T) {
	dir, root := damaged(t), t.TempDir()
	want := scanInProcess(t, []string{dir}, &scanCommand{Jobs: 1, measuring: measuring{Root: root}}, transcript.Pace{})
	for jobs := 1; jobs <= 8; jobs++ {
		c := &scanCommand{Jobs: jobs, State: filepath.Join(root, "state"), measuring: measuring{Root: root}}
		if jobs%3 == 0 {
			os.Remove(c.State)
		}
		if got := scanInProcess(t, []string{dir}, c, transcript.Pace{}); got != want {
			t.Fatalf("%d jobs: %s", jobs, difference(got, want))
		}
		if text, err := os.ReadFile(c.State); err != nil || bytes.Count(text, []byte(`"looked":`)) != strings.Count(want, `"kind":"session"`) {
			t.Fatalf("%d jobs: not all sessions are in the state (%v)", jobs, err)
		}
	}
}

// damaged makes transcripts of which some lines are spoiled.
func damaged(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "run", "../../../testdata/gen", "-out", dir, "-seed", "3", "-files", "16", "-total", "1600000", "-large", "800000", "-damage", "0.03").CombinedOutput()
	if err != nil {
		t.Fatalf("gen: %v\n%s", err, out)
	}
	return dir
}

// largest is the largest transcript below a directory.
func largest(t *testing.T, dir string) (path string) {
	t.Helper()
	size := int64(0)
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && info.Size() > size {
			path, size = p, info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func scanAtPace(t *testing.T, paths []string, profile string, jobs int, pace transcript.Pace) string {
	t.Helper()
	return scanInProcess(t, paths, &scanCommand{Jobs: jobs, gate: gate{Profile: profile}}, pace)
}

// scanInProcess scans and returns all that was said.
func scanInProcess(t *testing.T, paths []string, c *scanCommand, pace transcript.Pace) string {
	t.Helper()
	finder := transcript.NewFinder(true)
	var sessions []*transcript.Session
	for _, p := range paths {
		for _, s := range finder.Path(p) {
			s.Pace = pace
			sessions = append(sessions, s)
		}
	}
	var out, errs bytes.Buffer
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	env := &cli.Env{Program: "retro-scan", Stdin: strings.NewReader(""), Stdout: bufio.NewWriter(&out), Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: func() time.Time { return now }}
	registry, err := rules.Parse(rules.Seed())
	if err != nil {
		t.Fatal(err)
	}
	opt := &detect.Options{Candidates: true, Now: now, Zone: time.UTC, Registry: registry, Root: c.Root}
	if err := c.apply(env, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := c.scanAll(env, sessions, opt); err != nil {
		t.Fatal(err)
	}
	env.Stdout.Flush()
	return out.String() + errs.String()
}

// difference is where two outputs part.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: got\n%.500s\nwant\n%.500s", i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
