package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// within5s is a context for a lock that nobody else holds.
func within5s(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// brief is a context for a lock that somebody holds.
func brief(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// names lists a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func day(n int) time.Time { return time.Date(2026, 3, n, 8, 0, 0, 0, time.UTC) }

// session is the session record of a session that began at a moment.
func session(id string, started time.Time, bytes int64) record.Signal {
	return record.Signal{
		V: record.Version, TS: record.NewTimestamp(started.Add(time.Hour)), Tool: record.ClaudeCode,
		SessionID: record.NewSessionID(id), Kind: record.Session, Rule: record.NewName("none"),
		Detector: record.NewName("session"), Confidence: record.Deterministic, Origin: record.FromTranscript,
		Evidence: &record.SessionEvidence{Started: record.NewTimestamp(started), SourceBytes: bytes},
	}
}

// violation is a rule signal; the evidence settles its origin.
func violation(id string, at time.Time, evidence record.RuleEvidence) record.Signal {
	s := record.NewRuleSignal(evidence)
	s.SessionID, s.TS, s.Tool = record.NewSessionID(id), record.NewTimestamp(at), record.ClaudeCode
	return s
}

// hooked is a signal of origin hook.
func hooked(id string, at time.Time) record.Signal {
	return violation(id, at, &record.ScopeEvidence{Path: record.NewPath("a.go")})
}

// seen is a signal of origin transcript.
func seen(id string, at time.Time) record.Signal {
	return violation(id, at, &record.UserCorrectionEvidence{Pattern: record.NewName("no")})
}

// contents tells what a store holds, as "session:detector" in file order.
func contents(t *testing.T, path string) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(read(t, path)) {
		var s struct {
			SessionID string `json:"session_id"`
			Kind      string `json:"kind"`
			Detector  string `json:"detector"`
		}
		if err := ndjson.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%s: %q", path, line)
		}
		if s.Detector == "" {
			s.Detector = s.Kind
		}
		out = append(out, s.SessionID+":"+s.Detector)
	}
	return strings.Join(out, " ")
}

func replace(t *testing.T, s Signals, captures ...Capture) []Capture {
	t.Helper()
	stale, err := s.Replace(within5s(t), captures...)
	if err != nil {
		t.Fatal(err)
	}
	return stale
}

func capture(signals ...record.Signal) Capture {
	return Capture{Session: signals[0].SessionID, Signals: signals}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	s := NewSignals(path, Retention{})
	if err := s.Append(within5s(t), hooked("s1", day(1))); err != nil {
		t.Fatal(err)
	}
	first := capture(session("s1", day(1), 100), seen("s1", day(1)))
	first.Hooks = 1
	for range 2 {
		replace(t, s, first, capture(session("s2", day(2), 5)))
		const want = "s1:scope-warning s1:session s1:user-correction s2:session"
		if got := contents(t, path); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := names(t, filepath.Dir(path)); got != "signals.jsonl" {
		t.Errorf("folder holds %s", got)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
}

// A hook that fires between the scan and the replacement makes the scan stale:
// its decision has no outcome yet.
func TestReplaceStale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	s := NewSignals(path, Retention{})
	if err := s.Append(within5s(t), hooked("s1", day(1))); err != nil {
		t.Fatal(err)
	}
	stale := replace(t, s, capture(session("s1", day(1), 1)), capture(session("s2", day(1), 1)))
	if len(stale) != 1 || stale[0].Session.String() != "s1" {
		t.Errorf("stale: %v", stale)
	}
	if got, want := contents(t, path), "s1:scope-warning s2:session"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRetention(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	s := NewSignals(path, Retention{Sessions: 2, IgnorePrefixes: []string{"probe-"}})
	for _, h := range []record.Signal{hooked("s1", day(1)), hooked("old", day(1)), hooked("running", day(9))} {
		if err := s.Append(within5s(t), h); err != nil {
			t.Fatal(err)
		}
	}
	one := capture(session("s1", day(1), 11))
	one.Hooks = 1
	replace(t, s, one)
	replace(t, s, capture(session("probe-1", day(3), 7)))
	replace(t, s, capture(session("s2", day(2), 12)))
	// The third real session pushes the oldest out with its hook records, and
	// what hooks alone saw before the oldest that stays. A probe takes no place.
	replace(t, s, capture(session("s3", day(3), 13)))
	const want = "running:scope-warning probe-1:session s2:session s3:session s1:retired"
	if got := contents(t, path); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	known, err := s.Known()
	if err != nil {
		t.Fatal(err)
	}
	if k := known["s1"]; !k.Retired || k.Captured || k.SourceBytes != 11 {
		t.Errorf("s1 is known as %+v", k)
	}
	// Captured again it is only dropped again, and remembered with its new size.
	replace(t, s, capture(session("s1", day(1), 99)))
	if got := contents(t, path); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if known, _ = s.Known(); known["s1"].SourceBytes != 99 {
		t.Errorf("s1 is known with %d bytes, want 99", known["s1"].SourceBytes)
	}
}

// Sessions that only hooks saw go by age.
func TestRetentionByAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	s := NewSignals(path, Retention{})
	for _, at := range []time.Time{day(1), day(30)} {
		if err := s.Append(within5s(t), hooked(fmt.Sprint("h", at.Day()), at)); err != nil {
			t.Fatal(err)
		}
	}
	replace(t, s, capture(session("s", day(40), 1)))
	if got, want := contents(t, path), "h30:scope-warning s:session"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Records that this version does not know survive a rewrite, and only what is
// no JSON goes.
func TestReplaceKeepsUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	const later = `{"v":9,"kind":"omen","session_id":"x","origin":"hook","ts":7,"evidence":"odd"}` + "\n" + `{"v":9,"kind":["list"]}` + "\n"
	write(t, path, later+`{"v":1,"kind":"viol`)
	replace(t, NewSignals(path, Retention{}), capture(session("s", day(1), 1)))
	got := read(t, path)
	if !strings.HasPrefix(got, later+`{"v":1,"ts":"2026-03-01T09:00`) {
		t.Errorf("got %s", got)
	}
}

func TestAppendWaitsForLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "signals.jsonl")
	s := NewSignals(path, Retention{})
	write(t, path, "")
	f, err := lockOpen(within5s(t), path, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(brief(t), hooked("s", day(1))); err != ErrHeld {
		t.Errorf("while held: %v, want %v", err, ErrHeld)
	}
	if got := read(t, path); got != "" {
		t.Errorf("written while held: %q", got)
	}
	f.Close() // as the kernel does when the owner dies
	if err := s.Append(within5s(t), hooked("s", day(1))); err != nil {
		t.Error(err)
	}
}

