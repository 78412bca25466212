package main

import "strings"

// variants appends some spoiled forms of a record, a line each.
func (d *damager) variants(b, body []byte, spoil func(b, body []byte) []byte) []byte {
	for range d.between(1, 3) {
		b = append(spoil(b, body), '\n')
	}
	return b
}

// telling are the bytes that decide something in JSON, and some that never may.
const telling = "\"\"\"\\\\\\{}[]{}[]:,:, \t\r\x00\x01\x0b\x1f\x7f\x80\xc3\xed\xff/ubxe0129aFgE+-.tfnNI'"

func (d *damager) replaced(b, body []byte) []byte {
	at := len(b) + d.intn(len(body))
	b = append(b, body...)
	b[at] = telling[d.intn(len(telling))]
	return b
}

// shifted leaves out a few bytes, or has them twice.
func (d *damager) shifted(b, body []byte) []byte {
	at := d.intn(len(body))
	n := d.between(1, 4)
	if d.chance(0.5) {
		return append(append(b, body[:min(len(body), at+n)]...), body[at:]...)
	}
	return append(append(b, body[:at]...), body[min(len(body), at+n):]...)
}

// continued goes on at another place. Half of the time both places are before a
// quote, so that strings stay whole.
func (d *damager) continued(b, body []byte) []byte {
	from, to := d.intn(len(body)), d.intn(len(body))
	if d.chance(0.5) {
		from, to = quoteBehind(body, from), quoteBehind(body, to)
	}
	return append(append(b, body[:from]...), body[to:]...)
}

func quoteBehind(body []byte, at int) int {
	for at < len(body) && body[at] != '"' {
		at++
	}
	return at
}

// escapes are sequences behind a backslash: whole ones, those that other
// languages have, and \u cut in its middle.
var escapes = strings.Fields(`\n \t \" \\ \/ \b \f \r \u00e9 \u0000 \u001f \uFFFF \uD83D\uDE00 \u \u1 \u12 \u123 \u12g4 \u+123 \u-001 \u00 \U00e9 \x41 \0 \' \a \e \v \N \\\ \ \" \\" \\\" \\\\" \u{41} \uD83D\u \uD83D\u12 \uD83D\uZZZZ`)

func (d *damager) escaped(b, body []byte) []byte {
	at := d.intn(len(body))
	return append(append(append(b, body[:at]...), pick(d.rng, escapes)...), body[at:]...)
}

func (d *damager) surrogates() string {
	var b strings.Builder
	for range d.between(1, 6) {
		b.WriteString(pick(d.rng, []string{`\ud83d`, `\uDE00`, `\ud800`, `\uDBFF`, `\udc00`, `\udfff`, `\ud83d\ude00`, `x`, `\n`, `\u0041`, "\xed\xa0\xbd", "\xf0\x9f\x98\x80", "\xf0\x9f"}))
	}
	return b.String()
}

var (
	scalars = strings.Fields(`NaN Infinity -Infinity nan inf -NaN +Infinity Inf -inf Infinit NaNa true false null True None nul tru undefined
		0 -0 00 01 -01 0.0 0.50 .5 5. -.5 - + +1 1e5 1E+05 1e-5 1e 1e+ 1.e5 1.5.5 1e5.5 0x10 1_000 1,000 1l 1n 1f 0b1 0o7 ١ 1e400 -1e400 1e-400
		9007199254740993 18446744073709551616 123456789012345678901234567890 3.141592653589793238462643 "" "x" 'x' {} [] [[]] {"a":{}} {] [} {"a"} {"a":} {:1} {,} [,] [1,] {a:1}`)
	values = []string{`"b"`, `7`, `null`, `{}`, `["c"]`, `NaN`, `true`, `"\u00e9"`}
)

// maxDigits is how many digits of an integer Python converts, not one more.
const maxDigits = 4300

func (d *damager) scalar() string {
	if !d.chance(0.1) {
		return pick(d.rng, scalars)
	}
	long := strings.Repeat("7", maxDigits+d.between(-1, 2))
	return pick(d.rng, []string{"", "-", "0."}) + long + pick(d.rng, []string{"", "", "e1", ".5"})
}

func (d *damager) space() string {
	return pick(d.rng, []string{"", "", "", "", "", "", " ", "\t", "\r", "\r ", "  \t", "\v", "\f", "\x00", "\x1c", "\u00a0", "\u2028", "\u0085", "\ufeff"})
}
