package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retro/pkg/phrase"
)

func classic(t *testing.T) *Profile {
	t.Helper()
	p, ok := Named(Classic)
	if !ok {
		t.Fatal("no classic profile")
	}
	return p
}

func TestClassicIsTheOriginalPolicy(t *testing.T) {
	p := classic(t)
	want := []Signal{
		{"S1", "explicit-reject", "explicit reject", 3, 3, 3, 0},
		{"S2", "tool-error-run", "tool error run", 2, 0, 10, 0},
		{"S3", "edit-loop", "edit loop", 2.5, 0, 10, 0},
		{"S4", "assistant-retry", "assistant retry", 1.5, 3, 3, 0},
		{"S5", "terse-follow-up", "terse follow-up", 1, 4, 4, 0},
	}
	if !slices.Equal(p.Signals, want) {
		t.Errorf("got signals %v, want %v", p.Signals, want)
	}
	if p.Threshold != 5 || p.Turns != Lines || p.Limits != (Limits{ErrorRun: 2, LoopEdits: 3, LoopTurns: 10, LongTurn: 500, TerseWords: 3}) {
		t.Errorf("got threshold %v, turns %v, limits %v", p.Threshold, p.Turns, p.Limits)
	}
	if n := len(p.Words(Approvals)); n != 17 {
		t.Errorf("got %d approvals, want 17", n)
	}
	set := p.Phrases(Rejections, phrase.Options{})
	if set != p.Phrases(Rejections, phrase.Options{}) || set == p.Phrases(Rejections, phrase.Options{Spaces: true}) {
		t.Error("a lexicon must be compiled once for each of its options")
	}
	if m, ok := set.NextString("please don't", 0); !ok || m.Phrase != 3 {
		t.Errorf("got %v %v, want phrase 3", m, ok)
	}
}

func TestConfigHashIgnoresLayout(t *testing.T) {
	document := string(classicDocument)
	hash := classic(t).ConfigHash()
	for _, tt := range []struct {
		document string
		same     bool
	}{
		{strings.Join(strings.Fields(document), " "), true},
		{strings.Replace(document, `"threshold": 5.0`, `"threshold": 5`, 1), true},
		{strings.Replace(document, `"threshold": 5.0`, `"threshold": 6`, 1), false},
		{strings.Replace(document, `"nope"`, `"nah"`, 1), false},
	} {
		p, err := Parse([]byte(tt.document))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.ConfigHash(); (got == hash) != tt.same {
			t.Errorf("got hash %s against %s, want equal: %v", got, hash, tt.same)
		}
	}
}

func TestParseNamesTheFault(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{`"cap": 3`, `"capp": 3`, "signals[0].capp: unknown key"},
		{`"cap": 3`, `"Cap": 3`, "signals[0].Cap: unknown key"},
		{`"cap": 3`, `"cap": "3"`, "signals[0].cap: must be a whole number"},
		{`"cap": 3`, `"cap": -3`, "signals[0]: cap, shown and per_turns must not be negative"},
		{`"shown": 3`, `"shown": 101`, "signals[0].shown: must be 100 at most"},
		{`"weight": 3.0`, `"weight": -3.0`, "signals[0].weight: must not be negative"},
		{`"name": "S2"`, `"name": "S1"`, "signals[1].name: given twice"},
		{`"name": "S2"`, `"name": "S 2"`, "signals[1].name: must be letters, digits and hyphens"},
		{`"words": "edit loop"`, `"words": "edit\nloop"`, "signals[2].words: must be one line of text"},
		{`"detector": "edit-loop"`, `"detector": ""`, "signals[2].detector: must be lower-case letters, digits and hyphens"},
		{`"classic"`, `"my profile"`, "name: must be lower-case letters, digits and hyphens"},
		{`"lines"`, `"words"`, `turns: must be "lines" or "messages"`},
		{`"loop_edits": 3`, `"loop_edits": 1`, "limits: error_run must be at least 1, loop_edits at least 2, the others not negative"},
		{`"border": "word"`, `"border": "edge"`, "lexicons[0].border: must be word, start, end or none"},
		{`"kind": "retry"`, `"kind": "rerty"`, "lexicons[1].kind: no such kind of lexicon"},
		{`"undo"`, `"un(do"`, "lexicons[0].entries[6]: not in the notation of phrases"},
		{`"guards": []`, `"guards": ["all"]`, "guards[0]: no such guard"},
		{`"features": []`, `"features": [{"signal": "S9", "name": "x", "weight": 1}]`, "features[0].signal: no such signal"},
		{`"features": []`, `"features": [{"signal": "S1", "name": "", "weight": 1}]`, "features[0].name: must be lower-case letters, digits and hyphens"},
		{`"features": []`, `"features": `, "line 31: not valid JSON"},
	}
	for _, tt := range tests {
		document := strings.Replace(string(classicDocument), tt.old, tt.new, 1)
		_, err := Parse([]byte(document))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got error %v, want %q", tt.new, err, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.json")
	document := strings.Replace(string(classicDocument), `"classic"`, `"own"`, 1)
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want, fault string }{
		{Classic, Classic, ""},
		{file, "own", ""},
		{"clasic", "", "no such profile: there are guarded and classic, or name a file"},
		{file + "x", "", "own.jsonx: no such file or directory"},
	} {
		p, err := Load(tt.name)
		switch {
		case tt.fault == "" && (err != nil || p.Name != tt.want):
			t.Errorf("%s: got %v %v, want %s", tt.name, p, err, tt.want)
		case tt.fault != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.fault)):
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.fault)
		}
	}
}

