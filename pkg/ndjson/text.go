package ndjson

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a string value. The text is a slice of the line itself where
// nothing had to be replaced, else of the arena, which is returned grown; ill-formed
// UTF-8 and lone surrogates become U+FFFD. A value of another type, and a string
// with a faulty escape, is no text.
func (v Value) Text(arena []byte) (text, grown []byte, ok bool) {
	if v.Kind() != String {
		return nil, arena, false
	}
	inside := []byte(v[1 : len(v)-1])
	if isPlain(inside) || bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return inside, arena, true
	}
	start := len(arena)
	arena, ok = appendUnescaped(arena, inside)
	return arena[start:], arena, ok
}

// isPlain tells of a short text whether it is ASCII without an escape, eight bytes
// at a time: ids, times and names are, of which a line has half a dozen.
func isPlain(b []byte) bool {
	if len(b) > 64 {
		return false
	}
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		if x&0x8080808080808080 != 0 || hasZero(x^0x5C5C5C5C5C5C5C5C) {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// Head is Text of the first n bytes of the string at most, cut between two
// characters.
func (v Value) Head(arena []byte, n int) (text, grown []byte, ok bool) {
	if v.Kind() != String || len(v)-2 <= n {
		return v.Text(arena)
	}
	inside := []byte(v[1 : len(v)-1])
	start := len(arena)
	arena, ok = appendUnescaped(arena, inside[:cutEscaped(inside, n)])
	return arena[start:], arena, ok
}

// cutEscaped is the largest cut of the escaped string at or below n that
// divides neither an escape sequence nor a character.
func cutEscaped(s []byte, n int) int {
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	for back := 1; back <= 6 && back <= n; back++ {
		if s[n-back] != '\\' {
			continue
		}
		slashes := 0
		for n-back-slashes >= 0 && s[n-back-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 1 && (back == 1 || s[n-back+1] == 'u') {
			return n - back
		}
		break
	}
	return n
}

// String decodes a string value into a new string; "" for other types.
func (v Value) String() string {
	text, _, ok := v.Text(nil)
	if !ok {
		return ""
	}
	return string(text)
}

// appendUnescaped decodes the inside of a JSON string.
func appendUnescaped(dst, s []byte) ([]byte, bool) {
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return appendValid(dst, s), true
		}
		dst = appendValid(dst, s[:i])
		var ok bool
		if dst, s, ok = appendEscaped(dst, s[i+1:]); !ok {
			return dst, false
		}
	}
	return dst, true
}

// appendValid appends s with one U+FFFD for each maximal ill-formed part, as
// Python's decoder counts them.
func appendValid(dst, s []byte) []byte {
	for !utf8.Valid(s) {
		i := 0
		for {
			r, size := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			i += size
		}
		dst = append(append(dst, s[:i]...), "\uFFFD"...)
		s = s[i+illFormed(s[i:]):]
	}
	return append(dst, s...)
}

// illFormed is the length of the ill-formed part at the start of s: the bytes
// that could have begun a character, or one byte (Unicode, U+FFFD substitution
// of maximal subparts).
func illFormed(s []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c >= 0xE0 && c <= 0xEF:
		more = 2
	case c >= 0xF0 && c <= 0xF4:
		more = 3
	}
	switch s[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n <= more && n < len(s) && s[n] >= low && s[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}

// appendEscaped decodes one escape sequence; s starts behind its backslash.
func appendEscaped(dst, s []byte) (out, rest []byte, ok bool) {
	if len(s) == 0 {
		return dst, s, false
	}
	if s[0] == 'u' {
		return appendUnicode(dst, s[1:])
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range len(from) {
		if s[0] == from[i] {
			return append(dst, to[i]), s[1:], true
		}
	}
	return dst, s, false
}

// appendUnicode decodes \uXXXX, and the second half of a surrogate pair with
// it; s starts behind the u.
func appendUnicode(dst, s []byte) (out, rest []byte, ok bool) {
	r, ok := hex4(s)
	if !ok {
		return dst, s, false
	}
	s = s[4:]
	if utf16.IsSurrogate(r) {
		second := rune(-1)
		if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			second, _ = hex4(s[2:])
		}
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			s = s[6:]
		}
	}
	return utf8.AppendRune(dst, r), s, true
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return -1, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
