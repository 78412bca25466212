package trial

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
)

var update = flag.Bool("update", false, "rewrite the power table of the package comment")

// friction draws the score and the turns of a session.
type friction func(r *rand.Rand) (score float64, turns int)

// poisson is friction that comes at random moments in sessions of one length.
func poisson(mean float64) friction {
	return func(r *rand.Rand) (float64, int) {
		n := 0
		for p := r.Float64(); p > math.Exp(-mean); p *= r.Float64() {
			n++
		}
		return float64(n), 40
	}
}

// uneven gives sessions 20 to 60 turns without regard to their friction.
func uneven(f friction) friction {
	return func(r *rand.Rand) (float64, int) {
		score, _ := f(r)
		return score, 20 + r.IntN(41)
	}
}

// seldom is smooth sessions with a rough one among them: a share of the
// sessions has a score of 5 to 14.
func seldom(share float64) friction {
	return func(r *rand.Rand) (float64, int) {
		if r.Float64() >= share {
			return 0, 40
		}
		return float64(5 + r.IntN(10)), 40
	}
}

// TestRepeatedReview reviews equal processes after every session until they are
// decided or eight windows have passed.
func TestRepeatedReview(t *testing.T) {
	t.Parallel()
	const runs, window = 400, 10
	r := rand.New(rand.NewPCG(7, 1))
	_, a, err := Parse("1. Simulated <!-- trial start=2026-03-01T00:00:00Z source=born#na review-after=10-sessions -->")
	if err != nil {
		t.Fatal(err)
	}
	d := Directive{Agent: "pm", Text: "1. Simulated", Annotation: a}
	process := poisson(4)
	decided, naive := 0, 0
	for range runs {
		var sessions []Session
		for i := range 20 + 8*window {
			score, turns := process(r)
			at := a.Start.Time().Add(time.Duration(i-20) * time.Hour)
			sessions = append(sessions, Session{record.NewSessionID(fmt.Sprint("s", i)), score, turns, at, at})
		}
		for n, known := range map[bool]*int{true: &decided, false: &naive} {
			for _, size := range []int{10, 15, 20, 40, 80} {
				t := Review(d, sessions[:20+size], Options{Rule: ByRank, Alpha: 0.05, Resamples: 100, Repeated: n})
				if t.Decision != record.Undecided {
					*known++
					break
				}
			}
		}
	}
	if decided > runs*6/100 {
		t.Errorf("%d of %d repeated reviews of equal processes decided, want at most 6 %%", decided, runs)
	}
	if naive <= decided {
		t.Errorf("a repeated review decided %d times, a naive one %d times: the test tests nothing", decided, naive)
	}
	t.Logf("repeated %d, naive %d of %d", decided, naive, runs)
}

// outcomes reviews runs of n sessions a side and counts what came of them.
func outcomes(baseline, inTrial friction, n, runs int, seed uint64) map[record.TrialOutcome]int {
	r := rand.New(rand.NewPCG(seed, 1))
	text, a, err := Parse(fmt.Sprintf("1. Simulated <!-- trial start=2026-03-01T00:00:00Z source=born#na review-after=%d-sessions -->", n))
	if err != nil {
		panic(err)
	}
	d := Directive{Agent: "pm", Text: text, Annotation: a}
	count := make(map[record.TrialOutcome]int)
	for range runs {
		var sessions []Session
		for i := range 2 * n {
			process := baseline
			if i >= n {
				process = inTrial
			}
			score, turns := process(r)
			at := a.Start.Time().Add(time.Duration(i-n) * time.Hour)
			sessions = append(sessions, Session{record.NewSessionID(fmt.Sprint("s", i)), score, turns, at, at})
		}
		t := Review(d, sessions, Options{Rule: ByRank, Today: a.Start.Time(), Alpha: 0.05, Resamples: 200, Seed: r.Uint64()})
		count[t.Decision]++
	}
	return count
}

func TestEqualProcessesAreSeldomDecided(t *testing.T) {
	t.Parallel()
	const runs = 2000
	got := outcomes(poisson(4), poisson(4), 20, runs, 1)
	if decided := got[record.Keep] + got[record.Revert]; decided > runs*6/100 {
		t.Errorf("%d of %d reviews of equal processes decided, want at most 6 %%", decided, runs)
	}
	if got[record.Keep] == 0 || got[record.Revert] == 0 {
		t.Errorf("got %v: the test is lopsided, or never decides", got)
	}
}

func TestHalvedFrictionIsFound(t *testing.T) {
	t.Parallel()
	const runs = 2000
	got := outcomes(poisson(4), poisson(2), 20, runs, 2)
	if got[record.Keep] < runs*90/100 {
		t.Errorf("%d of %d reviews found the halved friction, want 90 %%", got[record.Keep], runs)
	}
}

func TestPowerTable(t *testing.T) {
	t.Parallel()
	const runs = 200
	rows := []struct {
		name              string
		baseline, inTrial friction
	}{
		{"4 a session, halved", poisson(4), poisson(2)},
		{"  of uneven sessions", uneven(poisson(4)), uneven(poisson(2))},
		{"2 a session, halved", poisson(2), poisson(1)},
		{"1 a session, halved", poisson(1), poisson(0.5)},
		{"0.5 a session, halved", poisson(0.5), poisson(0.25)},
		{"1 a session, gone", poisson(1), poisson(0)},
		{"20 % rough, halved", seldom(0.2), seldom(0.1)},
		{"20 % rough, none", seldom(0.2), seldom(0)},
	}
	sizes := []int{5, 10, 20, 40, 80}
	var table strings.Builder
	fmt.Fprintf(&table, "//\t%-24s", "sessions a side")
	for _, n := range sizes {
		fmt.Fprintf(&table, "%6d", n)
	}
	for i, row := range rows {
		fmt.Fprintf(&table, "\n//\t%-24s", row.name)
		for _, n := range sizes {
			found := outcomes(row.baseline, row.inTrial, n, runs, uint64(100*i+n))[record.Keep]
			fmt.Fprintf(&table, "%4.0f %%", 100*float64(found)/runs)
		}
	}
	table.WriteByte('\n')
	replaceTable(t, table.String())
}

// replaceTable compares the table of the package comment with want, or with
// -update writes it.
func replaceTable(t *testing.T, want string) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Index(string(doc), "//\tsessions a side")
	if from < 0 {
		t.Fatal("doc.go has no power table")
	}
	to := from
	for strings.HasPrefix(string(doc[to:]), "//\t") {
		to += strings.IndexByte(string(doc[to:]), '\n') + 1
	}
	switch {
	case string(doc[from:to]) == want:
	case *update:
		if err := os.WriteFile("doc.go", []byte(string(doc[:from])+want+string(doc[to:])), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the power table is stale (go test -update rewrites it); want\n%s", want)
	}
}
