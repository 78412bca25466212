package scan

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/transcript"
)

// runScan runs retro-scan in process and returns all that it said.
func runScan(t *testing.T, now time.Time, vars map[string]string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := &cli.Env{Program: "retro-scan", Stdin: strings.NewReader(""), Stdout: bufio.NewWriter(&out), Stderr: &errs, Dir: t.TempDir(),
		Getenv: func(name string) string { return vars[name] }, Now: func() time.Time { return now }}
	code := cli.Run(Program(""), args, env)
	return fmt.Sprintf("%s%s%d", out.String(), errs.String(), code)
}

const rejection, approval = "no, that is wrong, revert it", "yes, that is right, go on."

// stateLines is a piece of a session: something that detectors see, something
// that they don't, or damage.
func (g *garden) stateLines(session string, n int) string {
	base := fmt.Sprintf(`"uuid":"%s-%d","sessionId":"%s","timestamp":"%s","cwd":"%s"`, session, n, session, g.start.Add(time.Duration(n)*time.Second).Format(time.RFC3339), cmp.Or(g.root, "/p"))
	user := func(content string) string {
		return fmt.Sprintf(`{"type":"user",%s,"message":{"role":"user","content":%s}}`, strings.Replace(base, `"uuid":"`, `"uuid":"u`, 1), content)
	}
	answer := func(content string) string {
		return fmt.Sprintf(`{"type":"assistant",%s,"message":{"id":"m%d","role":"assistant","content":[%s]}}`, base, n, content)
	}
	if g.root != "" && g.rng.IntN(2) == 0 {
		return answer(g.deed(session, n)) + "\n" + user(fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]`, n))
	}
	switch g.rng.IntN(7) {
	case 0:
		return answer(`{"type":"text","text":"done"}`) + "\n" + user(`"`+rejection+`"`)
	case 1, 2:
		var lines []string
		for i := range 3 {
			n := n*10 + i
			base = strings.Replace(base, `"uuid":"`, `"uuid":"x`, 1)
			lines = append(lines, answer(fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"make"}}`, n)),
				user(fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t%d","is_error":true,"content":"Exit code 1"}]`, n)))
		}
		return strings.Join(lines, "\n")
	case 3:
		return `{"type":"user","uuid":"cut`
	case 4:
		return "\x00\x00" + user(`"ok"`)
	}
	return answer(`{"type":"text","text":"sorry, let me try again"}`)
}

// garden is a folder of transcripts that changes as real ones do.
type garden struct {
	t   *testing.T
	rng *rand.Rand
	dir string
	n   int
	// start is the time of the first record
	start time.Time

	root    string      // of the project; "" for none
	clock   time.Time   // of git
	commits []time.Time // of sessions' calls
	calls   [][2]string // session and id
	stray   bool        // some decisions are noted of another session
}

func newGarden(t *testing.T, seed uint64) *garden {
	return &garden{t: t, rng: rand.New(rand.NewPCG(seed, 11)), dir: t.TempDir(), start: time.Now().UTC().Truncate(time.Second)}
}

func (g *garden) check(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *garden) some() string {
	found, _ := filepath.Glob(filepath.Join(g.dir, "p", "*.jsonl"))
	if len(found) == 0 {
		return g.fresh()
	}
	return found[g.rng.IntN(len(found))]
}

func (g *garden) fresh() string {
	g.n++
	path := filepath.Join(g.dir, "p", fmt.Sprintf("s%03d.jsonl", g.n))
	g.grow(path)
	return path
}

