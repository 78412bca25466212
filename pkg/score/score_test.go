package score

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
)

func friction(session, signal, id string) *record.Signal {
	return &record.Signal{Kind: record.Friction, SessionID: record.NewSessionID(session), Tool: record.ClaudeCode,
		Evidence: &record.FrictionEvidence{Signal: record.MustIdentifier(signal), Anchor: record.NewAnchor("a-" + id)},
		ID:       record.HashOf(16, session, signal, id)}
}

func trailer(session string, turns int, bytes int64) *record.Signal {
	classic, _ := profile.Named(profile.Classic)
	hash, _ := record.NewHash(classic.ConfigHash())
	return &record.Signal{Kind: record.Session, SessionID: record.NewSessionID(session), Tool: record.ClaudeCode,
		Evidence: &record.SessionEvidence{Turns: turns, SourceBytes: bytes, Profile: record.NewName("classic"), ConfigHash: hash}}
}

// brief is a verdict as `session score signal=count(ids)...`, and what is odd
// about it.
func brief(v *record.Verdict) string {
	out := fmt.Sprintf("%s %s %v", v.SessionID, v.Score, v.Passed)
	for _, s := range v.Signals {
		out += fmt.Sprintf(" %s=%d(%d)", s.Name, s.Count, len(s.IDs))
	}
	if v.Error != "" {
		out += " " + v.Error
	}
	if v.Warning != "" {
		out += " " + v.Warning
	}
	return out
}

func run(t *testing.T, s *Scorer, signals ...*record.Signal) []string {
	t.Helper()
	var out []string
	for _, sig := range signals {
		line, err := ndjson.Marshal(sig)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.AddLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if v != nil {
			out = append(out, brief(v))
		}
	}
	for _, v := range s.Finish() {
		out = append(out, brief(v))
	}
	return out
}

func many(signal string, n int) []*record.Signal {
	var out []*record.Signal
	for i := range n {
		out = append(out, friction("a", signal, fmt.Sprint(i)))
	}
	return out
}

