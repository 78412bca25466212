package record

import (
	"testing"
	"time"

	"retro/pkg/ndjson"
)

func TestSignalRoundTrip(t *testing.T) {
	stamp, _ := ParseTimestamp("2026-03-01T08:00:00Z")
	want := Signal{V: Version, TS: stamp, Tool: ClaudeCode, SessionID: NewSessionID("ab/../c d"), Kind: Friction,
		Rule: NewName("none"), Detector: NewName("explicit-reject"), Confidence: Heuristic, Origin: FromTranscript,
		Evidence: &FrictionEvidence{Signal: MustIdentifier("S1"), Anchor: NewAnchor("é-1"), Turn: 3}, ID: HashOf(16, "a")}
	line, err := ndjson.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"v":1,"ts":"2026-03-01T08:00:00.000Z","tool":"claude-code","session_id":"abcd","kind":"friction","rule":"none","detector":"explicit-reject","confidence":"heuristic","origin":"transcript","evidence":{"signal":"S1","anchor":"\u00e9-1","turn":3},"id":"ffe9aaeaa2a2d504"}`
	if string(line) != text {
		t.Errorf("got  %s\nwant %s", line, text)
	}
	var got Signal
	if err := ndjson.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	again, _ := ndjson.Marshal(got)
	if string(again) != string(line) {
		t.Errorf("got  %s\nwant %s", again, line)
	}
}

func TestVerdictForm(t *testing.T) {
	line, err := ndjson.Marshal(Verdict{Score: 8.5, Threshold: 5, Signals: []VerdictSignal{}, Kind: KindVerdict})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"score":8.5,"passed":false,"threshold":5.0,"signals":[],"v":0,"kind":"verdict","session_id":"","ts":null,"tool":"","profile":"","turns":0,"prompts":0,"started":null,"ended":null}`
	if string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}

// A moment or a day that nobody knows is null, so that tables take the others
// for times.
func TestNoTimeIsNull(t *testing.T) {
	march := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		v    any
		want string
	}{
		{Timestamp{}, `null`}, {NewTimestamp(time.Time{}), `null`}, {NewTimestamp(march), `"2026-03-01T08:00:00.000Z"`},
		{Day{}, `null`}, {NewDay(march, time.UTC), `"2026-03-01"`}, {[]Day{{}}, `[null]`},
	} {
		if got, err := ndjson.Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
}

// Hook records of older writers carry no zone.
func TestTimestampsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-03-01T09:00:00"`:       "2026-03-01T09:00:00.000Z",
		`"2026-03-01T09:00:00+02:00"`: "2026-03-01T07:00:00.000Z",
		`""`:                          "",
		`null`:                        "",
	} {
		var got Timestamp
		if err := ndjson.Unmarshal([]byte(text), &got); err != nil || got.String() != want {
			t.Errorf("%s: got %q, %v", text, got, err)
		}
	}
	var stamp Timestamp
	if ndjson.Unmarshal([]byte(`"yesterday"`), &stamp) == nil {
		t.Error("a word was read as a time")
	}
}
