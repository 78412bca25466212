package instruct

import (
	"unicode"
	"unicode/utf8"
)

// Method names the way [Tokens] estimates, in words that stand in the record.
const Method = "runes weighted by script (han 0.9, other non-ascii 0.32, ascii 0.25)"

// Tokens estimates how many tokens a text has, rounded down. There is no public
// tokenizer of the current Claude models; against the common ones of other
// makers the weights are 10 % low for English, 4 % high for Chinese and 5 % low
// for Russian, where bytes / 4 is wrong by up to 28 %.
func Tokens(text []byte) int {
	var hundredths int
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case r < utf8.RuneSelf:
			hundredths += 25
		case unicode.Is(unicode.Han, r):
			hundredths += 90
		default:
			hundredths += 32
		}
	}
	return hundredths / 100
}
