package ndjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// accepts tells whether the walker takes the line for one JSON object. Both of
// its ways over strings must say the same.
func accepts(t *testing.T, line []byte) bool {
	t.Helper()
	var searching, marking Walker
	searching.Reset(line)
	marking.ResetMarked(line)
	got := acceptsObject(&searching)
	if acceptsObject(&marking) != got {
		t.Errorf("with marks, %.200q is accepted: %v, else %v", line, !got, got)
	}
	return got
}

func acceptsObject(w *Walker) bool {
	if w.Peek() != Object {
		return false
	}
	_, ok := w.Value()
	return ok && w.End()
}

func TestWalkerGrammar(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 100_000) + "1" + strings.Repeat(`]}`, 100_000)
	tests := []struct {
		line string
		want bool
	}{
		{`{}`, true}, {` { } `, true}, {`{"a":1}`, true}, {`{"a":1,}`, false}, {`{,"a":1}`, false}, {`{"a" 1}`, false},
		{`{"a":[]}`, true}, {`{"a":[1,2,{"b":null}],"c":true}`, true}, {`{"a":[1,]}`, false}, {`{"a":[1 2]}`, false},
		{`{"a":[1}`, false}, {`{"a":1]`, false}, {`{"a":{"b":1}`, false}, {`{"a":1}}`, false}, {`{"a":1} x`, false},
		{`{"a":01}`, false}, {`{"a":-}`, false}, {`{"a":1.}`, false}, {`{"a":1e}`, false}, {`{"a":-0.5e+7}`, true}, {`{"a":.5}`, false},
		{`{"a":tru}`, false}, {`{"a":NaN,"b":-Infinity,"c":Infinity}`, true}, {`{"a":nul}`, false}, {`{"a":+1}`, false},
		{"{\"a\":\"x\ty\"}", false}, {"{\"a\":\t1}", true}, {`{"a":"\\"}`, true}, {`{"a":"\\\""}`, true}, {`{"a":"\"}`, false},
		{`{"a":"` + "\x00" + `"}`, false}, {`{a:1}`, false}, {`{'a':1}`, false}, {``, false}, {`{`, false}, {`{"`, false}, {`{"a":`, false},
		{`{"a":` + strings.Repeat("9", 4300) + `}`, true}, {`{"a":` + strings.Repeat("9", 5000) + `}`, false},
		{`{"a":` + strings.Repeat("9", 5000) + `.5}`, true}, {`{"x":` + deep + `}`, true}, {`{"x":` + deep[:len(deep)-1] + `}`, false},
		{`{"a":1,"a":2}`, true}, {`{"a":"\q"}`, false}, {`{"a":"\u12"}`, false}, {`{"a":"\u12g4"}`, false}, {`{"\u00e9":"\\\u00e9\n"}`, true}, {`{"a":{},"b":[[],[[]]]}`, true}, {`{"a":[{]}}`, false}, {`[]`, false}, {`{"a":1,"b"}`, false},
	}
	for _, tt := range tests {
		if got := accepts(t, []byte(tt.line)); got != tt.want {
			t.Errorf("accepts(%.60q) = %v, want %v", tt.line, got, tt.want)
		}
	}
}

func TestMembers(t *testing.T) {
	var w Walker
	w.Reset([]byte(`{"a":1, "b\u0063" : "x\"y" ,"d":[1,{"e":2}]}`))
	var got []string
	if !w.Object() {
		t.Fatal("no object")
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if !ok {
			t.Fatal("fault")
		}
		if done {
			break
		}
		name := string(key)
		value, ok := w.Value()
		if !ok {
			t.Fatal("fault in value")
		}
		got = append(got, name+"="+string(value))
	}
	want := `a=1 bc="x\"y" d=[1,{"e":2}]`
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func TestText(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"plain"`, "plain"}, {`""`, ""}, {`"a\nb\t\"\\\/"`, "a\nb\t\"\\/"}, {`"\u00e9\u4f60"`, "é你"}, {`"\ud83d\ude00"`, "😀"},
		{`"\ud83d"`, "\uFFFD"}, {`"\ud83dx"`, "\uFFFDx"}, {`"\ude00\ud83d\ude00"`, "\uFFFD😀"}, {"\"a\xffb\"", "a\uFFFDb"},
		{"\"\xe4\xbd\"", "\uFFFD"}, {"\"\xe4\xbdz\xff\xff\"", "\uFFFDz\uFFFD\uFFFD"}, {`"\ud83d\ud83d\ude00"`, "\uFFFD😀"},
	}
	for _, tt := range tests {
		got, _, ok := Value(tt.in).Text(nil)
		if !ok || string(got) != tt.want {
			t.Errorf("Text(%s) = %q, %v, want %q", tt.in, got, ok, tt.want)
		}
	}
	for _, bad := range []string{`"\q"`, `"\u12g4"`, `"\u12"`, `1`, `{}`, ``} {
		if text, _, ok := Value(bad).Text(nil); ok {
			t.Errorf("Text(%s) = %q, want a refusal", bad, text)
		}
	}
}

func TestHeadCutsBetweenCharacters(t *testing.T) {
	whole := `"a\n\u00e9😀\ud83d\ude00\\n` + `é"`
	full := Value(whole).String()
	for n := 0; n < len(whole); n++ {
		head, _, ok := Value(whole).Head(nil, n)
		if !ok || !bytes.HasPrefix([]byte(full), bytes.TrimSuffix(head, []byte("\uFFFD"))) {
			t.Errorf("Head(%d) = %q, %v: no prefix of %q", n, head, ok, full)
		}
	}
}

// FuzzWalker compares with the judge: what is accepted, and every member.
func FuzzWalker(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":[1,{"b":"\u00e9\n"}],"c":null}`, `{"a":"\\"}`, `{"a":-1.5e9,"b":[[]]}`, "{\"a\":\"\t\"}", `{"a":01}`, `{"a":[NaN,-Infinity]}`} {
		f.Add([]byte(s))
	}
	for _, line := range sample(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) > 9000 {
			return // nested deeper than the judge reads
		}
		checkLoads(t, line)
		if _, want := loadsObject(line); accepts(t, line) != want {
			t.Errorf("accepts(%q) = %v, want %v", line, !want, want)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte(`"a\u00e9\n\ud83d\ude00\ud83d"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var want string
		if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &want) != nil || bytes.ContainsFunc(b, func(r rune) bool { return r == '\uFFFD' }) {
			return
		}
		got, _, ok := Value(bytes.TrimRight(b, " \t\r\n")).Text(nil)
		if !ok || string(got) != want {
			t.Errorf("Text(%q) = %q, %v, want %q", b, got, ok, want)
		}
	})
}
