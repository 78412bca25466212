package detect

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// This file is a plain reader of JSON as Python's json module reads it, in
// code points, one value at a time: the slow half of a comparison. It shares
// nothing with the reading path of the program. Values are nil, bool,
// slowNumber, string, []any and slowDict. A lone surrogate is U+FFFD.

// slowNumber is the text of a number, NaN and the infinities included.
type slowNumber string

func (n slowNumber) float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// slowDict is an object in the order of its keys; the last of equal keys wins
// and stands where the first stood.
type slowDict []slowMember

type slowMember struct {
	key   string
	value any
}

func (d slowDict) get(key string) any {
	for _, m := range d {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (d slowDict) has(key string) bool {
	for _, m := range d {
		if m.key == key {
			return true
		}
	}
	return false
}

var errSlow = errors.New("not JSON")

// slowDepth is the nesting at which Python gives up on the whole run.
const slowDepth = 900

type slowParser struct {
	text  []rune
	at    int
	depth int
}

// slowParse is json.loads; ok is false for what it refuses.
func slowParse(text string) (value any, ok bool) {
	p := slowParser{text: []rune(text)}
	value, err := p.value()
	p.space()
	return value, err == nil && p.at == len(p.text)
}

func (p *slowParser) space() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\n\r", p.text[p.at]) {
		p.at++
	}
}

// take steps over the text when it stands here.
func (p *slowParser) take(text string) bool {
	if !strings.HasPrefix(string(p.text[p.at:min(len(p.text), p.at+len(text))]), text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *slowParser) value() (any, error) {
	p.space()
	for _, literal := range []struct {
		text  string
		value any
	}{{"null", nil}, {"true", true}, {"false", false}, {"NaN", slowNumber("NaN")}, {"Infinity", slowNumber("Infinity")}, {"-Infinity", slowNumber("-Infinity")}} {
		if p.take(literal.text) {
			return literal.value, nil
		}
	}
	switch {
	case p.take(`"`):
		return p.str()
	case p.take("["):
		return p.list()
	case p.take("{"):
		return p.dict()
	}
	return p.number()
}

func (p *slowParser) digits() int {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}

func (p *slowParser) number() (any, error) {
	start := p.at
	p.take("-")
	first := p.at
	if p.take("0") {
	} else if p.digits() == 0 {
		return nil, errSlow
	}
	whole, integer := p.at-first, true
	if back := p.at; p.take(".") && p.digits() > 0 {
		integer = false
	} else {
		p.at = back
	}
	if back := p.at; p.take("e") || p.take("E") {
		if !p.take("+") {
			p.take("-")
		}
		if p.digits() > 0 {
			integer = false
		} else {
			p.at = back
		}
	}
	if integer && whole > 4300 {
		return nil, errSlow
	}
	return slowNumber(p.text[start:p.at]), nil
}

func (p *slowParser) list() (any, error) {
	out := []any{}
	if p.depth++; p.depth > slowDepth {
		return nil, errSlow
	}
	defer func() { p.depth-- }()
	if p.space(); p.take("]") {
		return out, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if p.space(); p.take("]") {
			return out, nil
		}
		if !p.take(",") {
			return nil, errSlow
		}
	}
}

func (p *slowParser) dict() (any, error) {
	out := slowDict{}
	if p.depth++; p.depth > slowDepth {
		return nil, errSlow
	}
	defer func() { p.depth-- }()
	if p.space(); p.take("}") {
		return out, nil
	}
	for {
		if p.space(); !p.take(`"`) {
			return nil, errSlow
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.take(":") {
			return nil, errSlow
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = out.set(key.(string), v)
		if p.space(); p.take("}") {
			return out, nil
		}
		if !p.take(",") {
			return nil, errSlow
		}
	}
}

func (d slowDict) set(key string, v any) slowDict {
	for i := range d {
		if d[i].key == key {
			d[i].value = v
			return d
		}
	}
	return append(d, slowMember{key, v})
}

func (p *slowParser) str() (any, error) {
	var units []rune
	for p.at < len(p.text) {
		r := p.text[p.at]
		p.at++
		switch {
		case r == '"':
			return slowPairs(units), nil
		case r < 0x20:
			return nil, errSlow
		case r != '\\':
			units = append(units, r)
			continue
		}
		unit, ok := p.escape()
		if !ok {
			return nil, errSlow
		}
		units = append(units, unit)
	}
	return nil, errSlow
}

func (p *slowParser) escape() (rune, bool) {
	if p.at == len(p.text) {
		return 0, false
	}
	r := p.text[p.at]
	p.at++
	if i := strings.IndexRune(`"\/bfnrt`, r); i >= 0 {
		return []rune("\"\\/\b\f\n\r\t")[i], true
	}
	if r != 'u' || p.at+4 > len(p.text) {
		return 0, false
	}
	hex := string(p.text[p.at : p.at+4])
	n, err := strconv.ParseUint(hex, 16, 16)
	if err != nil || strings.Trim(hex, "0123456789abcdefABCDEF") != "" {
		return 0, false
	}
	p.at += 4
	return rune(n), true
}

// slowPairs joins surrogate pairs.
func slowPairs(units []rune) string {
	var out []rune
	for i := 0; i < len(units); i++ {
		r := units[i]
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+1 < len(units) {
				pair = utf16.DecodeRune(r, units[i+1])
			}
			if r = pair; r != utf8.RuneError {
				i++
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// slowTruth is Python's bool().
func slowTruth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case slowNumber:
		return v.float() != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return len(v.(slowDict)) > 0
}

// slowDump is json.dumps with separators "," and ":".
func slowDump(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case slowNumber:
		return v.repr()
	case string:
		return slowQuote(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = slowDump(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var parts []string
	for _, m := range v.(slowDict) {
		parts = append(parts, slowQuote(m.key)+":"+slowDump(m.value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// repr is Python's text of the number.
func (n slowNumber) repr() string {
	if strings.Trim(string(n), "-0123456789") == "" {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f := n.float()
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return slowFloat(f)
}

func slowFloat(f float64) string {
	if size := math.Abs(f); f != 0 && (size < 1e-4 || size >= 1e16) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func slowQuote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		if i := strings.IndexRune("\"\\\b\f\n\r\t", r); i >= 0 {
			out.WriteString(`\` + string(`"\bfnrt`[i]))
			continue
		}
		if r >= 0x20 && r < 0x7f {
			out.WriteRune(r)
			continue
		}
		if r == 0x7f {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out.WriteString(`\u` + strconv.FormatUint(0x10000+uint64(unit), 16)[1:])
		}
	}
	return out.String() + `"`
}
