package phrase

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// rejections and retries are the two lexicons of the original gate.
var (
	rejections = words("revert", "stop", "wrong", "don'?t", "why did you", "no that'?s", "undo", "that'?s not", "nope")
	retries    = words("let me try again", "let me try a different", "that didn'?t work", "actually,? let me", "sorry,? let me", "my mistake", "i'?ll try")
)

func words(texts ...string) []Phrase {
	var out []Phrase
	for _, text := range texts {
		out = append(out, Phrase{text, Word})
	}
	return out
}

// found lists the matched texts.
func found(s *Set, text string) []string {
	var out []string
	for m := range s.AllString(text) {
		out = append(out, text[m.Start:m.End])
	}
	return out
}

func TestMatches(t *testing.T) {
	tests := []struct {
		phrases []Phrase
		opt     Options
		text    string
		want    []string
	}{
		{rejections, Options{}, "Stop. That is WRONG, don't; dont undo", []string{"Stop", "WRONG", "don't", "dont", "undo"}},
		{rejections, Options{}, "stopped unstop stop_ 1stop stopé éstop", nil},
		{rejections, Options{}, "stop\u0301 stop-it (stop)", []string{"stop", "stop", "stop"}},
		{rejections, Options{}, "\u505c\u6b62stop\u505c\u6b62", nil},
		{rejections, Options{}, "no that's not it", []string{"no that's"}},
		{rejections, Options{}, "why  did you, why\ndid you", nil},
		{rejections, Options{}, "don\u2019t", nil},
		{rejections, Options{Apostrophes: true}, "don\u2019t", []string{"don\u2019t"}},
		{rejections, Options{Spaces: true}, "why \n did\tyou", []string{"why \n did\tyou"}},
		{rejections, Options{}, "\u017ftop", []string{"\u017ftop"}},
		{retries, Options{}, "\u0130'll try, \u0131'LL TRY", []string{"\u0130'll try", "\u0131'LL TRY"}},
		{retries, Options{}, "my mista\u212ae", []string{"my mista\u212ae"}},
		{retries, Options{}, "actually let me, ACTUALLY, let me", []string{"actually let me", "ACTUALLY, let me"}},
		{words("НЕТ", "не так"), Options{}, "нет, Не Так! нетто", []string{"нет", "Не Так"}},
		{[]Phrase{{"不对", 0}}, Options{}, "这不对吧", []string{"不对"}},
		{[]Phrase{{"отмен", Start}}, Options{}, "Отменить, неотменимо", []string{"Отмен"}},
		{words("y", "no"), Options{}, "y", []string{"y"}},
		{words("y"), Options{}, "why y\xff", []string{"y"}},
		{words(`what\?`), Options{}, "what?! what", []string{"what?"}},
		{words("fuck(ing)?", "(please|kindly) stop"), Options{}, "fucking please stop, fuck", []string{"fucking", "please stop", "fuck"}},
		{[]Phrase{{"no that", Word}, {"no that is", Word}}, Options{}, "no that is", []string{"no that"}},
		{[]Phrase{{"no that i", 0}, {"no that is", Word}}, Options{}, "no that is", []string{"no that i"}},
		{[]Phrase{{"no that i", Word}, {"no that is", Word}}, Options{}, "no that is", []string{"no that is"}},
		{nil, Options{}, "stop", nil},
		{rejections, Options{}, "", nil},
	}
	for _, tt := range tests {
		got := found(MustCompile(tt.phrases, tt.opt), tt.text)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v in %q: got %q, want %q", tt.phrases, tt.text, got, tt.want)
		}
	}
}

func TestMatchNamesThePhrase(t *testing.T) {
	m, ok := MustCompile(rejections, Options{}).NextString("please undo it", 3)
	if want := (Match{Phrase: 6, Start: 7, End: 11}); !ok || m != want {
		t.Errorf("got %v %v, want %v", m, ok, want)
	}
}

// What stands before the offset still is the text: no border inside a word.
func TestNextLooksBehindTheOffset(t *testing.T) {
	if m, ok := MustCompile(rejections, Options{}).NextString("unstop", 2); ok {
		t.Errorf("got %v, want no match", m)
	}
}

