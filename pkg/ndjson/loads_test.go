package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// This file compares the walker with Python's json.loads, which the original
// gate read with, on thousands of damaged lines: what is accepted, and every
// member's value. The judge is the standard library with Python's dialect around
// it, and Python itself judges the judge where there is one.

// loads is json.loads(line.decode("utf-8", "replace")). A number is its text, and
// NaN and the infinities are [["NaN"]] and so on; lone surrogates are U+FFFD.
func loads(line []byte) (value any, ok bool) {
	in := json.NewDecoder(bytes.NewReader(standard(repaired(line))))
	in.UseNumber()
	if in.Decode(&value) != nil {
		return nil, false
	}
	_, err := in.Token()
	return value, err == io.EOF
}

// dialect finds the strings of a text and what Python reads in its own way.
var dialect = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"?|-?Infinity|NaN|[-+.eE0-9]+`)

// standard turns Python's dialect into JSON. The numbers that only Python has
// become lists: nothing can stand beside a list that cannot beside a number.
func standard(text []byte) []byte {
	return dialect.ReplaceAllFunc(text, func(token []byte) []byte {
		switch {
		case bytes.HasSuffix(token, []byte("NaN")), bytes.HasSuffix(token, []byte("Infinity")):
			return fmt.Appendf(nil, `[["%s"]]`, token)
		case len(bytes.TrimLeft(token, "-")) > 4300 && len(bytes.Trim(token, "-0123456789")) == 0:
			return []byte("too many digits")
		}
		return token
	})
}

// loadsObject is loads for what must be an object.
func loadsObject(line []byte) (map[string]any, bool) {
	value, ok := loads(line)
	object, isObject := value.(map[string]any)
	return object, ok && isObject
}

// repaired is line with U+FFFD for every maximal part of it that is not UTF-8.
func repaired(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	var out []byte
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 {
			// As long as what is there begins some character, it is one part.
			for n < len(line) && n < 4 && beginsCharacter(line[:n+1]) {
				n++
			}
		}
		out = utf8.AppendRune(out, r)
		line = line[n:]
	}
	return out
}

// beginsCharacter tries the ends that could make b a character.
func beginsCharacter(b []byte) bool {
	for _, end := range []string{"\x80", "\x80\x80", "\xBF", "\xBF\xBF"} {
		if b := append(bytes.Clone(b), end...); utf8.Valid(b) && utf8.RuneCount(b) == 1 {
			return true
		}
	}
	return false
}

// damage is a set of damaged lines and the sound ones it was made of.
type damage struct {
	lines [][]byte
	sound map[string]bool
	err   error
}

var damageSet = sync.OnceValue(func() (d damage) {
	dir, err := os.MkdirTemp("", "damage")
	if err != nil {
		return damage{err: err}
	}
	defer os.RemoveAll(dir)
	d.sound = map[string]bool{}
	for _, share := range []string{"1", "0"} {
		out, err := exec.Command("go", "run", "../../testdata/gen", "-out", filepath.Join(dir, share), "-seed", "5", "-files", "30", "-total", "4000000", "-large", "0", "-damage", share).CombinedOutput()
		if err != nil {
			return damage{err: fmt.Errorf("gen: %v\n%s", err, out)}
		}
		d.err = filepath.WalkDir(filepath.Join(dir, share), func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(p)
			for _, line := range bytes.Split(data, []byte("\n")) {
				if share == "1" {
					d.lines = append(d.lines, line)
				} else if len(line) > 0 {
					d.sound[string(line)] = true
				}
			}
			return err
		})
	}
	d.lines = append(d.lines, spoiled(`{ "type":"us\u0065r", "n":[-0.5e+7,10,{"\ud83d\ude00":true}],"é":{"a":null,"b":[ ]},"type":"b\\\"" }`)...)
	d.lines = append(d.lines, spoiled(`{"a":[NaN,-Infinity,{"b":{}},[[]]],"":Infinity}`)...)
	for _, number := range []string{"%s", "-%s", "-1%s", "1%s", "0%s", "1%se1", "1%s.5", "0.1%s"} {
		d.lines = append(d.lines, fmt.Appendf(nil, `{"n":`+number+`}`, strings.Repeat("7", 4300)))
	}
	return d
})

