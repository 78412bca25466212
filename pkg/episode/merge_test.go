package episode

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// randomSessions are streams of records, one a session, with everything that a
// stream may hold.
func randomSessions(r *rand.Rand) [][]string {
	out := make([][]string, 2+r.IntN(6))
	for i := range out {
		var l lines
		id := fmt.Sprintf("s%d", i)
		if r.IntN(8) == 0 {
			id = "11111111-aaaa-4bbb-8ccc-" + id
		}
		days := []string{"03-01", "03-02", "03-03", "03-04", "03-05"}[r.IntN(3):][:1+r.IntN(3)]
		for range r.IntN(12) {
			randomSignal(r, &l, id, days[r.IntN(len(days))])
		}
		if r.IntN(6) > 0 {
			l.session(id, days[0], days[len(days)-1], usage(r.IntN(1000)), fmt.Sprintf(`"edited_files":%d`, r.IntN(2)), fmt.Sprintf(`"turns":%d`, r.IntN(20)),
				fmt.Sprintf(`"active_days":["2026-%s"]`, days[0]), `"opportunities":[{"name":"scope","count":3}]`, fmt.Sprintf(`"interactive":%t`, r.IntN(4) > 0), `"malformed":[{"name":"nul","count":1}]`)
		}
		if r.IntN(3) > 0 {
			l.verdict(id, days[len(days)-1], float64(r.IntN(20))/2)
		}
		out[i] = l.list
	}
	return out
}

func randomSignal(r *rand.Rand, l *lines, id, day string) {
	switch r.IntN(8) {
	case 0:
		l.graphFirst(id, day)
	case 1:
		l.correction(id, day)
	case 2:
		l.scope(id, day, fmt.Sprintf("a/b%d/c.go", r.IntN(3)))
	case 3:
		l.retry(id, day, fmt.Sprintf("%012d", r.IntN(3)), 3+r.IntN(3), 2)
	case 4:
		l.decision(id, day, "scope", []string{"warned", "suppressed", "blocked"}[r.IntN(3)])
	case 5:
		l.outcome(id, day, "scope", fmt.Sprintf(`"reconciled":null,"repeated":%d`, r.IntN(2)))
	case 6:
		l.signal(id, day, "friction", "none", "edit-loop", "deterministic", "transcript", `{"signal":"S3","anchor":"u","turn":1}`)
	case 7:
		l.signal(id, day, "decision", "gotchas", "decision", "deterministic", "hook", fmt.Sprintf(`{"action":"surfaced","tool_use_id":"t%d","hook":"gotcha","path":"","gotcha":"g%d"}`, len(l.list), r.IntN(2)))
	}
}

// partial is what a stream comes to as partial aggregates.
func partial(t *testing.T, list []string) []string {
	t.Helper()
	var out []string
	for _, e := range episodes(t, Options{}, list) {
		line, err := ndjson.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return out
}

// However the sessions are split over runs, however often a run's partial is
// merged again with others or alone, doubled, or mixed with raw records, in any
// order: the same bytes.
func TestMergeIsTheSameForEverySplit(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		sessions := randomSessions(r)
		whole := measure(t, changed(t, "scope", "2026-03-03"), &lines{slices.Concat(sessions...)}).bytes()
		if got := reduce(t, r, sessions); got != whole {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got, whole)
		}
	}
}

// reduce splits the sessions in up to four runs, merges the partials in a
// random tree and measures what comes out.
func reduce(t *testing.T, r *rand.Rand, sessions [][]string) string {
	runs := make([][]string, 1+r.IntN(4))
	for _, s := range sessions {
		shuffle(r, s)
		i := r.IntN(len(runs))
		runs[i] = append(runs[i], s...)
		if r.IntN(4) == 0 { // a job that ran twice
			j := r.IntN(len(runs))
			runs[j] = append(runs[j], partial(t, s)...)
		}
	}
	for i := range runs {
		for range r.IntN(3) {
			runs[i] = partial(t, runs[i])
		}
	}
	for len(runs) > 1 {
		i, j := 0, 1+r.IntN(len(runs)-1)
		both := slices.Concat(runs[i], runs[j])
		shuffle(r, both)
		if r.IntN(2) == 0 {
			both = partial(t, both)
		}
		runs[j] = both
		runs = runs[1:]
	}
	return measure(t, changed(t, "scope", "2026-03-03"), &lines{runs[0]}).bytes()
}

