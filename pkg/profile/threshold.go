package profile

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// ParseThreshold reads a threshold as people set it in the environment, in the
// syntax of Python's float(), which the original gate used: white space at
// both ends, a sign, an exponent, `.5`, `5.`, underscores between digits and
// the decimal digits of every script. NaN and infinities do not pass, since a
// verdict with them is no JSON; neither does what overflows.
func ParseThreshold(text string) (float64, bool) {
	text = asciiDigits(strings.TrimSpace(text))
	plain, ok := dropUnderscores(text)
	if !ok || plain == "" || strings.Trim(plain, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// asciiDigits replaces decimal digits of any script by ASCII ones. Unicode
// encodes every script's ten digits in a row from 0 to 9; rows may follow each
// other without a gap.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.Is(unicode.Nd, r) {
			return r
		}
		first := r
		for unicode.Is(unicode.Nd, first-1) {
			first--
		}
		return '0' + (r-first)%10
	}, s)
}

// dropUnderscores removes underscores; each must stand between two digits.
func dropUnderscores(s string) (string, bool) {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