// spoiled are all forms of a line that lack one byte, have one of another kind,
// one more, or end early.
func spoiled(line string) (lines [][]byte) {
	for i := range line {
		lines = append(lines, []byte(line[:i]), []byte(line[:i]+line[i+1:]))
		for _, c := range "\"\\{}[]:, \t\x00\x1f\x7f\xff/uxe019aFE+-.tNI" {
			lines = append(lines, []byte(line[:i]+string(c)+line[i+1:]), []byte(line[:i]+string(c)+line[i:]))
		}
	}
	return lines
}

func damaged(t testing.TB) damage {
	t.Helper()
	d := damageSet()
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d
}

// sample are some of the damaged lines, short ones, to start a fuzzer with.
func sample(t testing.TB) (lines [][]byte) {
	for i, line := range damaged(t).lines {
		if i%17 == 0 && len(line) < 2<<10 {
			lines = append(lines, line)
		}
	}
	return lines
}

// walked are the members of the object on a line: the last of each key.
func walked(w *Walker) (members map[string]Value, ok bool) {
	if !w.Object() {
		return nil, false
	}
	members = map[string]Value{}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if done || !ok {
			return members, ok && w.End()
		}
		name := string(repaired(key)) // a key with faulty bytes is no known key
		if members[name], ok = w.Value(); !ok {
			return nil, false
		}
	}
}

// checkLoads compares the walker with the judge on one line, both of its ways
// over strings, and tells whether they agree and what they accept.
func checkLoads(t *testing.T, line []byte) (accepted, agree bool) {
	t.Helper()
	want, accepted := loadsObject(line)
	var searching, marking Walker
	searching.Reset(line)
	marking.ResetMarked(line)
	members, ok := walked(&searching)
	marked, markedOK := walked(&marking)
	switch {
	case ok != accepted || markedOK != accepted:
		t.Errorf("accepted: %v, and %v with marks; want %v: %.300q", ok, markedOK, accepted, line)
		return accepted, false
	case ok && !reflect.DeepEqual(members, marked):
		t.Errorf("other values with marks: %.300q", line)
		return accepted, false
	}
	return accepted, !ok || sameMembers(t, members, want)
}

func sameMembers(t *testing.T, got map[string]Value, want map[string]any) bool {
	t.Helper()
	same := len(got) == len(want)
	for key, v := range got {
		decoded, ok := loads(v)
		text, isText := want[key].(string)
		if !ok || !reflect.DeepEqual(decoded, want[key]) || isText != (v.Kind() == String) || isText && v.String() != text {
			t.Errorf("%q is %.200q, want %.200q", key, v, fmt.Sprint(want[key]))
			same = false
		}
	}
	return same
}

// TestAcceptsAsPython is the comparison on the damaged set.
func TestAcceptsAsPython(t *testing.T) {
	accepted, unlike := 0, 0
	lines := damaged(t).lines
	for _, line := range lines {
		ok, agree := checkLoads(t, line)
		if ok {
			accepted++
		}
		if !agree {
			unlike++
		}
	}
	t.Logf("%d lines, %d of them accepted; lines accepted unlike json.loads: %d", len(lines), accepted, unlike)
	if accepted < 2000 || len(lines)-accepted < 4000 {
		t.Error("the set is too small, or not damaged enough, to say anything")
	}
}

