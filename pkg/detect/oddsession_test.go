package detect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oddSession makes a transcript of lines that are odd in every field the
// original gate looks at; equal seeds give equal text.
type oddSession struct{ *rand.Rand }

func (o oddSession) one(list ...string) string { return list[o.IntN(len(list))] }

// often is the first text most of the time.
func (o oddSession) often(usual string, odd ...string) string {
	if o.IntN(5) > 0 {
		return usual
	}
	return o.one(odd...)
}

func (o oddSession) text() string {
	words := []string{"stop", "Don't", "dont", "revert", "wrong", "let me try again", "actually, let me", "my mistake", "i'll try", "İ'll try", "ſtop", "no thats",
		"ok", "OK.", "yes!", "go", "why", "nope", "/clear", "<div>", "<b ", "<Div>", "<a\\u0085", "This session is being continued", "stopé", "停止stop停止", "stop\\u0301",
		"undo_", "\\n", "\\t", " ", "  ", "\\u2028", "\\u001c", "\\u0000", "\\ud83d\\ude00", "that didn't work", strings.Repeat("é", 250), strings.Repeat("x", 499), "waİve", "\\/clear", "\xff", "\xe2\x82"}
	var parts []string
	for range o.IntN(4) {
		parts = append(parts, o.one(words...))
	}
	return `"` + strings.Join(parts, o.one(" ", " ", "", "\\n")) + `"`
}

func (o oddSession) value() string {
	return o.one(`null`, `true`, `false`, `0`, `0.0`, `-0`, `0e5`, `1`, `1.50`, `1e16`, `1E-7`, `12345678901234567890123`, `""`, `"x"`, `[]`, `{}`, `[ ]`, `[0]`,
		`{"b":1,"a":[1.0,"é"],"b":2}`, `"false"`, `1e-400`, `"\u00e9\""`, `" "`, `"\b\f\/"`)
}

func (o oddSession) id() string {
	return o.often(fmt.Sprintf(`"u-%d"`, o.IntN(1000)), o.value(), o.value())
}

func (o oddSession) block() string {
	switch o.IntN(6) {
	case 0, 1:
		return `{"type":` + o.often(`"text"`, `"Text"`, `"te\u0078t"`, o.value()) + `,"text":` + o.often(o.text(), o.value()) + `}`
	case 2, 3:
		path := o.often(o.one(`"/a/b.go"`, `"/a/c.go"`, `"c.go"`), o.value())
		key := o.often("file_path", "notebook_path", "path", "File_path")
		input := o.often(`{"`+key+`":`+path+`,"path":`+o.value()+`}`, o.value())
		return `{"type":"tool_use","name":` + o.often(o.one(`"Edit"`, `"Write"`, `"MultiEdit"`), `"edit"`, `"Bash"`, o.value()) + `,"input":` + input + `}`
	case 4:
		return `{"type":"tool_result","is_error":` + o.often(o.one(`true`, `true`, `false`), o.value()) + `,"content":` + o.text() + `}`
	}
	return o.value()
}

func (o oddSession) content() string {
	switch o.IntN(6) {
	case 0:
		return o.often(o.text(), o.value())
	case 1:
		return o.one(`"no"`, `"why?"`, `"ok fine"`, `" /x"`, `"a b c"`, `"a b c d"`, `" \u00a0z\u001f"`, `"\u3000"`, `"agreed?!"`)
	case 2:
		return `"` + strings.Repeat(o.one("x", "é", "\\n", "\\ud83d\\ude00"), 498+o.IntN(5)) + `"`
	}
	var blocks []string
	for range o.IntN(4) {
		blocks = append(blocks, o.block())
	}
	return "[" + strings.Join(blocks, ", ") + "]"
}

func (o oddSession) record() string {
	fields := []string{
		`"type":` + o.often(o.one(`"user"`, `"assistant"`), `"system"`, o.value()),
		`"message":` + o.often(`{"role":"user","content":`+o.content()+`}`, o.value(), `{"content":"stop","content":`+o.content()+`}`),
		`"uuid":` + o.id(),
	}
	if o.IntN(4) == 0 {
		fields = append(fields, `"messageId":`+o.id(), `"isMeta":`+o.value())
	}
	if o.IntN(4) == 0 {
		fields = append(fields, `"toolUseResult":`+o.often(o.text(), o.value(), `"\q"`, `"\u12g4"`, "\"\t\"", `[1,]`, `01`, `+1`, `.5`, `tru`, `{"a" 1}`))
	}
	if o.IntN(8) == 0 {
		fields = append(fields, o.one(fields...))
	}
	o.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, o.one(",", ", ", " , ")) + "}"
}

func (o oddSession) String() string {
	var out strings.Builder
	for range 1 + o.IntN(40) {
		line := o.record()
		switch o.IntN(40) {
		case 0:
			line = line[:o.IntN(len(line))] // cut
		case 1:
			line += o.record()
		case 2:
			line = o.one("", " ", "\x00"+line, "\ufeff"+line, "[]", `"x"`, line+"\x00", "\x1c"+line+"\u00a0")
		}
		out.WriteString(line + o.often("\n", "\r\n", "\r", "\n\n"))
	}
	return out.String()
}

// agree compares the fast and the slow gate on one text.
func agree(t *testing.T, text string) bool {
	want := slowRun("x.jsonl", text, "").verdict(5)
	got := classicVerdict(t, "x.jsonl", text, "", 5)
	if !sameVerdict(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
		return false
	}
	return true
}

func TestClassicOnOddSessions(t *testing.T) {
	for seed := range uint64(500) {
		if text := (oddSession{rand.New(rand.NewPCG(seed, 1))}).String(); !agree(t, text) {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

func FuzzClassicOnOddSessions(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		if text := (oddSession{rand.New(rand.NewPCG(a, b))}).String(); !agree(t, text) {
			t.Logf("%s", text)
		}
	})
}

// TestClassicOnRealSessions compares the two gates on real transcripts, those
// that the slow one reads in reasonable time.
func TestClassicOnRealSessions(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cases/labelled/*.jsonl")
	if len(files) == 0 {
		t.Skip("no real sessions at ../shared/cases/labelled")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < realSize && !agree(t, string(data)) {
			t.Errorf("%s", file)
		}
	}
}

// realSize bounds the real sessions that are compared, in bytes.
const realSize = 200 << 10
