package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// The tests of this file start the test binary again as a writer: RETRO_WRITER
// holds the folder, the writer's name, how many events it writes and how many
// rows the ledger may have.

func TestMain(m *testing.M) {
	if job := strings.Fields(os.Getenv("RETRO_WRITER")); len(job) == 4 {
		n, _ := strconv.Atoi(job[2])
		rows, _ := strconv.Atoi(job[3])
		writer(job[0], job[1], n, rows)
		return
	}
	os.Exit(m.Run())
}

// writer writes n events to the ledger and to the store, captures its session
// after every twentieth, and says on stdout what is done.
func writer(dir, name string, n, rows int) {
	ledger := NewLedger(filepath.Join(dir, "friction.jsonl"), Limits{Lines: rows, Bytes: 1 << 40})
	signals := NewSignals(filepath.Join(dir, "signals.jsonl"), Retention{})
	hooks := 0
	for i := range n {
		id := fmt.Sprint(name, "-", i)
		limited(time.Second, func(ctx context.Context) {
			event := row(0)
			event.ToolUseID = record.MustIdentifier(id)
			if err := ledger.Append(ctx, event); err == nil {
				fmt.Println("L", id)
			} else {
				fmt.Println("E ledger", err)
			}
		})
		limited(time.Minute, func(ctx context.Context) {
			s := hooked(name, day(1))
			s.Evidence.(*record.ScopeEvidence).ToolUseID = record.MustIdentifier(id)
			if err := signals.Append(ctx, s); err == nil {
				hooks++
				fmt.Println("S", id)
			} else {
				fmt.Println("E store", err)
			}
		})
		if i%20 == 19 {
			captureAs(signals, name, i, hooks)
		}
	}
}

func captureAs(signals Signals, name string, i, hooks int) {
	limited(time.Minute, func(ctx context.Context) {
		c := capture(session(name, day(1), int64(i)), seen(name, day(1)))
		c.Hooks = hooks
		stale, err := signals.Replace(ctx, c)
		if err != nil || len(stale) > 0 {
			fmt.Println("E capture", len(stale), err)
			return
		}
		fmt.Println("C", name+"-"+strconv.Itoa(i))
	})
}

func limited(wait time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	f(ctx)
}

// job is a team of writers at work on one folder.
type job struct {
	dir, name       string
	writers, events int
	rows            int // the ledger's limit
	// kill says after how many printed lines a writer is killed; nil or 0
	// leaves it alive.
	kill func(writer int) int
}

// run runs the writers at once and returns the lines they printed.
func (j job) run(t *testing.T) []string {
	t.Helper()
	var mu sync.Mutex
	var said []string
	var all sync.WaitGroup
	for w := range j.writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("RETRO_WRITER=%s %s%d %d %d", j.dir, j.name, w, j.events, j.rows))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := 0
		if j.kill != nil {
			last = j.kill(w)
		}
		all.Go(func() {
			lines := bufio.NewScanner(out)
			for n := 1; lines.Scan(); n++ {
				mu.Lock()
				said = append(said, lines.Text())
				mu.Unlock()
				if n == last {
					cmd.Process.Kill()
				}
			}
			cmd.Wait()
		})
	}
	all.Wait()
	return said
}

// found counts the tool_use ids of a file whose lines must all be JSON.
func found(t *testing.T, path string) map[string]int {
	t.Helper()
	ids := make(map[string]int)
	for line := range strings.Lines(read(t, path)) {
		var r struct {
			ID       string     `json:"tool_use_id"`
			Kind     string     `json:"kind"`
			Session  string     `json:"session_id"`
			Evidence ndjson.Raw `json:"evidence"`
		}
		var e struct {
			ID string `json:"tool_use_id"`
		}
		if ndjson.Unmarshal([]byte(line), &r) != nil || !strings.HasSuffix(line, "\n") || r.Evidence != nil && ndjson.Unmarshal(r.Evidence, &e) != nil {
			t.Errorf("%s: damaged line %q", path, line)
		}
		if r.Kind == "session" {
			ids["session "+r.Session]++
		}
		if id := r.ID + e.ID; id != "" {
			ids[id]++
		}
	}
	return ids
}

