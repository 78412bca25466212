package ndjson

import (
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error of a document whose wanted part is longer than
// MaxHeld.
var ErrTooLong = errors.New("document too long")

// ReadObject reads r to its end, one JSON object of any size, and returns the
// object without the values that keep refuses: null stands in their place.
// Keep is asked for the members of the object, with an empty inner key, and for
// the members of an object in it that was kept. Memory grows with what is kept
// and not with what is read: a hook's input carries whole files and tool
// outputs that nobody asks for.
//
// Only what is kept is JSON for certain; of the rest just the strings and the
// brackets are followed. What stands behind the object is ignored.
func ReadObject(r io.Reader, keep func(outer, inner string) bool) ([]byte, error) {
	p := pruner{keep: keep}
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if !p.feed(buf[:n]) {
			io.Copy(io.Discard, r) // the writer shall not find a closed pipe
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errors.New("read error")
		}
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case !p.done:
		return nil, errMalformed
	}
	return p.out, nil
}

// maxKey is how many bytes of a key are looked at; no key that anybody keeps is
// longer.
const maxKey = 64

// pruner copies an object that comes in pieces, without the unwanted values.
type pruner struct {
	keep func(outer, inner string) bool
	out  []byte
	err  error
	done bool

	depth    int
	object   [3]bool   // whether the container at depth 1 or 2 is an object
	keys     [3][]byte // the last key at depth 1 and 2
	atKey    bool      // the next string is a key
	inKey    bool      // the current string is one
	inString bool
	escaped  bool
	dropped  int // depth of the object whose member is being dropped, 0 for none
}

// feed takes the next piece and tells whether it wants more.
func (p *pruner) feed(b []byte) bool {
	for i := 0; i < len(b) && !p.done && p.err == nil; i++ {
		if p.dropped > 0 && p.inString && !p.escaped {
			i += skipPlain(b[i:])
			if i == len(b) {
				break
			}
		}
		p.step(b[i])
		if len(p.out) > MaxHeld {
			p.err = ErrTooLong
		}
	}
	return !p.done && p.err == nil
}

// skipPlain is how many bytes at the front of b neither end a string nor begin
// an escape.
func skipPlain(b []byte) int {
	n := 0
	for n < len(b) && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

func (p *pruner) step(c byte) {
	switch {
	case p.depth == 0 && c != '{':
		// White space and a byte order mark may stand before the object.
		if bytes.IndexByte([]byte(" \t\r\n\xEF\xBB\xBF"), c) < 0 {
			p.err = errMalformed
		}
	case p.inString:
		p.stringByte(c)
	case c == '"':
		p.inString, p.inKey = true, p.atKey && p.dropped == 0
		if p.inKey {
			p.keys[p.depth] = p.keys[p.depth][:0]
		}
		p.emit(c)
	default:
		p.structure(c)
	}
}

func (p *pruner) stringByte(c byte) {
	p.emit(c)
	switch {
	case p.escaped:
		p.escaped = false
	case c == '\\':
		p.escaped = true
	case c == '"':
		p.inString, p.inKey = false, false
		return
	}
	if key := p.keys[min(p.depth, 2)]; p.inKey && len(key) < maxKey {
		p.keys[p.depth] = append(key, c)
	}
}

func (p *pruner) structure(c byte) {
	if p.dropped == p.depth && (c == ',' || c == '}') {
		p.dropped = 0 // the member ends here
	}
	switch c {
	case '{', '[':
		p.open(c)
		return
	case '}', ']':
		p.emit(c)
		p.depth--
		p.atKey = false
		p.done = p.depth == 0
		return
	case ',':
		p.atKey = p.depth <= 2 && p.object[p.depth]
	case ':':
		p.emit(c)
		p.value()
		return
	}
	p.emit(c)
}

func (p *pruner) open(c byte) {
	p.emit(c)
	p.depth++
	p.atKey = false
	if p.depth <= 2 {
		p.object[p.depth] = c == '{'
		p.atKey = c == '{'
	}
}

// value decides about the member whose colon was just read.
func (p *pruner) value() {
	p.atKey = false
	if p.dropped > 0 || p.depth > 2 || !p.object[p.depth] {
		return
	}
	inner := ""
	if p.depth == 2 {
		if !p.object[1] {
			return
		}
		inner = string(p.keys[2])
	}
	if !p.keep(string(p.keys[1]), inner) {
		p.out = append(p.out, "null"...)
		p.dropped = p.depth
	}
}

func (p *pruner) emit(c byte) {
	if p.dropped == 0 {
		p.out = append(p.out, c)
	}
}
