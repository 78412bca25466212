package record

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"retro/pkg/ndjson"
)

// NewAnchor makes an anchor of a message id. Text that is not valid UTF-8 is
// repaired.
func NewAnchor(id string) Anchor {
	if id == "" {
		return Anchor{}
	}
	return Anchor{asciiJSON(strings.ToValidUTF8(id, "\uFFFD"))}
}

// LineAnchor is the anchor of a record without an id: `line:N`, N counted from
// 0 as the original gate does.
func LineAnchor(n int) Anchor { return Anchor{`"line:` + strconv.Itoa(n) + `"`} }

// RawAnchor makes an anchor of a JSON value that is already in the form it
// shall have in the output: only the classic observers need other types than
// strings.
func RawAnchor(value string) Anchor { return Anchor{value} }

// Key is a text that is equal for equal anchors: the JSON value itself.
func (a Anchor) Key() string { return a.json }

// String is the id without quotes, or the JSON value when it is no string.
func (a Anchor) String() string {
	var s string
	if ndjson.Unmarshal([]byte(a.json), &s) == nil {
		return s
	}
	return a.json
}

// IsZero tells whether there is no anchor.
func (a Anchor) IsZero() bool { return a.json == "" }

// MarshalJSON writes the value as it is.
func (a Anchor) MarshalJSON() ([]byte, error) { return a.appendJSON(nil), nil }

func (a Anchor) appendJSON(dst []byte) []byte {
	if a.json == "" {
		return append(dst, `""`...)
	}
	return append(dst, a.json...)
}

// UnmarshalJSON keeps any JSON value.
func (a *Anchor) UnmarshalJSON(data []byte) error {
	if string(data) == `""` || string(data) == "null" {
		*a = Anchor{}
		return nil
	}
	if isPlain(data) { // which is its own form in ASCII
		*a = Anchor{string(data)}
		return nil
	}
	var s string
	if data[0] == '"' && ndjson.Unmarshal(data, &s) == nil {
		*a = NewAnchor(s)
		return nil
	}
	*a = Anchor{string(data)}
	return nil
}

// asciiJSON is s as a JSON string in ASCII, as the original gate prints ids.
func asciiJSON(s string) string {
	if quoted := `"` + s + `"`; isPlain(quoted) {
		return quoted
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r >= 0x20 && r < utf8.RuneSelf && r != 0x7f:
			b = append(b, byte(r))
		case r == 0x7f:
			b = append(b, 0x7f)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			b = appendEscape(appendEscape(b, hi), lo)
		default:
			b = appendEscape(b, r)
		}
	}
	return string(append(b, '"'))
}

const hexDigits = "0123456789abcdef"

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
