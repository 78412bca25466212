package wording

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPatterns(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"stop that", "please stop that now", true}, {"stop that", "stop, that", false}, {"stop", "nonstop", false}, {"stop", "STOP!", true},
		{"a/b c", "x b c", true}, {"fail~", "it failed", true}, {"fail~", "unfailing", false},
		{"you _ broke", "you really just broke it", true}, {"you _ broke", "you broke it", true}, {"you _ broke", "you did not ever broke", false},
		{"you _ broke", "you, who broke it", false}, {"no |", "no, thanks", true}, {"no |", "no", true}, {"no |", "no thanks", false},
		{"^^ no |", "hmm ok, no. revert", true}, {"^^ no |", "the answer is no.", false}, {"^ stop |", "Fine. Stop!", true}, {"^ stop |", "do not stop!", false},
		{"works $", "it works.", true}, {"works $", "it works well", false}, {"does+not/doesn't work", "it does not work", true},
		{"does+not/doesn't work", "it doesn’t work", true}, {"déjà", "DEJA vu", true}, {"нет", "нетто", false}, {"нет", "Нет!", true},
		{"不对", "这不对吧", true}, {"不对", "這不對吧", true}, {"^^ 不", "嗯，不要", true}, {"^^ 不", "我不要", false}, {"???", "what???", true},
		{"違います", "それは違います。", true}, {"es-tu sûr", "es tu sur", true}, {"right ?", "that is right?", true}, {"straße", "STRASSE", true},
	}
	for _, tt := range tests {
		language := "en"
		if strings.ContainsFunc(tt.pattern, isUnspaced) {
			language = "zh"
		}
		l, err := Compile([]Patterns{{Kind: Negation, Language: language, Entries: []string{tt.pattern}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Find([]byte(tt.text), SetOf(Negation)).Has(Negation); got != tt.want {
			t.Errorf("%q in %q: got %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}

func TestExcusesAndConditions(t *testing.T) {
	l, err := Compile([]Patterns{
		{Negation, "en", []string{"^^ no"}}, {Failure, "en", []string{"fails"}}, {Failure, "zh", []string{"失败"}},
		{Excuse, "en", []string{"no problem"}}, {Condition, "en", []string{"if"}}, {Condition, "zh", []string{"如果"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		text string
		want Set
	}{
		{"no problem", 0}, {"no, problem", SetOf(Negation)}, {"no problem. it fails", SetOf(Failure)}, {"if it fails, stop", 0},
		{"if I run it, it fails", SetOf(Failure)}, {"run it. it fails", SetOf(Failure)}, {"如果失败", 0}, {"失败了", SetOf(Failure)},
	}
	for _, tt := range tests {
		if got := l.Find([]byte(tt.text), SetOf(Negation, Failure)); got != tt.want {
			t.Errorf("%q: got %b, want %b", tt.text, got, tt.want)
		}
	}
	if got := l.With(Options{NoExcuses: true}).Find([]byte("no problem"), SetOf(Negation)); got == 0 {
		t.Error("without excuses the idiom must match")
	}
	if got := l.With(Options{NoConditions: true}).Find([]byte("if it fails"), SetOf(Failure)); got == 0 {
		t.Error("without conditions the failure must match")
	}
	if got := l.With(Options{EnglishOnly: true}).Find([]byte("失败了"), SetOf(Failure)); got != 0 {
		t.Error("English only must leave the others out")
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ text, want string }{
		{"no, revert it", "no, revert it"}, {"a\n\n  b\t c", "a\nb c"},
		{"see\n```go\nstop wrong\n```\nthanks", "see\nthanks"}, {"see ```stop``` it", "see it"}, {"open ```\nstop", "open"},
		{"use `stop` here", "use qq here"}, {`it said "that is wrong" again`, "it said qq again"}, {"don't say 'wrong' there", "don't say qq there"},
		{"> quoted no\nyes", "yes"}, {"look at src/a/b.go please", "look at qq please"}, {"see https://x.y/z now", "see qq now"},
		{"it fails:\nTraceback (most recent call last):\n  File \"x\", line 1\nno\n\nwhy?", "it fails:\nwhy?"},
		{"2026-03-01 10:00 ERROR x\nhelp", "help"}, {"$ make test\nhelp", "help"}, {"    indented code\nhelp", "help"}, {"    - a list item", "- a list item"},
		{"if (x) {\n}\nstop", "stop"}, {"[Image #1] wrong colour", "wrong colour"}, {"the „falsch“ word", "the qq word"},
	}
	var c Cleaner
	for _, tt := range tests {
		if got := string(c.Clean([]byte(tt.text), 0).Text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if p := c.Clean([]byte("why?\nTypeError: x is undefined"), 0); !p.Pasted || !p.PastedError {
		t.Errorf("a pasted error must be seen: %+v", p)
	}
	if p := (&Cleaner{Keep: true}).Clean([]byte("use `stop` here"), 0); string(p.Text) != "use `stop` here" {
		t.Errorf("kept text: got %q", p.Text)
	}
	long := strings.Repeat("A sentence of some length here. ", 20)
	if head := c.Clean([]byte(long), 0).Head; utf8.RuneCount(head) > headLength || head[len(head)-1] != '.' {
		t.Errorf("head: got %d bytes that end in %q", len(head), head[len(head)-1:])
	}
}

// FuzzFind checks that no text makes the cleaner or the lexicon panic, that
// cleaned text is no longer than its source in words it invents, and that the
// answer does not depend on what was looked at before.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"no, that's wrong", "嗯，不对", "```\nx", "'a' \"b\" `c`", "a/b/c: x\n> y", "if it fails\r\n\tq", "\x80 no"} {
		f.Add([]byte(s))
	}
	patterns := []Patterns{{Negation, "en", []string{"^^ no |", "_ wrong $", "| not", "fail~ _ again"}}, {Undo, "zh", []string{"不对", "^^ 不"}}, {Excuse, "en", []string{"no problem"}}}
	used, err := Compile(patterns)
	if err != nil {
		f.Fatal(err)
	}
	judge, cleaner := New(patterns), Cleaner{}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := SetOf(Negation, Undo)
		got := used.Find(text, all)
		fresh := used.With(Options{})
		if want := fresh.Find(text, all); got != want {
			t.Errorf("%q: got %b, then %b", text, got, want)
		}
		judge.scripts = scriptsOf(fold(nil, text))
		judge.part(all).needles.always = true
		if want := judge.Find(text, all); got != want {
			t.Errorf("%q: got %b, without needles %b", text, got, want)
		}
		p := cleaner.Clean(text, 0)
		if len(p.Head) > len(p.Text) || p.Chars != utf8.RuneCount(p.Text) {
			t.Errorf("%q: head %d, text %d, characters %d", text, len(p.Head), len(p.Text), p.Chars)
		}
		used.Units(p.Text, func([]byte) {})
	})
}

// TestNeedlesMissNothing checks that every pattern finds its own words, and that
// a needle keeps no text from the search that the search finds something in.
func TestNeedlesMissNothing(t *testing.T) {
	x := newIndex()
	new(compiler).each(&Patterns{Kind: Retry, Language: "en", Entries: []string{"let me try a/another different/approach/way", "that didn't work", "^ oops", "revert~ it", "i _ broke"}}, x.add)
	tests := []struct {
		text string
		want bool
	}{
		{"Let me try another way!", true}, {"that DIDN'T work", true}, {"oops", true}, {"we broke.", true}, {"I broke it", true}, {"reverting it", true},
		{"Let me look at the tests first.", false}, {"my way is different", false}, {"we didn't say that work", false}, {"let me — let me try", false}, {"", false}, {"that is that", false}, {"нет, это не то", false}, {"déjà broke", true}, {"“oops”", true}, {"oops…", true},
	}
	for _, tt := range tests {
		if got := x.needles.in(fold(nil, []byte(tt.text))); got != tt.want {
			t.Errorf("%q may hold a pattern: %v, want %v", tt.text, got, tt.want)
		}
		if got, sure := x.needles.inRaw([]byte(tt.text)); sure && got != tt.want || !sure && isASCII([]byte(tt.text)) {
			t.Errorf("%q, not folded, may hold a pattern: %v, want %v", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]bool{"that didn’t work — at all": true, "let\u200b me try another way": true, "“we” … looked 👍": false, "it’s “that”…": false} {
		if got, sure := x.needles.inRaw([]byte(text)); got != want || !sure {
			t.Errorf("%q, not folded, may hold a pattern: %v (sure %v), want %v", text, got, sure, want)
		}
	}
	if _, sure := x.needles.inRaw([]byte("déjà vu")); sure {
		t.Error("é is not folded")
	}
	open := newIndex()
	new(compiler).each(&Patterns{Kind: Retry, Language: "en", Entries: []string{"revert~"}}, open.add)
	if !open.needles.in([]byte("nothing")) {
		t.Error("a pattern without a needle is lost")
	}
}