func TestVerdicts(t *testing.T) {
	missing := trailer("a", 0, 0)
	missing.Error = "file not found"
	tests := []struct {
		name    string
		signals []*record.Signal
		want    []string
	}{
		{"a smooth session", []*record.Signal{trailer("a", 9, 1)}, []string{"a 0.0 false"}},
		{"caps limit count and ids", append(many("S1", 5), trailer("a", 9, 1)), []string{"a 9.0 true S1=3(3)"}},
		{"uncapped signals show ten ids", append(many("S2", 12), trailer("a", 9, 1)), []string{"a 24.0 true S2=12(10)"}},
		{"signals stand in the order of the profile", []*record.Signal{friction("a", "S5", "1"), friction("a", "S3", "1"), friction("a", "S4", "1"), trailer("a", 9, 1)},
			[]string{"a 5.0 true S3=1(1) S4=1(1) S5=1(1)"}},
		{"a hit that comes twice counts once", []*record.Signal{friction("a", "S1", "1"), friction("a", "S1", "1"), trailer("a", 9, 1)}, []string{"a 3.0 false S1=1(1)"}},
		{"an unknown signal weighs nothing", []*record.Signal{friction("a", "S9", "1"), trailer("a", 9, 1)}, []string{"a 0.0 false"}},
		{"sessions are interleaved", []*record.Signal{friction("a", "S1", "1"), friction("b", "S2", "1"), friction("a", "S1", "2"), trailer("a", 1, 1), trailer("b", 1, 1)},
			[]string{"a 6.0 true S1=2(2)", "b 2.0 false S2=1(1)"}},
		{"no session record", []*record.Signal{friction("b", "S1", "1"), friction("a", "S1", "1"), trailer("c", 1, 1)},
			[]string{"c 0.0 false", "b 3.0 false S1=1(1) no session record", "a 3.0 false S1=1(1) no session record"}},
		{"a session that could not be read", []*record.Signal{missing}, []string{"a 0.0 false file not found"}},
		{"a stream that comes twice", []*record.Signal{friction("a", "S1", "1"), trailer("a", 1, 5), friction("a", "S1", "1"), trailer("a", 1, 5)},
			[]string{"a 3.0 false S1=1(1)"}},
		{"a session scanned again when more of it was there", []*record.Signal{trailer("a", 1, 5), friction("a", "S1", "1"), trailer("a", 1, 6)},
			[]string{"a 0.0 false", "a 3.0 false S1=1(1)"}},
		{"a candidate does not count", []*record.Signal{{Kind: record.Candidate, Evidence: &record.FrictionEvidence{}}, trailer("a", 1, 5)}, []string{"a 0.0 false"}},
	}
	for _, tt := range tests {
		got := run(t, New(Options{}), tt.signals...)
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestThresholdAndWarning(t *testing.T) {
	three := 3.0
	got := run(t, New(Options{Threshold: &three, Warning: "odd"}), friction("a", "S1", "1"), trailer("a", 9, 1))
	if want := "a 3.0 true S1=1(1) odd"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Other weights leave the name of the profile under which the hits were found.
func TestOtherWeights(t *testing.T) {
	rate, err := profile.Parse([]byte(`{"name":"rate","turns":"lines","threshold":1,
		"signals":[{"name":"S2","detector":"d","words":"w","weight":2,"shown":1,"per_turns":100}],
		"limits":{"error_run":2,"loop_edits":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Weights: rate})
	for _, sig := range many("S2", 4) {
		if _, err := s.Add(sig); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Add(trailer("a", 520, 1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := brief(v), "a 1.54 true S2=4(1)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.Profile.String() != "classic" || v.Weights.String() != "rate" {
		t.Errorf("got profile %s and weights %s, want classic and rate", v.Profile, v.Weights)
	}
}

func TestConfigurations(t *testing.T) {
	other := trailer("b", 1, 1)
	other.Evidence.(*record.SessionEvidence).ConfigHash = record.HashOf(16, "other")
	s := New(Options{})
	if _, err := s.Add(trailer("a", 1, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(other); !errors.Is(err, ErrMixed) {
		t.Errorf("got %v, want %v", err, ErrMixed)
	}

	v, err := New(Options{}).Add(other)
	if err != nil || v.Warning != "scanned under another version of the profile" {
		t.Errorf("got %v %v, want a warning", v, err)
	}

	foreign := trailer("c", 1, 1)
	foreign.Evidence.(*record.SessionEvidence).Profile = record.NewName("own")
	if _, err := New(Options{}).Add(foreign); err == nil || err.Error() != "profile own is not built in; name its document with --profile" {
		t.Errorf("got %v, want an error that names the profile", err)
	}
	classic, _ := profile.Named(profile.Classic)
	if v, err := New(Options{Weights: classic}).Add(foreign); err != nil || v.Weights.String() != "classic" {
		t.Errorf("got %v %v, want a verdict by the weights named", v, err)
	}
}

func BenchmarkSignal(b *testing.B) {
	line, err := ndjson.Marshal(friction("a", "S1", "1"))
	if err != nil {
		b.Fatal(err)
	}
	s := New(Options{})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.AddLine(line); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAddLineSkips(t *testing.T) {
	for _, tt := range []struct {
		line string
		want error
	}{
		{`{"kind":"friction","session_id":"a","evidence":{"signal":"S1"}}`, nil},
		{`{"kind":"later","evidence":[]}`, nil},
		{`{}`, nil},
		{`{"kind":"friction"}`, ErrIncomplete},
		{`{"kind":"friction","session_id":1,"evidence":{"signal":"S1"}}`, ErrIncomplete},
		{`{"kind":"friction","session_id":"a","evidence":{"signal":"not a name"}}`, ErrIncomplete},
		{`{"kind":"session","evidence":{}}`, ErrIncomplete},
		{`{"kind":"session","session_id":"a","evidence":{"turns":"1"}}`, ErrIncomplete},
		{`{"kind":"session","session_id":"a","evidence":[]}`, ErrIncomplete},
		{`{"kind":"session","session_id":"a","evidence":{},"ts":7}`, ErrIncomplete},
		{`{"kind":"session","session_id":"a","evidence":null}`, nil},
		{`{"kind":"friction","session_id":"a","evidence":{"signal":"S1"}`, ErrNotRecord},
		{`{"kind":"friction"} {}`, ErrNotRecord},
		{``, ErrNotRecord},
	} {
		if _, err := New(Options{}).AddLine([]byte(tt.line)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.line, err, tt.want)
		}
	}
}

// The verdict of a session record that is read in place is that of the whole one.
func TestTrailerInPlace(t *testing.T) {
	sig := trailer("a", 7, 3)
	sig.TS, _ = record.ParseTimestamp("2026-03-01T09:00:00Z")
	sig.Tool, sig.Error = record.ClaudeCode, "read error"
	evidence := sig.Evidence.(*record.SessionEvidence)
	evidence.Started, evidence.Ended, evidence.SourceBytes, evidence.Prompts = sig.TS, sig.TS, 12, 2
	evidence.Profile = record.NewName(profile.Classic)
	line, err := ndjson.Marshal(sig)
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i, add := range []func(*Scorer) (*record.Verdict, error){
		func(s *Scorer) (*record.Verdict, error) { return s.AddLine(line) },
		func(s *Scorer) (*record.Verdict, error) { return s.Add(sig) },
	} {
		v, err := add(New(Options{}))
		if err != nil || v == nil {
			t.Fatal(v, err)
		}
		text, _ := ndjson.Marshal(v)
		texts[i] = string(text)
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], `"error":"read error"`) {
		t.Errorf("in place %s\nwhole    %s", texts[0], texts[1])
	}
}

// FuzzAddLine holds the reading in place against decoding the whole record.
func FuzzAddLine(f *testing.F) {
	for _, sig := range []*record.Signal{friction("a", "S1", "1"), trailer("a", 3, 4)} {
		line, err := ndjson.Marshal(sig)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var sig record.Signal
		quick, whole := New(Options{}), New(Options{})
		if _, err := quick.AddLine(line); err != nil || ndjson.Unmarshal(line, &sig) != nil || sig.Kind != record.Friction {
			return
		}
		if _, err := whole.Add(&sig); err != nil {
			return
		}
		got, want := quick.Finish(), whole.Finish()
		if len(got) != 1 || len(want) != 1 || brief(got[0]) != brief(want[0]) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
