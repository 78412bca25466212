package phrase

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// foldTableSize covers the alphabets with case that are common: Latin, Greek,
// Cyrillic, Armenian.
const foldTableSize = 0x590

var commonFolds = sync.OnceValue(func() *[foldTableSize]uint16 {
	t := new([foldTableSize]uint16)
	for r := range t {
		t[r] = uint16(slowFold(rune(r)))
	}
	return t
})

// slowFold is the least rune that r matches when case does not count.
// U+0130 and U+0131 are i, as in Python's re module and not in Go's.
func slowFold(r rune) rune {
	if r == 0x130 || r == 0x131 {
		return 'i'
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// variants are the runes whose fold is r, a folded rune.
func variants(r rune) []rune {
	out := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		out = append(out, f)
	}
	if r == 'i' {
		out = append(out, 0x130, 0x131)
	}
	return out
}

// IsWord tells whether r is a word character: class L or N, or `_`.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[r]
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for r := range rune(utf8.RuneSelf) {
		t[r] = '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '_'
	}
	return t
}()

// isApostrophe tells whether r is written where ' is meant.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', 0x2018, 0x2019, 0x02BC, 0xFF07:
		return true
	}
	return false
}