func shuffle(r *rand.Rand, list []string) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// Of two scans of a session that grew in between, the longer one stands, day by
// day, and its counters with it; a hook's records are in neither and stay.
func TestGrownSession(t *testing.T) {
	var first, second, hooks lines
	first.graphFirst("a", "03-01")
	first.graphFirst("a", "03-02")
	first.session("a", "03-01", "03-02", `"active_days":["2026-03-01","2026-03-02"]`, usage(10), `"source_bytes":100`)
	second.graphFirst("a", "03-01")
	second.graphFirst("a", "03-03", "03-03")
	second.session("a", "03-01", "03-03", `"active_days":["2026-03-01","2026-03-02","2026-03-03"]`, usage(30), `"source_bytes":200`)
	hooks.scope("a", "03-02", "x/y.go")
	one, two, three := partial(t, first.list), partial(t, second.list), partial(t, hooks.list)
	var bytes []string
	for _, order := range [][]string{slices.Concat(one, two, three), slices.Concat(three, two, one), slices.Concat(two, one, three, one)} {
		f := measure(t, registry(t), &lines{order})
		if r := f.rule("graph-first"); r.Events != 3 || r.Episodes != 2 {
			t.Errorf("got %d events in %d episodes, want 3 in 2", r.Events, r.Episodes)
		}
		if f.rule("scope").Events != 1 {
			t.Error("what the hook saw is lost")
		}
		if tokens := only[*record.Tokens](f); tokens.SessionsWithUsage != 1 || tokens.MeanPerSession.Total != 30 {
			t.Errorf("got %+v", tokens)
		}
		bytes = append(bytes, f.bytes())
	}
	if bytes[0] != bytes[1] || bytes[0] != bytes[2] {
		t.Error("the order of the partials shows")
	}
}

// Two scans that each read their own slice of time are both counted.
func TestSlicesOfOneSession(t *testing.T) {
	var l lines
	l.session("a", "03-01", "03-02", `"active_days":["2026-03-01","2026-03-02"]`, usage(10), `"source_bytes":100`)
	l.session("a", "03-03", "03-04", `"active_days":["2026-03-03","2026-03-04"]`, usage(30), `"source_bytes":300`)
	for _, list := range [][]string{l.list, slices.Concat(partial(t, l.list[1:]), partial(t, l.list[:1]))} {
		f := measure(t, registry(t), &lines{list})
		s := only[*record.Summary](f)
		if tokens := only[*record.Tokens](f); s.Sessions != 1 || s.Episodes != 4 || tokens.MeanPerSession.Total != 40 {
			t.Errorf("got %+v, %+v", s, tokens)
		}
	}
}

