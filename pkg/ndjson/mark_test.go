package ndjson

import (
	"bytes"
	"strings"
	"testing"
)

// slowMarks is the judge of the marks: byte by byte, with the walker's own
// search as the judge of the strings.
func slowMarks(text []byte) (ends []int, ok bool) {
	ok = true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < 0x20:
			ok = false
		case c == '"':
			ends = append(ends, i)
		case c == '\\':
			ok = ok && escapeLength(text[i:]) > 0
			i++
			ok = ok && (i >= len(text) || text[i] >= 0x20)
		}
	}
	return ends, ok
}

func checkMarks(t *testing.T, text []byte) {
	t.Helper()
	var m marks
	m.grow(1)
	m.ends[0] = 0xFFFF // of an earlier text
	want, wantOK := slowMarks(text)
	if ok := m.make(text); ok != wantOK {
		t.Errorf("make(%.200q) = %v, want %v", text, ok, wantOK)
	}
	if !wantOK {
		return
	}
	at := 0
	for _, end := range want {
		if got := m.end(at); got != end {
			t.Fatalf("end(%d) of %.200q = %d, want %d", at, text, got, end)
		}
		at = end + 1
	}
	if got := m.end(at); got >= 0 {
		t.Errorf("end(%d) of %.200q = %d, want none", at, text, got)
	}
}

// TestMarks moves every odd thing over the borders of the blocks.
func TestMarks(t *testing.T) {
	if !canMark() {
		t.Skip("this processor marks nothing")
	}
	odd := []string{``, `"`, `\"`, `\\"`, `\\\"`, `\\\\\\\"`, `\u12ab"`, `\u12g4"`, `\u12`, `\u`, `\`, `\q"`, `\/\b\f\n\r\t`, "\t", "\x00", "\x1f", "\x20\x7f\x80\xff",
		`"\"\""`, `\é`, `"é"`, strings.Repeat(`\`, 63), strings.Repeat(`\`, 64), strings.Repeat(`\`, 129) + `"`, strings.Repeat(`"`, 70), strings.Repeat(`\"`, 40)}
	for _, s := range odd {
		for before := range 67 {
			for _, after := range []int{0, 1, 7, 64} {
				checkMarks(t, []byte(strings.Repeat("a", before)+s+strings.Repeat("a", after)))
			}
		}
	}
	for c := range 256 {
		checkMarks(t, []byte{'"', '\\', byte(c), '0', '0', '0', '0', '"'})
		checkMarks(t, append(bytes.Repeat([]byte(" "), 63), '"', '\\', byte(c), '0', '0', '0', '0', '"'))
	}
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte(`{"a":"\\\"\u00e9"}`), 60)
	f.Fuzz(func(t *testing.T, text []byte, before int) {
		if !canMark() {
			t.Skip("this processor marks nothing")
		}
		checkMarks(t, append(bytes.Repeat([]byte("a"), before&127), text...))
	})
}
