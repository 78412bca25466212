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
	blank    bool   // an excuse covers it
	hash     uint32 // hashOf the text of a word
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
		c := folded[i]
		if c >= utf8.RuneSelf {
			dst, i, start = tokenAt(dst, folded, i, start)
			continue
		}
		switch {
		case wordByte.is(c):
			end, hash := wordEnd(folded, i)
			dst = append(dst, token{text: folded[i:end], word: true, first: start, hash: hash})
			i, start = end, false
			continue
		case blankByte.is(c):
		default:
			start = start || endByte.is(c) || dotByte.is(c) && endsHere(folded[i+1:])
			if !goneByte.is(c) {
				dst = append(dst, token{text: folded[i : i+1]})
			}
		}
		i++
	}
	return dst
}

// tokenAt appends the token that begins with the character at i, which is no
// ASCII one; start tells whether a sentence begins there, and behind it.
func tokenAt(dst []token, folded []byte, i int, start bool) (out []token, next int, startsNext bool) {
	r, size := utf8.DecodeRune(folded[i:])
	switch {
	case isUnspaced(r) && isWordRune(r):
		text := folded[i : i+size]
		return append(dst, token{text: text, word: !unicode.Is(unicode.Mn, r), first: start, unspaced: true, hash: hashOf(text)}), i + size, false
	case isWordRune(r):
		end, hash := wordEnd(folded, i)
		return append(dst, token{text: folded[i:end], word: !unicode.Is(unicode.Mn, r), first: start, hash: hash}), end, false
	case !unicode.IsSpace(r):
		dst = append(dst, token{text: folded[i : i+size]})
	}
	return dst, i + size, start
}

// wordEnd is where the word at i ends, and its hash. Characters of unspaced
// scripts are no part of it.
func wordEnd(folded []byte, i int) (end int, hash uint32) {
	for end = i; end < len(folded); {
		c := folded[end]
		if wordByte.is(c) {
			hash = hash*hashStep + uint32(c)
			end++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRune(folded[end:])
		if !isWordRune(r) || isUnspaced(r) {
			break
		}
		for _, c := range folded[end : end+size] {
			hash = hash*hashStep + uint32(c)
		}
		end += size
	}
	return end, hash
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
	for len(text) > 0 {
		if plain := asciiLength(text); plain > 0 {
			n, text = n+plain, text[plain:]
			continue
		}
		_, size := utf8.DecodeRune(text)
		n, text = n+1, text[size:]
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

// Words counts the words of a text that blanks keep apart, up to one more than
// most.
func Words(text []byte, most int) int {
	n, in := 0, false
	for _, r := range runes(text) {
		space := unicode.IsSpace(r)
		if !space && !in {
			if n++; n > most {
				break
			}
		}
		in = !space
	}
	return n
}
