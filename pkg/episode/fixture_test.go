package episode

import (
	"fmt"
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/rules"
)

// lines makes a stream of records; each has an id of its own.
type lines struct {
	list []string
}

func (l *lines) add(format string, args ...any) {
	l.list = append(l.list, fmt.Sprintf(format, args...))
}

func (l *lines) signal(session, ts, kind, rule, detector, confidence, origin, evidence string) {
	id := record.HashOf(16, fmt.Sprint(len(l.list)), session, ts)
	l.add(`{"v":1,"ts":%q,"tool":"claude-code","session_id":%q,"kind":%q,"rule":%q,"detector":%q,"confidence":%q,"origin":%q,"evidence":%s,"id":%q}`,
		at(ts), session, kind, rule, detector, confidence, origin, evidence, id)
}

// at is a moment of a day given as `03-01`, or a whole timestamp.
func at(ts string) string {
	if len(ts) == len("03-01") {
		return "2026-" + ts + "T10:00:00.000Z"
	}
	return ts
}

func (l *lines) graphFirst(session string, days ...string) {
	for _, d := range days {
		l.signal(session, d, "violation", "graph-first", "graph-first", "deterministic", "transcript", `{"count":1,"first_index":0,"tools":["Grep"],"proof":"total-bypass"}`)
	}
}

func (l *lines) correction(session string, days ...string) {
	for _, d := range days {
		l.signal(session, d, "violation", "user-correction", "user-correction", "heuristic", "transcript", `{"pattern":"no","after_tool":true}`)
	}
}

func (l *lines) scope(session, day, path string) {
	l.signal(session, day, "violation", "scope", "scope-warning", "deterministic", "hook", fmt.Sprintf(`{"path":%q,"openspec":"c"}`, path))
}

func (l *lines) retry(session, day, hash string, runs, errors int) {
	l.signal(session, day, "event", "none", "build-retry", "deterministic", "transcript", fmt.Sprintf(`{"program":"make","hash":%q,"runs":%d,"errors":%d}`, hash, runs, errors))
}

func (l *lines) decision(session, day, rule, action string) {
	l.signal(session, day, "decision", rule, "decision", "deterministic", "hook", fmt.Sprintf(`{"action":%q,"tool_use_id":"t%d","hook":"h","path":""}`, action, len(l.list)))
}

func (l *lines) outcome(session, day, rule, more string) {
	l.signal(session, day, "outcome", rule, "outcome", "deterministic", "transcript", fmt.Sprintf(`{"tool_use_id":"t%d","action":"warned","proceeded":true,"corrected":false,%s}`, len(l.list), more))
}

// session is the session record of a session that began and ended on the days.
func (l *lines) session(id, started, ended string, more ...string) {
	l.signal(id, ended, "session", "none", "session", "deterministic", "transcript",
		fmt.Sprintf(`{"started":%q,"ended":%q,"source_bytes":100,"zone":"UTC","config_hash":"0123456789ab"%s}`, at(started), at(ended), strings.Join(append([]string{""}, more...), ",")))
}

func (l *lines) verdict(id, ended string, score float64) {
	l.add(`{"score":%.1f,"passed":%t,"threshold":5.0,"signals":[{"name":"S1","count":2,"ids":["a"]}],"v":1,"kind":"verdict","session_id":%q,"ts":%q,"tool":"claude-code","profile":"guarded","turns":3,"prompts":2,"started":"","ended":%q}`,
		score, score >= 5, id, at(ended), at(ended))
}

// registry is the seed with texts replaced, old and new in turn.
func registry(t *testing.T, replace ...string) *rules.Registry {
	t.Helper()
	text := string(rules.Seed())
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("the seed has no %q", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	r, err := rules.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// changed is the seed with last_changed of one rule set.
func changed(t *testing.T, rule, day string) *rules.Registry {
	t.Helper()
	r := registry(t)
	for i := range r.Rules {
		if r.Rules[i].ID == rule {
			r.Rules[i].LastChanged = day
		}
	}
	return r
}

func episodes(t *testing.T, opt Options, list []string) []*record.Episode {
	t.Helper()
	c, err := NewCollector(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range list {
		if err := c.Add([]byte(line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return c.Episodes()
}

// figures are the buckets of a stream, to look things up in.
type figures struct {
	t    *testing.T
	list []any
}

func measure(t *testing.T, r *rules.Registry, l *lines) figures {
	t.Helper()
	return figures{t, Buckets(episodes(t, Options{}, l.list), Project{Registry: r})}
}

// only is the one bucket of its type.
func only[T any](f figures) T {
	f.t.Helper()
	list := every[T](f)
	if len(list) != 1 {
		f.t.Fatalf("got %d of %T, want one", len(list), *new(T))
	}
	return list[0]
}

func every[T any](f figures) []T {
	var out []T
	for _, b := range f.list {
		if v, ok := b.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

func (f figures) rule(id string) *record.RuleBucket {
	f.t.Helper()
	for _, r := range every[*record.RuleBucket](f) {
		if r.Rule == id {
			return r
		}
	}
	f.t.Fatalf("no figures of rule %s", id)
	return nil
}

func (f figures) bytes() string {
	var b strings.Builder
	w := ndjson.NewWriter(&b)
	for _, v := range f.list {
		w.Encode(v)
	}
	return b.String()
}
