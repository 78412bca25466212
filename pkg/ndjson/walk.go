package ndjson

import (
	"bytes"
	"encoding/binary"
)

// ValueKind is the type of a JSON value, told by its first byte.
type ValueKind uint8

// The kinds of value. None is the kind of a value that is not there.
const (
	None ValueKind = iota
	String
	Number
	Object
	Array
	True
	False
	Null
)

// Value is a JSON value in place: a slice of the line it stands in, undecoded.
type Value []byte

// Kind tells the type of the value.
func (v Value) Kind() ValueKind {
	if len(v) == 0 {
		return None
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't':
		return True
	case 'f':
		return False
	case 'n':
		return Null
	}
	return Number
}

// IsTrue tells whether the value is the literal true.
func (v Value) IsTrue() bool { return v.Kind() == True }

// Member is the value of a key of an object, the last one of that name; none
// when the value is no object, has no such key, or is damaged before it.
func (v Value) Member(name string) (found Value) {
	var w Walker
	w.Reset(v)
	w.Members(func(key []byte, member Value) bool {
		if string(key) == name {
			found = member
		}
		return true
	})
	return found
}

// Walker steps over JSON text without decoding it. It accepts what the
// original gate's parser (Python's json module) accepts: besides RFC 8259 the
// literals NaN, Infinity and -Infinity, and integers of at most 4300 digits.
// Nesting has no limit: open containers are bits on a heap stack.
//
// A Walker is reused from line to line and then allocates nothing.
type Walker struct {
	data    []byte
	pos     int
	marked  bool     // the ends of strings are marked, and no string is faulty
	marks   *marks   // where they are marked
	own     marks    // of a text that came without
	control bool     // the line holds bytes below 0x20, so strings must be looked at
	stack   uint64   // the outer 64 open containers of skip, one bit each: 1 is an object
	deeper  []uint64 // those inside them
	key     []byte   // the last key that was written with escapes
}

// Reset points the walker at a text.
func (w *Walker) Reset(text []byte) {
	w.data, w.pos = text, 0
	w.marked = false
	w.control = hasControl(text)
}

// ResetMarked is Reset for a long text that is going to be walked whole: it
// finds all ends of strings first, in one pass.
func (w *Walker) ResetMarked(text []byte) {
	w.data, w.pos = text, 0
	w.marks, w.marked = &w.own, w.own.make(text)
	w.control = !w.marked
}

// Pos is the offset in the line at which the walker stands: after a fault, the
// place of it.
func (w *Walker) Pos() int { return w.pos }

// Object enters the object at the walker's position.
func (w *Walker) Object() bool { return w.enter('{') }

// Array enters the array at the walker's position.
func (w *Walker) Array() bool { return w.enter('[') }

func (w *Walker) enter(open byte) bool {
	w.space()
	if w.pos >= len(w.data) || w.data[w.pos] != open {
		return false
	}
	w.pos++
	return true
}

// Key advances to the next member of the object and returns its decoded key,
// valid until the next call. ok is false for a fault; done is true behind the last
// member. first must be true for the first call in an object.
func (w *Walker) Key(first bool) (key []byte, done, ok bool) {
	if w.marked {
		if key := w.compactKey(first); key != nil {
			return key, false, true
		}
	}
	if done, ok = w.next('}', first); done || !ok {
		return nil, done, ok
	}
	if w.pos >= len(w.data) || w.data[w.pos] != '"' {
		return nil, false, false
	}
	start := w.pos + 1
	if !w.skipString() {
		return nil, false, false
	}
	if key, ok = w.plainKey(w.data[start : w.pos-1]); !ok {
		return nil, false, false
	}
	w.space()
	if w.pos >= len(w.data) || w.data[w.pos] != ':' {
		return nil, false, false
	}
	w.pos++
	return key, false, true
}

// Members gives f every member of the object at the walker's position, its key
// valid during the call, until f says false. It tells whether it came to the end
// of the object; where none begins, the walker stays.
func (w *Walker) Members(f func(key []byte, v Value) bool) (whole bool) {
	if !w.Object() {
		return false
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if done || !ok {
			return ok
		}
		v, ok := w.Value() // which leaves the key alone
		if !ok || !f(key, v) {
			return false
		}
	}
}

// compactKey is Key for the form that programs write: `,"key":` without blanks
// and escapes, which is nearly all there is. It is a twentieth of the reading path
// saved. Nil leaves the walker where it is.
func (w *Walker) compactKey(first bool) []byte {
	at := w.pos
	if !first {
		if at >= len(w.data) || w.data[at] != ',' {
			return nil
		}
		at++
	}
	if at >= len(w.data) || w.data[at] != '"' {
		return nil
	}
	end := w.marks.end(at + 1)
	if end <= at || end+1 >= len(w.data) || w.data[end+1] != ':' {
		return nil
	}
	key := w.data[at+1 : end]
	if hasBackslash(key) {
		return nil
	}
	w.pos = end + 2
	return key
}