func TestOneSignalCountsOnce(t *testing.T) {
	var l lines
	l.graphFirst("a", "03-01", "03-02")
	l.decision("a", "03-02", "scope", "warned")
	double := slices.Concat(l.list, l.list)
	// The same call seen by two copies of a hook has two ids.
	double = append(double, strings.Replace(l.list[2], `"id":"`, `"id":"0`, 1))
	if got, want := measure(t, registry(t), &lines{double}).bytes(), measure(t, registry(t), &l).bytes(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A command that was retried again after the first scan keeps its id; the
	// later record stands, whichever comes first.
	var grown lines
	grown.retry("a", "03-01", "aaaaaaaaaaaa", 3, 2)
	later := strings.NewReplacer("T10:", "T11:", `"runs":3`, `"runs":7`).Replace(grown.list[0])
	for _, list := range [][]string{{grown.list[0], later}, {later, grown.list[0]}} {
		if b := only[*record.BuildRetry](measure(t, nil, &lines{list})); b.Runs != 7 {
			t.Errorf("got %d runs, want 7", b.Runs)
		}
	}
}

// What hooks wrote counts for the sessions of the stream, raw or partial, and
// for no others; what the store holds of transcripts does not count.
func TestAside(t *testing.T) {
	var stream, store lines
	stream.session("a", "03-01", "03-01")
	store.scope("a", "03-01", "x/y.go")
	store.scope("elsewhere", "03-01", "x/y.go")
	store.graphFirst("a", "03-01")
	store.session("elsewhere", "03-01", "03-01")
	for _, list := range [][]string{stream.list, partial(t, stream.list), slices.Concat(stream.list, store.list[:1])} {
		c, _ := NewCollector(Options{})
		for _, line := range store.list {
			var w ndjson.Walker
			var e record.Envelope
			if w.Reset([]byte(line)); !e.Read(&w) {
				t.Fatal("no record: ", line)
			}
			if err := c.AddAside(&e); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range list {
			if err := c.Add([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		f := figures{t, Buckets(c.Episodes(), Project{Registry: registry(t)})}
		if s := only[*record.Summary](f); s.Sessions != 1 || s.Episodes != 1 || f.rule("scope").Events != 1 || f.rule("graph-first").Events != 0 {
			t.Errorf("got %+v, %d of scope, %d of graph-first", s, f.rule("scope").Events, f.rule("graph-first").Events)
		}
	}
}

func TestRefused(t *testing.T) {
	var utc, other, config lines
	utc.session("a", "03-01", "03-01")
	other.session("b", "03-01", "03-01", `"zone":"Europe/Berlin"`)
	config.session("b", "03-01", "03-01", `"config_hash":"fedcba987654"`)
	for _, c := range []struct {
		name string
		opt  Options
		list []string
		want bool
	}{
		{"two zones", Options{}, slices.Concat(utc.list, other.list), true},
		{"two zones of partials", Options{}, slices.Concat(partial(t, utc.list), partial(t, other.list)), true},
		{"another zone than asked for", Options{Zone: "Asia/Tokyo"}, utc.list, true},
		{"two configurations", Options{}, slices.Concat(utc.list, config.list), true},
		{"two configurations of partials", Options{}, slices.Concat(partial(t, config.list), utc.list), true},
		{"two configurations on purpose", Options{MixedConfig: true}, slices.Concat(utc.list, config.list), false},
		{"one", Options{Zone: "UTC"}, utc.list, false},
	} {
		collector, err := NewCollector(c.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range c.list {
			if err = collector.Add([]byte(line)); err != nil {
				break
			}
		}
		var refused *Refused
		if errors.As(err, &refused) != c.want {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if _, err := NewCollector(Options{Zone: "Mars/Olympus"}); err == nil {
		t.Error("an unknown zone was taken")
	}
}

// A day is a day of the zone that the records name, also across the hour that
// daylight saving repeats.
func TestDaysOfAZone(t *testing.T) {
	var l lines
	l.graphFirst("a", "2026-03-01T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T22:59:00Z", "2026-10-25T23:01:00Z")
	l.session("a", "2026-03-01T23:30:00Z", "2026-10-25T23:01:00Z", `"zone":"Europe/Berlin"`)
	var got []string
	for _, e := range episodes(t, Options{}, l.list) {
		got = append(got, e.Day.String())
	}
	if want := []string{"2026-03-02", "2026-10-25", "2026-10-26"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBadLines(t *testing.T) {
	c, _ := NewCollector(Options{})
	for _, line := range []string{`{`, `[]`, `"x"`, `{"kind":"violation","detector":"defect","evidence":{"fix":"SECRET words"}}`, `{"kind":"bucket","bucket":"episode"}`, `{"kind":"session","detector":"session","evidence":[]}`} {
		if err := c.Add([]byte(line)); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v", line, err)
		}
	}
	for _, line := range []string{`{}`, `{"kind":"leftover"}`, `{"kind":"bucket","bucket":"rule"}`, `{"kind":"candidate","evidence":7}`} {
		if err := c.Add([]byte(line)); err != nil {
			t.Errorf("%s: got %v", line, err)
		}
	}
	if n := len(c.Episodes()); n != 0 {
		t.Errorf("got %d episodes of bad lines", n)
	}
}

func FuzzAdd(f *testing.F) {
	var l lines
	l.session("a", "03-01", "03-01", usage(5))
	l.scope("a", "03-01", "a/b.go")
	l.verdict("a", "03-01", 3)
	l.outcome("a", "03-01", "scope", `"reconciled":null,"repeated":1`)
	for _, line := range l.list {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"kind":"bucket","bucket":"episode","session_id":"a","zone":"UTC","day":"2026-03-01","verdict":{},"session":{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, _ := NewCollector(Options{})
		if c.Add(line) != nil {
			return
		}
		figures{t, Buckets(c.Episodes(), Project{})}.bytes()
	})
}