// check compares what writers said with what the files hold: everything that
// was said is there, and nothing is there twice.
func check(t *testing.T, dir string, said []string) (ledger, store int) {
	t.Helper()
	rows, signals := found(t, filepath.Join(dir, "friction.jsonl")), found(t, filepath.Join(dir, "signals.jsonl"))
	for _, line := range said {
		what, id, _ := strings.Cut(line, " ")
		switch {
		case what == "L" && rows[id] != 1, what == "S" && signals[id] != 1:
			t.Errorf("%q is there %d times in the ledger, %d in the store", line, rows[id], signals[id])
		case what == "C" && signals["session "+strings.Split(id, "-")[0]] != 1:
			t.Errorf("%q: %d session records", line, signals["session "+strings.Split(id, "-")[0]])
		case what == "E":
			t.Errorf("a writer failed: %q", line)
		}
	}
	for _, ids := range []map[string]int{rows, signals} {
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%q is there %d times", id, n)
			}
		}
	}
	if got := names(t, dir); got != "friction.jsonl signals.jsonl" {
		t.Errorf("the folder holds %s", got)
	}
	return len(rows), len(signals)
}

// size is how much the tests of this file do: RETRO_STRESS makes it 32 writers
// of 200 events.
func size() (writers, events int) {
	if os.Getenv("RETRO_STRESS") != "" {
		return 32, 200
	}
	return 8, 40
}

func TestManyWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "retro")
	writers, events := size()
	said := job{dir: dir, name: "w", writers: writers, events: events, rows: 1 << 30}.run(t)
	rows, signals := check(t, dir, said)
	if rows != writers*events || signals != writers*events+writers {
		t.Errorf("%d rows and %d signals, want %d and %d", rows, signals, writers*events, writers*events+writers)
	}
	if want := writers * (2*events + events/20); len(said) != want {
		t.Errorf("%d acknowledged, want %d", len(said), want)
	}
}

// half kills every other writer somewhere in its work.
func half(events int) func(int) int {
	random := rand.New(rand.NewPCG(1, 2))
	return func(w int) int { return w % 2 * (1 + random.IntN(events)) }
}

// Writers that are killed lose their own event at most.
func TestKilledWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "retro")
	writers, events := size()
	said := job{dir: dir, name: "w", writers: writers, events: events, rows: 1 << 30, kill: half(events)}.run(t)
	if whole := writers * (2*events + events/20); len(said) >= whole {
		t.Errorf("%d acknowledged: nobody was killed at work", len(said))
	}
	// One more writer clears up behind the dead.
	said = append(said, job{dir: dir, name: "last", writers: 1, events: 20, rows: 1 << 30}.run(t)...)
	check(t, dir, said)
}

// A ledger that is rotated all the time under writers that are killed keeps to
// its limit, holds whole rows and nothing twice, and the newest of them.
func TestKilledWritersRotating(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "retro")
	writers, events := size()
	const limit = 10
	job{dir: dir, name: "w", writers: writers, events: events, rows: limit, kill: half(events)}.run(t)
	job{dir: dir, name: "last", writers: 1, events: 40, rows: limit}.run(t)
	rows := found(t, filepath.Join(dir, "friction.jsonl"))
	for id, n := range rows {
		if n != 1 || !strings.HasPrefix(id, "last0-") {
			t.Errorf("%q is there %d times", id, n)
		}
	}
	if len(rows) > limit || rows["last0-39"] != 1 || rows["last0-38"] != 1 {
		t.Errorf("rows %v", rows)
	}
	if got := names(t, dir); got != "friction.jsonl signals.jsonl" {
		t.Errorf("the folder holds %s", got)
	}
}
