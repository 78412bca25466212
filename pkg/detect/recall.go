package detect

import (
	"bytes"
	"regexp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// recallForms find a person urging the agent to read again what it should have
// known: a word for reading again and, within a few words on either side, one
// for the memory or the name of a Markdown file. Metrics specification, recall.
var recallForms = sync.OnceValue(func() []*regexp.Regexp {
	const (
		again = `(?:re-?read(?:ing|s)?|перечитай(?:те)?|重新读)`
		what  = `(?:memory|memories|context|памят[ьи]|контекст(?:а|е|у)?|记忆|[\w./-]+\.md)`
		near  = `[^.!?。！？\n]{0,40}?`
	)
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)(` + again + `)` + near + `(` + what + `)`),
		regexp.MustCompile(`(?i)(` + what + `)` + near + `(` + again + `)`),
	}
})

// recallHints are pieces of which every recall holds one, in lower case: the
// expressions run only behind them.
var recallHints = [][]byte{[]byte("re-read"), []byte("reread"), []byte("перечита"), []byte("重新读")}

// mayRecall looks for the hints, in lower case only where a text has the first bytes
// of Cyrillic or Chinese ones.
func mayRecall(prompt []byte) bool {
	const cyrillic, chinese = 0xD0, 0xE9 // the first bytes of п, П and 重
	for i, c := range prompt {
		if c == cyrillic || c == chinese {
			lower := bytes.ToLower(prompt)
			return slices.ContainsFunc(recallHints, func(hint []byte) bool { return bytes.Contains(lower, hint) })
		}
		if c|0x20 == 'd' && i >= 5 && bytes.EqualFold(prompt[i-3:i], []byte("rea")) && endsIn(prompt[:i-3], "re", "re-") {
			return true
		}
	}
	return false
}

// endsIn tells whether a text ends in one of the endings, in upper or lower case.
func endsIn(text []byte, endings ...string) bool {
	return slices.ContainsFunc(endings, func(s string) bool {
		return len(text) >= len(s) && bytes.EqualFold(text[len(text)-len(s):], []byte(s))
	})
}

// isRecall tells whether a prompt urges to read again.
func isRecall(prompt []byte) bool {
	if !mayRecall(prompt) {
		return false
	}
	for _, form := range recallForms() {
		for _, m := range form.FindAllSubmatchIndex(prompt, -1) {
			if wholeWords(prompt, m[2], m[3]) && wholeWords(prompt, m[4], m[5]) {
				return true
			}
		}
	}
	return false
}

// wholeWords tells whether no letter of the same script touches text[from:to].
// Han is written without spaces and has no such border.
func wholeWords(text []byte, from, to int) bool {
	first, _ := utf8.DecodeRune(text[from:])
	last, _ := utf8.DecodeLastRune(text[:to])
	before, _ := utf8.DecodeLastRune(text[:from])
	after, _ := utf8.DecodeRune(text[to:])
	return !joins(before, first) && !joins(last, after)
}

func joins(a, b rune) bool {
	return isWordRune(a) && isWordRune(b) && !unicode.Is(unicode.Han, a) && !unicode.Is(unicode.Han, b)
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