func TestCompileErrors(t *testing.T) {
	for _, text := range []string{"", "a?", "?", "(a", "a)", "(a|b?)?", `a\`, "\xff", strings.Repeat("a?", 13) + "b"} {
		_, err := Compile([]Phrase{{"fine", Word}, {text, Word}}, Options{})
		if err == nil || !strings.HasSuffix(err.Error(), "(entry 2)") {
			t.Errorf("%q: got error %v, want one for entry 2", text, err)
		}
	}
}

// judge finds the matches slowly: every form at every place, rune by rune.
func judge(phrases []Phrase, opt Options, text string) []Match {
	var out []Match
	for at := 0; at < len(text); {
		m, ok := judgeAt(phrases, opt, text, at)
		if !ok {
			at++
			continue
		}
		out = append(out, m)
		at = m.End
	}
	return out
}

func judgeAt(phrases []Phrase, opt Options, text string, at int) (Match, bool) {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	for i, p := range phrases {
		list, _ := forms(p.Text)
		for _, form := range list {
			end := judgeForm(form, opt, text, at)
			after, _ := utf8.DecodeRuneInString(text[max(end, 0):])
			border := effective(p.Border, form)
			if end < 0 || border&Start != 0 && judgeWord(before) || border&End != 0 && judgeWord(after) {
				continue
			}
			return Match{i, at, end}, true
		}
	}
	return Match{}, false
}

func judgeWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N) || r == '_' }

// judgeForm is the end of the form at the place, -1 when it is not there.
func judgeForm(form []rune, opt Options, text string, at int) int {
	for _, want := range form {
		got, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 || got == utf8.RuneError && size == 1 || !judgeRune(want, got, opt) {
			return -1
		}
		at += size
		for opt.Spaces && unicode.IsSpace(got) {
			got, size = utf8.DecodeRuneInString(text[at:])
			if !unicode.IsSpace(got) {
				break
			}
			at += size
		}
	}
	return at
}

func judgeRune(a, b rune, opt Options) bool {
	dotless := strings.NewReplacer("\u0130", "i", "\u0131", "i")
	if strings.EqualFold(dotless.Replace(string(a)), dotless.Replace(string(b))) {
		return true
	}
	return opt.Spaces && unicode.IsSpace(a) && unicode.IsSpace(b) || opt.Apostrophes && isApostrophe(a) && isApostrophe(b)
}

// lexicons are the sets that the fuzzer tries every text on.
var lexicons = []struct {
	phrases []Phrase
	opt     Options
}{
	{rejections, Options{}},
	{retries, Options{Apostrophes: true, Spaces: true}},
	{words("y", "no", "not", "нет", "не так", "Ähm", "ſo", "İ", "'", " a", "a b", "_"), Options{Spaces: true}},
	{[]Phrase{{"不对", 0}, {"不", 0}, {"err", Start}, {"or", End}, {"ß(ss|s)?", Word}, {"k(k|kk)?", 0}, {"'s", Word}, {" ", 0}}, Options{Apostrophes: true}},
	{[]Phrase{{" ", 0}, {"b  c", 0}, {"\u2019\u2019", 0}}, Options{Apostrophes: true, Spaces: true}},
}

func FuzzAgainstReference(f *testing.F) {
	for _, text := range []string{
		"no that's not it, don't STOP", "actually,  let\nme undo", "\u0130'll \u0131 \u017fo \u212a", "不对不", "a \t b",
		"нЕТ не  так", "stop\xffstop \xd0", "y", "_no y_", "sẞ ß", "'s x's ''", "error or terror", "\u2028 a b \u3000 c\u2019\u2019",
	} {
		f.Add(text)
	}
	sets := make([]*Set, len(lexicons))
	for i, l := range lexicons {
		sets[i] = MustCompile(l.phrases, l.opt)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, l := range lexicons {
			got := slices.Collect(sets[i].AllString(text))
			if want := judge(l.phrases, l.opt, text); !slices.Equal(got, want) {
				t.Fatalf("lexicon %d: got %v, want %v", i, got, want)
			}
		}
	})
}

// FuzzNotation compiles arbitrary phrases; one that compiles must find itself
// when it has no optional parts.
func FuzzNotation(f *testing.F) {
	for _, text := range []string{"stop", "don'?t", "(a|b)c?", `\?\(`, "((a)", "İ", "k\u212a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Compile([]Phrase{{text, Word}}, Options{})
		if err != nil || strings.ContainsAny(text, `?(|)\`) {
			return
		}
		if m, ok := s.NextString(text, 0); !ok || m.Start != 0 || m.End != len(text) {
			t.Errorf("%q does not find itself: %v %v", text, m, ok)
		}
	})
}

// The regular expression of the original gate is the judge wherever Go's \b
// and case folding agree with it: in ASCII.
func FuzzAgainstRegexp(f *testing.F) {
	f.Add("don't stop, dont; no that's wrong_ nope")
	set := MustCompile(rejections, Options{})
	re := regexp.MustCompile(`(?i)\b(revert|stop|wrong|don'?t|why did you|no that'?s|undo|that'?s not|nope)\b`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return
		}
		var got [][]int
		for m := range set.AllString(text) {
			got = append(got, []int{m.Start, m.End})
		}
		want := re.FindAllStringIndex(text, -1)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	set, text := MustCompile(retries, Options{Spaces: true}), []byte(strings.Repeat("Actually, let me  try: I'll try it. Über нет. ", 90))
	if n := testing.AllocsPerRun(10, func() {
		for range set.All(text) {
		}
	}); n != 0 {
		t.Errorf("%v allocations a run, want none", n)
	}
}
