package ndjson

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readAll(t *testing.T, r io.Reader) (lines []string, l *Lines) {
	t.Helper()
	l = NewLines(r)
	for l.Next() {
		lines = append(lines, fmt.Sprintf("%d@%d %s", l.Line().Number, l.Line().Offset, l.Line().Bytes))
	}
	return lines, l
}

func TestLineEnds(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""}, {"a", "1@0 a"}, {"a\n", "1@0 a"}, {"a\nb", "1@0 a|2@2 b"}, {"a\r\nb\r\n", "1@0 a|2@3 b"}, {"\n\n", "1@0 |2@1 "},
		{"a\rb\nc", "1@0 a|2@2 b|3@4 c"}, {"a\r\rb", "1@0 a|2@2 |3@3 b"}, {"a\r", "1@0 a"}, {"a\u2028b\u0085c", "1@0 a\u2028b\u0085c"},
	}
	for _, tt := range tests {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, l := readAll(t, r)
			if strings.Join(got, "|") != tt.want || l.Err() != nil {
				t.Errorf("%q: got %q, want %q", tt.in, strings.Join(got, "|"), tt.want)
			}
		}
	}
}

func TestReadErrorKeepsWhatWasRead(t *testing.T) {
	broken := errors.New("broken")
	got, l := readAll(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	if strings.Join(got, "|") != "1@0 a|2@2 b" || !errors.Is(l.Err(), broken) {
		t.Errorf("got %q, %v", got, l.Err())
	}
}

func TestLongLines(t *testing.T) {
	held := `{"a":"` + strings.Repeat("x", MaxHeld-100) + `"}`
	long := `{"id":"m","result":"` + strings.Repeat(`é\n\u00e9\\`, MaxHeld/4) + `","is_error":true,"k":["` + strings.Repeat("y", 3*MaxHeld) + `"]}`
	lost := `{"a":[` + strings.Repeat("1,", 2*MaxHeld) + `1]}`
	in := held + "\n" + long + "\n" + lost + "\n{}\n"
	l := NewLines(strings.NewReader(in))
	var lines []Line
	for l.Next() {
		line := *l.Line()
		line.Bytes = bytes.Clone(line.Bytes)
		lines = append(lines, line)
	}
	if len(lines) != 4 {
		t.Fatalf("got %d lines, want 4", len(lines))
	}
	if string(lines[0].Bytes) != held || lines[0].Shortened {
		t.Error("a line that can be held was changed")
	}
	if !lines[1].Shortened || lines[1].Lost || !accepts(t, lines[1].Bytes) || !bytes.Contains(lines[1].Bytes, []byte(`"is_error":true`)) {
		t.Errorf("long line: shortened %v, lost %v, %d bytes", lines[1].Shortened, lines[1].Lost, len(lines[1].Bytes))
	}
	if !lines[2].Lost || len(lines[2].Bytes) != 0 {
		t.Error("a line that cannot be shortened was kept")
	}
	if string(lines[3].Bytes) != "{}" || lines[3].Offset != int64(len(in)-3) || lines[3].Number != 4 {
		t.Errorf("last line: %q at %d", lines[3].Bytes, lines[3].Offset)
	}
}

// TestChunksDecideNothing reads lines on both sides of MaxHeld in chunks of other
// sizes: where a chunk ends is no reason to shorten a line.
func TestChunksDecideNothing(t *testing.T) {
	var in bytes.Buffer
	for _, n := range []int{0, 1, 100, 70000, MaxHeld - 1, MaxHeld, MaxHeld + 1, MaxHeld + 1000, 2*MaxHeld + 1} {
		fmt.Fprintf(&in, "%s\r\n{\"a\":1}\rb\n", strings.Repeat("x", min(n, 1))+`"`+strings.Repeat("y", max(0, n-3))+`"`)
	}
	for range 5 { // the ends of lines of a long time ago
		in.WriteString(`{"b":"` + strings.Repeat("w", MaxHeld/3) + "\"}\r")
	}
	in.WriteString(`"` + strings.Repeat("z", MaxHeld+5) + `"`)
	read := func(chunk int, mark bool) (got []string) {
		l := new(Lines)
		if chunk > 0 {
			l.Buffer(make([]byte, chunk))
		}
		l.Reset(bytes.NewReader(in.Bytes()))
		if mark {
			l.Mark()
		}
		for l.Next() {
			line := l.Line()
			got = append(got, fmt.Sprintf("%d %d %t %t %x", line.Number, line.Offset, line.Shortened, line.Lost, sha256.Sum256(line.Bytes)))
		}
		return got
	}
	want := read(0, false)
	if lines := 9*3 + 5 + 1; len(want) != lines {
		t.Errorf("%d lines, want %d", len(want), lines)
	}
	for _, chunk := range []int{0, 1000, 4096, 65537, 1 << 20, 6 << 20} {
		for _, mark := range []bool{false, true} {
			if got := read(chunk, mark); !slices.Equal(got, want) {
				t.Errorf("in chunks of %d, marked %t: got %s, want %s", chunk, mark, got, want)
			}
		}
	}
}

func TestShortenedTextDecodes(t *testing.T) {
	for shift := range 12 {
		pad := strings.Repeat("p", shift)
		text := pad + strings.Repeat(`é\n\u00e9\\\"😀`, 2*MaxHeld/20)
		l := NewLines(strings.NewReader(`{"t":"` + text + strings.Repeat("z", MaxHeld) + `"}` + "\n"))
		if !l.Next() || !l.Line().Shortened {
			t.Fatal("not shortened")
		}
		line := l.Line().Bytes
		head, _, ok := Value(line[5 : len(line)-1]).Text(nil)
		if !ok || len(head) < keptOfString/3 || !strings.HasPrefix(Value(`"`+text+`"`).String(), strings.TrimSuffix(string(head), "\uFFFD")) {
			t.Errorf("shift %d: not a prefix (%d bytes, ok %v)", shift, len(head), ok)
		}
	}
}

func TestRecover(t *testing.T) {
	tests := []struct {
		line    string
		records string
		faults  string
	}{
		{"\xEF\xBB\xBF{\"a\":1}", `{"a":1}`, "bom"},
		{"\x00\x00\x00{\"a\":1}", `{"a":1}`, "nul"},
		{`{"a":1}{"b":2}`, `{"a":1}|{"b":2}`, "joined"},
		{"{\"a\":1}\x00{\"b\":2}", `{"a":1}|{"b":2}`, "nul joined"},
		{`{"a":{"x":1},"t":"cut {"type":"user","m":{"y":1}}`, `{"type":"user","m":{"y":1}}`, "spliced"},
		{`{"a":1}{"b":"cut{"c":3}`, `{"a":1}|{"c":3}`, "spliced"},
		{`{"a":"cut`, ``, "unreadable"},
		{`not json`, ``, "unreadable"},
		{`{"a":1}{"b":`, `{"a":1}`, "unreadable"},
		{`{"a":{"b":1},"c":{"d":1}`, ``, "unreadable"},
	}
	for _, tt := range tests {
		got := Recover([]byte(tt.line))
		var faults []string
		for _, f := range got.Faults {
			faults = append(faults, string(f))
		}
		if r := string(bytes.Join(got.Records, []byte("|"))); r != tt.records || strings.Join(faults, " ") != tt.faults {
			t.Errorf("Recover(%q) = %s (%s), want %s (%s)", tt.line, r, faults, tt.records, tt.faults)
		}
	}
}

// FuzzRecover checks that nothing but objects is found, and all objects of a
// line that holds nothing else.
func FuzzRecover(f *testing.F) {
	f.Add([]byte(`{"a":"cut {"type":"user","m":{"y":1}}`))
	for _, line := range sample(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		records := Recover(line).Records
		for _, r := range records {
			if _, ok := loadsObject(r); !ok {
				t.Errorf("Recover(%q) gives %q, which is no object", line, r)
			}
		}
		if want := objects(line); len(want) > 1 && !reflect.DeepEqual(records, want) {
			t.Errorf("Recover(%q) gives %q, want %q", line, records, want)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		want := bytes.ReplaceAll(bytes.ReplaceAll(in, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		var got []byte
		l := NewLines(iotest.HalfReader(bytes.NewReader(in)))
		for l.Next() {
			got = append(append(got, l.Line().Bytes...), '\n')
		}
		if !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), bytes.TrimSuffix(want, []byte("\n"))) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	})
}