// TestJudgeIsPython has Python itself read the damaged set.
func TestJudgeIsPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	lines := damaged(t).lines
	cmd := exec.Command("python3", "-c", pythonLoads)
	cmd.Stdin = bytes.NewReader(bytes.Join(lines, []byte("\n")))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(lines))
	}
	for i, line := range lines {
		value, ok := loads(line)
		if refused := string(answers[i]) == "refused"; refused == ok {
			t.Errorf("loads says %v, and Python %v: %.300q", ok, !refused, line)
			continue
		}
		if !ok {
			continue
		}
		var want any
		if err := json.Unmarshal(answers[i], &want); err != nil {
			t.Fatal(err)
		}
		if got := tagged(value); !reflect.DeepEqual(got, want) {
			t.Errorf("%.300q: got %.300q, want %.300q", line, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
}

// pythonLoads answers each line with what json.loads makes of it, or "refused".
// Strings have an s before them and the texts of numbers an n.
const pythonLoads = `
import json, re, sys

class Number(str): pass

def whole(text):
    if len(text.lstrip("-")) > 4300: raise ValueError  # as of Python 3.11
    return Number(text)

def fix(text): return re.sub("[\ud800-\udfff]", "\ufffd", text)

def tag(v):
    if isinstance(v, Number): return "n" + v
    if isinstance(v, str): return "s" + fix(v)
    if isinstance(v, list): return [tag(x) for x in v]
    if isinstance(v, dict): return {fix(k): tag(x) for k, x in v.items()}
    return v

for line in sys.stdin.buffer.read().split(b"\n"):
    try:
        v = json.loads(line.decode("utf-8", "replace"), parse_int=whole, parse_float=Number, parse_constant=Number)
        print(json.dumps(tag(v)))
    except ValueError:
        print("refused")
`

// tagged is a value of loads in the form of pythonLoads.
func tagged(v any) any {
	switch v := v.(type) {
	case json.Number:
		return "n" + string(v)
	case string:
		return "s" + v
	case map[string]any:
		out := map[string]any{}
		for key, x := range v {
			out[key] = tagged(x)
		}
		return out
	case []any:
		if len(v) == 1 {
			if inner, ok := v[0].([]any); ok && len(inner) == 1 {
				if name, _ := inner[0].(string); name == "NaN" || strings.HasSuffix(name, "Infinity") {
					return "n" + name
				}
			}
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = tagged(x)
		}
		return out
	}
	return v
}

// TestRecoverLosesNothing holds what is found on a damaged line against the
// judge: every record is an object, whole objects one after another are all
// found, and so is a sound record behind one that was cut short.
func TestRecoverLosesNothing(t *testing.T) {
	d := damaged(t)
	joined, behind := 0, 0
	for _, line := range d.lines {
		if _, whole := loadsObject(line); whole {
			continue
		}
		records := Recover(line).Records
		for _, r := range records {
			if _, ok := loadsObject(r); !ok {
				t.Errorf("%.200q is no object, in %.200q", r, line)
			}
		}
		if want := objects(line); len(want) > 1 {
			joined++
			if !reflect.DeepEqual(records, want) {
				t.Errorf("%.200q: got %d records, want %d", line, len(records), len(want))
			}
		}
		if record := d.soundBehind(line); record != "" {
			behind++
			if len(records) == 0 || string(records[len(records)-1]) != record {
				t.Errorf("the record at the end is lost: %.300q", line)
			}
		}
	}
	t.Logf("%d lines of several records, %d with a sound record behind something", joined, behind)
	if joined < 25 || behind < 100 {
		t.Error("the set is too small to say anything")
	}
}

// objects are the objects on a line that holds nothing else.
func objects(line []byte) (all [][]byte) {
	line = bytes.Trim(line, "\x00 \t\r\n")
	in := json.NewDecoder(bytes.NewReader(line))
	for {
		var raw json.RawMessage
		if in.Decode(&raw) != nil {
			break
		}
		if _, ok := loadsObject(raw); !ok {
			return nil
		}
		end := int(in.InputOffset())
		all = append(all, line[end-len(raw):end])
		if end == len(line) {
			return all
		}
	}
	return nil
}

// soundBehind is the sound record at the end of a line that has something
// before it, "" when there is none. What could be the value of a key or of a list
// in a cut record is not looked for.
func (d *damage) soundBehind(line []byte) string {
	for at := 1; at < len(line); at++ {
		if line[at] == '{' && strings.IndexByte(":,[", line[at-1]) < 0 && d.sound[string(line[at:])] {
			return string(line[at:])
		}
	}
	return ""
}
