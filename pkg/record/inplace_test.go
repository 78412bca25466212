package record

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"retro/pkg/ndjson"
)

// verdictLines are verdicts, sound ones and odd ones.
func verdictLines() (lines [][]byte) {
	for _, line := range []string{
		`{"score":8.5,"passed":true,"threshold":5.0,"signals":[{"name":"S1","count":3,"ids":["6962af71-73db-44c3-adfa-f920bb752ac1","\u00e9",7]},{"name":"S2","count":1,"ids":[]}],"v":1,"kind":"verdict","session_id":"s","ts":"2026-04-22T20:56:59.022Z","tool":"claude-code","profile":"guarded","turns":990,"prompts":12,"started":"2026-04-22T16:33:59.480Z","ended":null}`,
		`{"score":null,"passed":null,"threshold":1e3,"signals":null,"error":"no \"x\"","warning":"w","weights":"a b","session_id":"a b"}`,
		`{"signals":[null,{"ids":null},{"name":null}],"turns":-1,"prompts":007}`, `{"signals":{}}`, `{"turns":1.5}`, `{"turns":12345678901234567890}`, `{"passed":1}`, `{"score":"1"}`, `{"ts":"x"}`, `{"signals":[{"name":"a b"}]}`,
		`{"kind":5}`, `{"turns":9E3}`, `{"v":-0}`, `{"error":["x"]}`, `{}`, `{"turns":3,"turns":4} `,
	} {
		lines = append(lines, []byte(line))
	}
	return lines
}

func checkVerdict(t *testing.T, line []byte) {
	t.Helper()
	var want, got Verdict
	wantErr := ndjson.Unmarshal(line, &want)
	err := new(Reader).Verdict(bytes.TrimSpace(line), &got)
	if _, ok := KindOf(line); !ok {
		return // no object: nobody asks for a verdict
	}
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %+v, %v\nwant %+v, %v", line, got, err, want, wantErr)
	}
	if err == nil {
		checkAppend(t, &got)
	}
}

// checkAppend compares the text of a record with that of the library.
func checkAppend(t *testing.T, v interface {
	AppendJSON([]byte) ([]byte, error)
}) {
	t.Helper()
	want, wantErr := ndjson.Marshal(v)
	got, err := v.AppendJSON([]byte("x"))
	if (err == nil) != (wantErr == nil) || err == nil && string(got) != "x"+string(want) {
		t.Errorf("got  %s, %v\nwant %s, %v", got[1:], err, want, wantErr)
	}
}

func TestVerdictInPlace(t *testing.T) {
	for _, line := range verdictLines() {
		checkVerdict(t, line)
	}
}

// TestAppend writes records of all kinds, also with what is left out.
func TestAppend(t *testing.T) {
	written := 0
	for _, line := range signalLines(t) {
		if s, err := slowSignal(line); err == nil {
			written++
			checkAppend(t, &s)
		}
	}
	if written < 20 {
		t.Errorf("%d signals, want more", written)
	}
	checkAppend(t, &Signal{Evidence: &FrictionEvidence{Path: NewPath("a/ü"), Features: []Identifier{MustIdentifier("a"), {}}, SuppressedBy: []Identifier{MustIdentifier("b")}}, Error: "é\t"})
	checkAppend(t, &Verdict{Score: 1e21, Threshold: -0.001, Signals: []VerdictSignal{{}, {IDs: []Anchor{}}, {IDs: []Anchor{{}, LineAnchor(3)}}}})
}

// fill sets every field of a struct to something, in steps that leave none out.
func fill(v reflect.Value, seed *int) {
	*seed++
	switch v.Kind() {
	case reflect.Struct:
		if w, ok := v.Addr().Interface().(interface{ ReadText(string) error }); ok {
			for _, text := range []string{"2026-03-01T08:00:00.000Z", "2026-03-01", "abcdef", "name"} {
				if w.ReadText(text) == nil {
					return
				}
			}
		}
		for i := range v.NumField() {
			fill(v.Field(i), seed)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), seed)
		fill(v.Index(1), seed)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*seed))
	case reflect.Bool:
		v.SetBool(true)
	}
}

// TestAppendSession writes a session record with all members, and one with none,
// and reads both.
func TestAppendSession(t *testing.T) {
	full, seed := new(SessionEvidence), 0
	fill(reflect.ValueOf(full).Elem(), &seed)
	if seed < 80 || !full.Live || full.Files == 0 || len(full.Dropped) != 2 || full.ConfigHash.IsZero() || full.Until.IsZero() {
		t.Fatalf("not filled: %+v", full)
	}
	for _, e := range []*SessionEvidence{full, {}, {ActiveDays: []Day{}, Skills: []Name{}, ToolsUsed: Counts{}}} {
		s := Signal{Kind: Session, Detector: NewName("session"), SessionID: NewSessionID("s"), Evidence: e}
		checkAppend(t, &s)
		line, _ := s.AppendJSON(nil)
		want, wantErr := slowSignal(line)
		var got Signal
		if err := got.UnmarshalJSON(line); err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v, %v", line, got.Evidence, err, want.Evidence, wantErr)
		}
	}
}

// TestReaderKeepsLittle reads more texts than a Reader keeps.
func TestReaderKeepsLittle(t *testing.T) {
	var r Reader
	for i := range 3 * keptTexts {
		want := LineAnchor(i).Key()
		if s, err := r.text(ndjson.Value(want)); err != nil || `"`+s+`"` != want {
			t.Fatalf("%s reads as %s, %v", want, s, err)
		}
	}
	if len(r.texts) > keptTexts {
		t.Errorf("%d texts are kept", len(r.texts))
	}
}

// FuzzInPlace holds reading in place against the library.
func FuzzInPlace(f *testing.F) {
	for _, line := range append(signalLines(f), verdictLines()...) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !oneByOne(line) {
			return
		}
		checkVerdict(t, line)
		want, wantErr := slowSignal(line)
		var got Signal
		if err := got.UnmarshalJSON(line); (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v, %v", line, got, err, want, wantErr)
		}
	})
}

// oneByOne tells whether a line is an object in which no key comes twice or in
// another case, and no number is too large: of keys the library keeps parts of each
// and this program the last; of whole numbers it keeps the lowest bits.
func oneByOne(line []byte) bool {
	sound := true
	var look func(v ndjson.Value)
	look = func(v ndjson.Value) {
		switch v.Kind() {
		case ndjson.Number:
			_, err := strconv.ParseFloat(string(v), 64)
			_, tooLong := strconv.ParseInt(string(v), 10, 64)
			sound = sound && err == nil && !errors.Is(tooLong, strconv.ErrRange)
		case ndjson.Object:
			seen := map[string]bool{}
			var w ndjson.Walker
			w.Reset(v)
			sound = w.Members(func(key []byte, v ndjson.Value) bool {
				lower := string(bytes.ToLower(key))
				sound = sound && !seen[lower] && lower == string(key)
				seen[lower] = true
				look(v)
				return true
			}) && sound
		case ndjson.Array:
			var w ndjson.Walker
			w.Reset(v)
			w.Array()
			for first := true; ; first = false {
				done, ok := w.Element(first)
				if done || !ok {
					return
				}
				v, ok := w.Value()
				if !ok {
					return
				}
				look(v)
			}
		}
	}
	_, object := KindOf(line)
	look(ndjson.Value(bytes.TrimSpace(line)))
	return object && sound
}