func TestWorth(t *testing.T) {
	for _, tt := range []struct {
		s           Signal
		hits, turns int
		want        float64
	}{
		{Signal{Weight: 3, Cap: 3}, 5, 1, 9},
		{Signal{Weight: 2}, 4, 1000, 8},
		{Signal{Weight: 2, PerTurns: 100}, 4, 100, 8},
		{Signal{Weight: 2, PerTurns: 100}, 4, 520, 1.54},
	} {
		if got := tt.s.Worth(tt.s.Counted(tt.hits), tt.turns); got != tt.want {
			t.Errorf("%+v, %d hits in %d turns: got %v, want %v", tt.s, tt.hits, tt.turns, got, tt.want)
		}
	}
}

// The values are those of Python's float().
func TestParseThreshold(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"5", 5, true}, {" 6 ", 6, true}, {"+5", 5, true}, {"-1", -1, true}, {".5", 0.5, true}, {"5.", 5, true},
		{"1e1", 10, true}, {"1E+1", 10, true}, {"1_0.2_5", 10.25, true}, {"1_0e0_1", 100, true}, {"0", 0, true},
		{"\u0665", 5, true}, {"\U0001d7e0\u2003", 8, true}, {"1e-400", 0, true},
		{"", 0, false}, {"abc", 0, false}, {"5,0", 0, false}, {"0x10", 0, false}, {"nan", 0, false}, {"inf", 0, false},
		{"-Infinity", 0, false}, {"1e999", 0, false}, {"_5", 0, false}, {"5_", 0, false}, {"5__0", 0, false}, {"5_.0", 0, false},
		{"1e", 0, false}, {"0x1p4", 0, false}, {"5 0", 0, false}, {"+-5", 0, false}, {".", 0, false}, {"e5", 0, false}, {"\x1c5", 0, false},
	} {
		if got, ok := ParseThreshold(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %v %v, want %v %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(classicDocument))
	f.Add(`{"name":"a","turns":"lines","lexicons":[{"kind":"retry","border":"none","entries":["a?b"]}]}`)
	f.Fuzz(func(t *testing.T, document string) {
		p, err := Parse([]byte(document))
		if err != nil {
			return
		}
		p.ConfigHash()
		for _, kind := range lexiconKinds {
			p.Phrases(kind, phrase.Options{}) // a checked profile compiles
		}
	})
}

// BenchmarkStart is what a process pays before the first line.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := Parse(classicDocument)
		if err != nil {
			b.Fatal(err)
		}
		p.ConfigHash()
		p.Phrases(Rejections, phrase.Options{})
		p.Phrases(Retries, phrase.Options{})
	}
}

// TestBuiltInDocuments makes the checks that a built-in document is spared.
func TestBuiltInDocuments(t *testing.T) {
	for name, document := range map[string][]byte{Classic: classicDocument, Guarded: guardedDocument} {
		p, err := Parse(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		builtIn, _ := Named(name)
		if p.Name != name || p.ConfigHash() != builtIn.ConfigHash() {
			t.Errorf("%s: read with and without checks it is not the same", name)
		}
	}
}

func TestBuiltInHashes(t *testing.T) {
	for _, name := range []string{Classic, Guarded} {
		if p, _ := Named(name); p.ConfigHash() != p.documentHash() {
			t.Errorf("the hash of %s is %s, not %s", name, p.documentHash(), p.ConfigHash())
		}
	}
}
