package wording

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is what a byte below utf8.RuneSelf is to the parts of this package: bits,
// looked up in a table. Most texts are ASCII from end to end; a comparison or two
// a byte instead of calls a character halve what cleaning and searching cost.
type class uint8

const (
	wordByte  class = 1 << iota // part of a word
	blankByte                   // no token: white space but LF
	endByte                     // ends a sentence wherever it stands
	dotByte                     // ends one before a blank, another end or the end of the text
	goneByte                    // a mark that is no token
	letter                      // unicode.IsLetter
	space                       // unicode.IsSpace
	spanByte                    // may begin what is not prose, or stand before a path
)

// classes are the classes of all bytes; none for those of longer characters.
var classes = func() (table [256]class) {
	for c := range byte(utf8.RuneSelf) {
		r := rune(c)
		set := func(b class, is bool) {
			if is {
				table[c] |= b
			}
		}
		set(wordByte, isWordRune(r))
		set(blankByte, unicode.IsSpace(r) && r != '\n')
		set(endByte, strings.ContainsRune(sentenceEnds, r) && r != '.' && r != ':')
		set(dotByte, r == '.' || r == ':')
		set(goneByte, strings.ContainsRune(vanishing, r))
		set(letter, unicode.IsLetter(r))
		set(space, unicode.IsSpace(r))
		set(spanByte, r <= ' ' || strings.ContainsRune("`\"'h[", r))
	}
	return table
}()

// is tells whether a byte is of one of the classes.
func (b class) is(c byte) bool { return classes[c]&b != 0 }

// dropped stands for a character that folding leaves out.
const dropped = 0xFF

// folds are the ASCII characters folded.
var folds = func() (table [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		table[c] = byte(unicode.ToLower(rune(c)))
		if strings.ContainsRune(apostrophes, rune(c)) {
			table[c] = dropped
		}
	}
	return table
}()

// asciiLength is how many bytes at the start of b are ASCII, eight at a time.
func asciiLength(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if binary.LittleEndian.Uint64(b[n:])&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

func isASCII(b []byte) bool { return asciiLength(b) == len(b) }