func TestRefusesSymlink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	write(t, target, "precious\n")
	path := filepath.Join(dir, "retro", "signals.jsonl")
	write(t, path, "")
	os.Remove(path)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	s := NewSignals(path, Retention{})
	if err := s.Append(within5s(t), hooked("s", day(1))); err == nil {
		t.Error("appended through a link")
	}
	if _, err := s.Replace(within5s(t), capture(session("s", day(1), 1))); err == nil {
		t.Error("replaced a link")
	}
	if err := NewLedger(path, DefaultLimits).Append(within5s(t), row(1)); err == nil {
		t.Error("ledger appended through a link")
	}
	if got := read(t, target); got != "precious\n" {
		t.Errorf("the target now holds %q", got)
	}
	linked := filepath.Join(dir, "linked")
	if err := os.Symlink(filepath.Join(dir, "retro"), linked); err != nil {
		t.Fatal(err)
	}
	if err := NewLedger(filepath.Join(linked, "friction.jsonl"), DefaultLimits).Append(within5s(t), row(1)); err == nil {
		t.Error("ledger appended in a linked folder")
	}
}

func TestReadSignals(t *testing.T) {
	const old = `{"v":1,"ts":"2026-03-01T09:00:00","tool":"claude-code","session_id":"s","kind":"decision","rule":"scope","detector":"decision","confidence":"deterministic","origin":"hook","evidence":{"action":"warned","tool_use_id":"t1","hook":"warn-scope.py","path":"a.go"}}
{"v":1,"kind":"retired","session_id":"r"}
not JSON

{"v":1,"ts":"2026-03-01T09:00:00Z","tool":"claude-code","session_id":"s","kind":"session","rule":"none","detector":"session","confidence":"deterministic","origin":"transcript","evidence":{"message_count":4,"tools_used":{"Edit":2,"Bash":1},"tool_calls_total":3,"edited_files":1,"skills_invoked":["x"],"graph_db_present":true,"started":"2026-03-01T08:00:00.000Z","ended":"2026-03-01T09:00:00.000Z","usage":{"input":1,"output":2,"cache_read":3,"cache_create":4},"source_bytes":55}}`
	var got []string
	for s, err := range ReadSignals(strings.NewReader(old)) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		text, _ := ndjson.Marshal(s.TS)
		got = append(got, fmt.Sprint(s.Kind, string(text), s.ID.IsZero()))
		if e, ok := s.Evidence.(*record.SessionEvidence); ok {
			used, _ := ndjson.Marshal(e.ToolsUsed)
			got = append(got, string(used))
		}
	}
	want := []string{
		`decision"2026-03-01T09:00:00.000Z"false`, "not a record", `session"2026-03-01T09:00:00.000Z"false`,
		`[{"name":"Bash","count":1},{"name":"Edit","count":2}]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
