package wording

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a character of an unspaced script, or a mark.
type token struct {
	text     []byte
	word     bool // not a mark
	first    bool // at the start of a sentence
	unspaced bool
	blank    bool // an excuse covers it
}

const (
	// sentenceEnds end a sentence; `.` and `:` only when a blank, another end or
	// the end of the text follows: the dot of `a.go` ends nothing.
	sentenceEnds = ".!?\n;:"
	// vanishing marks are no tokens.
	vanishing = "-_/*\"()[]<>#@+=~^|\\"
)

// tokenize cuts folded text into tokens, which point into it.
func tokenize(dst []token, folded []byte) []token {
	start := true
	for i := 0; i < len(folded); {
		r, size := rune(folded[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(folded[i:])
		}
		switch {
		case r == ' ':
		case isWordRune(r):
			end, unspaced := wordEnd(folded, i, r, size)
			dst = append(dst, token{text: folded[i:end], word: r < utf8.RuneSelf || !unicode.Is(unicode.Mn, r), first: start, unspaced: unspaced})
			i, start = end, false
			continue
		case r == '\n' || !unicode.IsSpace(r):
			if strings.ContainsRune(sentenceEnds, r) && !(r == '.' || r == ':') || (r == '.' || r == ':') && endsHere(folded[i+size:]) {
				start = true
			}
			if !strings.ContainsRune(vanishing, r) {
				dst = append(dst, token{text: folded[i : i+size]})
			}
		}
		i += size
	}
	return dst
}

// wordEnd is where the word at i ends: behind one character in unspaced
// scripts, else before the next that is no part of a word.
func wordEnd(folded []byte, i int, r rune, size int) (end int, unspaced bool) {
	end = i + size
	if isUnspaced(r) {
		return end, true
	}
	for end < len(folded) {
		r, size := rune(folded[end]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(folded[end:])
		}
		if !isWordRune(r) || isUnspaced(r) {
			break
		}
		end += size
	}
	return end, false
}

func endsHere(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	r, _ := utf8.DecodeRune(rest)
	return unicode.IsSpace(r) || strings.ContainsRune(sentenceEnds, r)
}

// Chars counts the characters of a text. (utf8.RuneCount makes a string of it
// first, which allocates.)
func Chars(text []byte) int {
	n := 0
	for range runes(text) {
		n++
	}
	return n
}

// runes are the characters of a text with their places. (A loop over
// string(text) allocates the string.)
func runes(text []byte) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		for i := 0; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(text[i:])
			}
			if !yield(i, r) {
				return
			}
			i += size
		}
	}
}

// Words counts the words of a text that blanks keep apart.
func Words(text []byte) int {
	n, in := 0, false
	for _, r := range runes(text) {
		space := unicode.IsSpace(r)
		if !space && !in {
			n++
		}
		in = !space
	}
	return n
}
