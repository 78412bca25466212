package detect

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/score"
	"retro/pkg/transcript"
)

// classicVerdict is the verdict line of a transcript under the classic
// profile, by the same way as through a pipe: as records that are written and
// read again.
func classicVerdict(t *testing.T, name, text, ledger string, threshold float64) string {
	t.Helper()
	classic, _ := profile.Named(profile.Classic)
	opt := &Options{Profile: classic}
	if ledger != "" {
		var err error
		if opt.Ledger, err = ReadLedger(strings.NewReader(ledger)); err != nil {
			t.Fatal(err)
		}
	}
	session := &transcript.Session{ID: strings.TrimSuffix(name, ".jsonl"), Main: transcript.File{Path: name,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	scorer := score.New(score.Options{Threshold: &threshold})
	var verdict *record.Verdict
	err := Session(session, opt, func(sig *record.Signal) {
		line, err := ndjson.Marshal(sig)
		if err != nil {
			t.Fatal(err)
		}
		read := new(record.Signal)
		if err := ndjson.Unmarshal(line, read); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		v, err := scorer.Add(read)
		if err != nil {
			t.Fatal(err)
		}
		if v != nil {
			verdict = v
		}
	})
	if err != nil || verdict == nil {
		t.Fatalf("no verdict: %v", err)
	}
	line, err := ndjson.Marshal(verdict)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// sameVerdict tells whether our verdict begins with the keys of the original
// gate's.
func sameVerdict(ours, original string) bool {
	return strings.HasPrefix(ours, strings.TrimSuffix(strings.TrimSpace(original), "}")+",")
}

func TestClassicGivesRecordedVerdicts(t *testing.T) {
	for _, name := range caseNames(t) {
		transcript, ledger, want := readCase(t, name)
		got := classicVerdict(t, name+".jsonl", transcript, ledger, caseThreshold(t, name))
		if !sameVerdict(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// readCase reads a recorded case; the ledger is empty when the case turns it
// off.
func readCase(t *testing.T, name string) (transcript, ledger, want string) {
	t.Helper()
	read := func(suffix string) string {
		data, err := os.ReadFile(filepath.Join(caseFolder, name+suffix))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
	ledger = read(".ledger.jsonl")
	if strings.Contains(read(".env"), "RETRO_FORCE_TRANSCRIPT_S2=1\n") {
		ledger = ""
	}
	return read(".jsonl"), ledger, read(".expect.json")
}

// FuzzClassicAgainstSlowGate holds the fast observers against the slow gate.
func FuzzClassicAgainstSlowGate(f *testing.F) {
	files, _ := filepath.Glob(caseFolder + "/*.jsonl")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 4<<10 {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if differs(text) {
			return
		}
		agree(t, text)
	})
}

// differs tells of input in which a difference is meant: lone surrogates in
// ids, and numbers that are none.
func differs(text string) bool {
	return strings.Contains(strings.ToLower(text), `\ud`) || strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") || bytes.Contains([]byte(text), []byte("e999"))
}

// TestMeantDifferences lists what the original gate did and the classic
// profile does not, and means not to.
func TestMeantDifferences(t *testing.T) {
	const stop = `{"type":"user","uuid":"a","message":{"content":"stop"}}` + "\n"
	deep := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	for _, tt := range []struct{ why, text, want string }{
		{"a text that is no text ended the run without a verdict",
			`{"type":"assistant","message":{"content":[{"type":"text","text":1}]}}` + "\n" + stop, `"score":3.0,`},
		{"so did the name of a tool that is a list",
			`{"type":"assistant","message":{"content":[{"type":"tool_use","name":["Edit"]}]}}` + "\n" + stop, `"score":3.0,`},
		{"so did deep nesting", `{"type":"x","x":` + deep + "}\n" + stop, `"score":3.0,`},
		{"NaN as an id was no JSON", strings.Replace(stop, `"a"`, `NaN`, 1), `"ids":["NaN"]`},
		{"a lone surrogate in an id stayed one", strings.Replace(stop, `"a"`, `"\ud83d"`, 1), `"ids":["\ufffd"]`},
		{"an id of any length was printed", strings.Replace(stop, `"a"`, `"`+strings.Repeat("a", 5000)+`"`, 1), `"ids":["line:0"]`},
		{"an id that nests deep ended the run", strings.Replace(stop, `"a"`, deep, 1), `"ids":["line:0"]`},
	} {
		if got := classicVerdict(t, "x.jsonl", tt.text, "", 5); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
		}
	}
}

func TestPythonText(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{`"T1"`, "T1"}, {`""`, ""}, {`null`, ""}, {`0`, ""}, {`false`, ""}, {`true`, "True"}, {`1767225600`, "1767225600"},
		{`5.5`, "5.5"}, {`1e16`, "1e+16"}, {`1.50`, "1.5"}, {`100e0`, "100.0"},
	} {
		if got := pythonText(ndjson.Value(tt.value)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.value, got, tt.want)
		}
	}
}