// hasBackslash tells whether a key has an escape. Most keys have 16 bytes at most:
// two words of eight, which overlap, or have a byte above them. A call for each costs
// a fiftieth of the reading path.
func hasBackslash(key []byte) bool {
	n := len(key)
	if n > 16 {
		return bytes.IndexByte(key, '\\') >= 0
	}
	if n >= 8 {
		const slashes = 0x5C5C5C5C5C5C5C5C
		return hasZero(binary.LittleEndian.Uint64(key)^slashes) || hasZero(binary.LittleEndian.Uint64(key[n-8:])^slashes)
	}
	for _, c := range key {
		if c == '\\' {
			return true
		}
	}
	return false
}

// hasZero tells whether a byte of a word is 0.
func hasZero(x uint64) bool {
	return (x-0x0101010101010101)&^x&0x8080808080808080 != 0
}

// plainKey decodes a key; nearly all need no decoding.
func (w *Walker) plainKey(key []byte) ([]byte, bool) {
	if bytes.IndexByte(key, '\\') < 0 {
		return key, true
	}
	var ok bool
	w.key, ok = appendUnescaped(w.key[:0], key)
	return w.key, ok
}

// Element advances to the next element of the array, as Key does.
func (w *Walker) Element(first bool) (done, ok bool) { return w.next(']', first) }

// next steps over the separator before a member or element, or over the end
// of the container.
func (w *Walker) next(end byte, first bool) (done, ok bool) {
	w.space()
	if w.pos >= len(w.data) {
		return false, false
	}
	c := w.data[w.pos]
	if c == end {
		w.pos++
		return true, true
	}
	if first {
		return false, true
	}
	if c != ',' {
		return false, false
	}
	w.pos++
	w.space()
	return false, w.pos < len(w.data) && w.data[w.pos] != end
}

// Value steps over the value at the walker's position and returns it.
func (w *Walker) Value() (Value, bool) {
	if w.marked && w.pos < len(w.data) && w.data[w.pos] == '"' { // by far the most
		start := w.pos
		if end := w.marks.end(start + 1); end >= 0 {
			w.pos = end + 1
			return Value(w.data[start:w.pos]), true
		}
	}
	w.space()
	start := w.pos
	if !w.skip() {
		return nil, false
	}
	return Value(w.data[start:w.pos]), true
}

// Peek tells the kind of the value at the walker's position.
func (w *Walker) Peek() ValueKind {
	w.space()
	return Value(w.data[w.pos:]).Kind()
}

// Since is the text from an earlier position to the walker's.
func (w *Walker) Since(start int) Value { return Value(w.data[start:w.pos]) }

// End tells whether nothing but white space is left.
func (w *Walker) End() bool {
	w.space()
	return w.pos == len(w.data)
}