func (g *garden) grow(path string) {
	g.check(os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	g.check(err)
	defer f.Close()
	for range 1 + g.rng.IntN(20) {
		g.n++
		fmt.Fprintln(f, g.stateLines(strings.TrimSuffix(filepath.Base(path), ".jsonl"), g.n))
	}
}

// change makes one change and says which.
func (g *garden) change() string {
	path := g.some()
	data, err := os.ReadFile(path)
	g.check(err)
	info, err := os.Stat(path)
	g.check(err)
	switch g.rng.IntN(9) {
	case 0:
		g.fresh()
		return "new"
	case 1:
		g.check(os.Truncate(path, int64(g.rng.IntN(len(data)+1))))
		return "shrunk"
	case 2: // other words of the same length, in place, at the same time
		g.check(os.WriteFile(path, bytes.ReplaceAll(data, []byte(rejection), []byte(approval+"  ")), 0o600))
		g.check(os.Chtimes(path, info.ModTime(), info.ModTime()))
		return "rewritten in place"
	case 3: // the same, as another file
		g.check(os.WriteFile(path+".new", bytes.ReplaceAll(data, []byte(approval+"  "), []byte(rejection)), 0o600))
		g.check(os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
		g.check(os.Rename(path+".new", path))
		return "replaced"
	case 4:
		g.check(os.Rename(path, filepath.Join(filepath.Dir(path), fmt.Sprintf("old-%d.jsonl", g.n))))
		g.grow(path)
		return "rotated"
	case 5:
		g.check(os.Remove(path))
		return "removed"
	case 6:
		g.grow(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", fmt.Sprintf("agent-%d.jsonl", g.rng.IntN(2))))
		return "sub-agent"
	}
	g.grow(path)
	return "grown"
}

// TestStateChangesNothing runs with a state beside a full scan while sessions
// grow, shrink, are replaced and go, and while flags, policy, ledger and clock
// change: what is printed, to the byte, is always that of the full scan.
func TestStateChangesNothing(t *testing.T) {
	for seed := range uint64(3) {
		g := newGarden(t, seed)
		for range 5 {
			g.fresh()
		}
		ledger := filepath.Join(g.dir, "ledger.jsonl")
		g.check(os.WriteFile(ledger, nil, 0o600))
		state := filepath.Join(g.dir, "state")
		now := time.Now().Add(time.Hour)
		vars := map[string]string{"FRICTION_LEDGER": ledger, "RETRO_PROFILE": []string{"guarded", "classic"}[seed%2]}
		var flags []string
		for round := range 30 {
			time.Sleep(10 * time.Millisecond) // more than a tick of the file system's clock
			did := g.change()
			switch g.rng.IntN(9) {
			case 0:
				vars["RETRO_PROFILE"] = []string{"classic", "guarded"}[g.rng.IntN(2)]
			case 1:
				flags = [][]string{nil, {"--candidates"}, {"--since", g.start.Add(30 * time.Second).Format(time.RFC3339)}, {"--no-subagents"}, {"--tz", "Asia/Tokyo"}}[g.rng.IntN(5)]
			case 2, 6, 7:
				f, err := os.OpenFile(ledger, os.O_APPEND|os.O_WRONLY, 0o600)
				g.check(err)
				fmt.Fprintf(f, `{"session_id":%q,"event":"PostToolUseFailure","tool_name":"Bash","ts":"%s"}`+"\n", strings.TrimSuffix(filepath.Base(g.some()), ".jsonl"), g.start.Format(time.RFC3339))
				f.Close()
			case 3: // the clock of the records: sessions are live then
				now = g.start.Add(time.Minute)
			case 4:
				now = g.start.Add(time.Hour)
			case 5: // a damaged state
				if data, err := os.ReadFile(state); err == nil && len(data) > 0 {
					data[g.rng.IntN(len(data))] ^= 1
					g.check(os.WriteFile(state, data, 0o600))
				}
			}
			args := append([]string{"-j", fmt.Sprint(1 + g.rng.IntN(3))}, flags...)
			want := runScan(t, now, vars, append(args, filepath.Join(g.dir, "p"))...)
			got := runScan(t, now, vars, append(args, "--state", state, filepath.Join(g.dir, "p"))...)
			got = withoutStateWarning(got)
			if got != want {
				t.Fatalf("seed %d, round %d (%s): with a state\n%s\nwithout\n%s", seed, round, did, got, want)
			}
		}
	}
}

func withoutStateWarning(said string) string {
	var out strings.Builder
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "damaged state") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestStateOpensOnlyWhatChanged counts the files that are opened.
func TestStateOpensOnlyWhatChanged(t *testing.T) {
	g := newGarden(t, 7)
	var paths []string
	for range 20 {
		path := g.fresh()
		g.grow(path)
		g.grow(path)
		paths = append(paths, path)
	}
	opened := func(candidates bool) []string {
		return g.opened(paths, &scanCommand{State: filepath.Join(g.dir, "state"), Candidates: candidates})
	}
	if n := len(opened(false)); n != 20 {
		t.Errorf("the first run opened %d files, want 20", n)
	}
	if got := opened(false); len(got) != 0 {
		t.Errorf("nothing changed, but %q were opened", got)
	}
	g.grow(paths[3])
	g.grow(paths[11])
	if got, want := opened(false), []string{filepath.Base(paths[3]), filepath.Base(paths[11])}; !slices.Equal(got, want) {
		t.Errorf("opened %q, want %q: two sessions grew", got, want)
	}
	if n := len(opened(true)); n != 20 {
		t.Errorf("with another flag %d files were opened, want 20", n)
	}
}

// opened scans the files an hour from now and lists, by their names, those that
// were opened to be read.
func (g *garden) opened(paths []string, c *scanCommand) (names []string) {
	g.t.Helper()
	now := time.Now().Add(time.Hour)
	var sessions []*transcript.Session
	for _, path := range paths {
		s := transcript.AtPath(path, true)
		open := s.Main.Open
		s.Main.Open = func() (io.ReadCloser, error) { names = append(names, filepath.Base(path)); return open() }
		sessions = append(sessions, s)
	}
	env := &cli.Env{Stdout: bufio.NewWriter(io.Discard), Stderr: io.Discard, Now: func() time.Time { return now },
		Getenv: func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }}
	opt := &detect.Options{Now: now, Zone: time.UTC, Candidates: c.Candidates, Root: c.Root}
	c.Jobs = 1
	g.check(c.apply(env, opt))
	c.configure(env, opt)
	read, err := c.scanAll(env, sessions, opt)
	g.check(err)
	if len(read) != len(paths) {
		g.t.Errorf("%d sessions came out, want %d", len(read), len(paths))
	}
	return names
}
