package ndjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// members lists the members of the object on each line of a text, in chunks of
// the given size; plain is the judge, which searches for line ends and strings.
func members(text []byte, chunk int, plain bool) (got []string) {
	var w Walker
	l := new(Lines)
	l.Buffer(make([]byte, chunk))
	l.Reset(bytes.NewReader(text))
	if !plain {
		l.Mark()
	}
	for l.Next() {
		line := l.Line()
		if text := bytes.TrimRight(line.Bytes, " "); plain {
			w.Reset(text)
		} else {
			w.ResetLine(line, text)
		}
		got = append(got, fmt.Sprintf("%d@%d", line.Number, line.Offset))
		whole := w.Members(func(key []byte, v Value) bool {
			got = append(got, fmt.Sprintf("%q=%q", key, v))
			return true
		})
		got = append(got, fmt.Sprintf("%q %t %t", line.Bytes, whole, w.End()))
	}
	return got
}

func checkMarkedLines(t *testing.T, text []byte, chunk int) {
	t.Helper()
	if got, want := members(text, chunk, false), members(text, chunk, true); !slices.Equal(got, want) {
		t.Errorf("%.300q in chunks of %d:\n got %q\nwant %q", text, chunk, got, want)
	}
}

// TestMarkedLines moves all that ends a line or spoils its marks over the borders
// of blocks and chunks.
func TestMarkedLines(t *testing.T) {
	odd := []string{"\n", "\r\n", "\r", "\n\n", "\t", "\x00", " \n", `\`, `\"`, `\\`, `\u12ab`, `\u12`, `\q`, `"`, "é", strings.Repeat("\\", 63), "\\\n"}
	for _, s := range odd {
		for before := range 67 {
			text := `{"a":"` + strings.Repeat("b", before) + s + `c","d":[1,"e"]}` + s + `{"f":"g"}` + " \n" + s
			for _, chunk := range []int{2, 7, 64, 100, 1000} {
				checkMarkedLines(t, []byte(text), chunk)
			}
		}
	}
}

// TestLineIsMarked sees that the fast way is taken at all.
func TestLineIsMarked(t *testing.T) {
	if !canMark() {
		t.Skip("this processor marks nothing")
	}
	l := NewLines(strings.NewReader("{\"a\":1}\n{\"a\":\t1}\n{\"b\":2}"))
	l.Mark()
	for _, want := range []bool{true, false, true} {
		if !l.Next() || (l.Line().marks != nil) != want {
			t.Errorf("line %d: marked %t, want %t", l.Line().Number, !want, want)
		}
		if c := l.Line().Clone(); c.marks != nil {
			t.Error("the marks of a copy would be those of the next line")
		}
	}
}

func FuzzMarkedLines(f *testing.F) {
	f.Add([]byte("{\"a\":\"\\\\\\\"\\u00e9\"}\r\n{\"b\":1}\n"), 7)
	f.Fuzz(func(t *testing.T, text []byte, chunk int) {
		checkMarkedLines(t, text, 2+chunk&255)
	})
}