// space steps over white space between tokens.
func (w *Walker) space() {
	for w.pos < len(w.data) && w.data[w.pos] <= ' ' && isSpace(w.data[w.pos]) {
		w.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skip steps over one value, containers included, by the grammar and without
// recursion.
func (w *Walker) skip() bool {
	if w.pos >= len(w.data) {
		return false
	}
	switch w.data[w.pos] {
	case '"':
		return w.skipString()
	case '{', '[':
		return w.skipContainer()
	}
	return w.skipScalar()
}

// skipContainer steps over the container at pos. The states of the grammar are
// folded into the order of the loop: a value, then what may stand behind it.
func (w *Walker) skipContainer() bool {
	depth := 0
	for {
		if w.pos >= len(w.data) {
			return false
		}
		switch c := w.data[w.pos]; c {
		case '{', '[':
			w.pos++
			w.push(depth, c == '{')
			depth++
			done, ok := w.next(c+2, true)
			if !ok {
				return false
			}
			if !done {
				if c == '{' && !w.keyColon() {
					return false
				}
				continue
			}
			depth--
		case '"':
			if !w.skipString() {
				return false
			}
		default:
			if !w.skipScalar() {
				return false
			}
		}
		var ok bool
		if depth, ok = w.behind(depth); !ok {
			return false
		}
		if depth == 0 {
			return true
		}
	}
}

// behind steps from the end of a value to the start of the next one, closing
// containers on the way, and returns the depth there.
func (w *Walker) behind(depth int) (int, bool) {
	for depth > 0 {
		end := byte(']')
		object := *w.bits(depth - 1)>>((depth-1)%64)&1 == 1
		if object {
			end = '}'
		}
		done, ok := w.next(end, false)
		if !ok {
			return depth, false
		}
		if !done {
			return depth, !object || w.keyColon()
		}
		depth--
	}
	return 0, true
}

// keyColon steps over a key and its colon to the value.
func (w *Walker) keyColon() bool {
	if w.pos >= len(w.data) || w.data[w.pos] != '"' || !w.skipString() {
		return false
	}
	w.space()
	if w.pos >= len(w.data) || w.data[w.pos] != ':' {
		return false
	}
	w.pos++
	w.space()
	return true
}

func (w *Walker) push(depth int, object bool) {
	if depth >= 64*(1+len(w.deeper)) {
		w.deeper = append(w.deeper, 0)
	}
	word, bit := w.bits(depth), uint64(1)<<(depth%64)
	*word &^= bit
	if object {
		*word |= bit
	}
}

// bits is the word that holds the bit of a container at the depth.
func (w *Walker) bits(depth int) *uint64 {
	if depth < 64 {
		return &w.stack
	}
	return &w.deeper[depth/64-1]
}

// skipString steps over the string at pos.
func (w *Walker) skipString() bool {
	if !w.marked {
		return w.searchString()
	}
	end := w.marks.end(w.pos + 1)
	if end < 0 {
		w.pos = len(w.data)
		return false
	}
	w.pos = end + 1
	return true
}

// searchString steps over the string at pos and checks its escapes: to the
// next quote, and from backslash to backslash before it; an escaped quote moves
// the end on.
func (w *Walker) searchString() bool {
	start := w.pos + 1
	at, end := start, start-1
	for {
		if end < at {
			i := bytes.IndexByte(w.data[at:], '"')
			if i < 0 {
				w.pos = len(w.data)
				return false
			}
			end = at + i
		}
		i := bytes.IndexByte(w.data[at:end], '\\')
		if i < 0 {
			break
		}
		at += i
		n := escapeLength(w.data[at:])
		if n == 0 {
			w.pos = at
			return false
		}
		at += n
	}
	if w.control && hasControl(w.data[start:end]) {
		w.pos = start
		return false
	}
	w.pos = end + 1
	return true
}

// escapeLength is the length of the escape sequence at the start of b, which
// starts with a backslash; 0 when it is none.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

// maxIntegerDigits is the length at which Python refuses to convert an integer.
const maxIntegerDigits = 4300

// skipScalar steps over a number or a literal.
func (w *Walker) skipScalar() bool {
	if w.skipCount() {
		return true
	}
	rest := w.data[w.pos:]
	if literal := literalLike(rest); literal != "" {
		w.pos += len(literal)
		return true
	}
	n := numberLength(rest)
	w.pos += n
	return n > 0
}

// skipCount steps over a whole number as programs write them: a few digits, and
// then what stands behind a member.
func (w *Walker) skipCount() bool {
	const most = 18
	if c := w.data[w.pos]; c < '1' || c > '9' {
		return false
	}
	for i := w.pos + 1; i < len(w.data) && i < w.pos+most; i++ {
		switch c := w.data[i]; {
		case c >= '0' && c <= '9':
		case c == ',' || c == '}' || c == ']':
			w.pos = i
			return true
		default:
			return false
		}
	}
	return false
}

// literalLike is the literal at the start of b, "" when there is none.
func literalLike(b []byte) string {
	literal := ""
	if len(b) > 0 {
		switch b[0] {
		case 't':
			literal = "true"
		case 'f':
			literal = "false"
		case 'n':
			literal = "null"
		case 'N':
			literal = "NaN"
		case 'I':
			literal = "Infinity"
		case '-':
			literal = "-Infinity"
		}
	}
	if len(b) < len(literal) || string(b[:len(literal)]) != literal {
		return ""
	}
	return literal
}

// numberLength is the length of the JSON number at the start of b, 0 when
// there is none.
func numberLength(b []byte) int {
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	whole := digits(b[i:])
	if whole == 0 {
		return 0
	}
	if b[i] == '0' {
		whole = 1
	}
	i += whole
	integer := true
	if i+1 < len(b) && b[i] == '.' {
		if n := digits(b[i+1:]); n > 0 {
			i += 1 + n
			integer = false
		}
	}
	if n := exponentLength(b[i:]); n > 0 {
		i += n
		integer = false
	}
	if integer && whole > maxIntegerDigits {
		return 0
	}
	return i
}

func exponentLength(b []byte) int {
	if len(b) < 2 || b[0]|0x20 != 'e' {
		return 0
	}
	i := 1
	if b[i] == '+' || b[i] == '-' {
		i++
	}
	n := digits(b[i:])
	if n == 0 {
		return 0
	}
	return i + n
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}

// hasControl tells whether b holds a byte below 0x20, eight bytes at a time.
func hasControl(b []byte) bool {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for len(b) >= 8 {
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if (x-0x20*low)&^x&high != 0 {
			return true
		}
		b = b[8:]
	}
	for _, c := range b {
		if c < 0x20 {
			return true
		}
	}
	return false
}
