package ndjson

import (
	"bytes"
	"io"
)

const (
	// chunkSize is how much is read at a time. Between 64 KiB and 1 MiB the
	// size makes no measurable difference.
	chunkSize = 256 << 10
	// MaxHeld is the length up to which a line is held whole, in bytes. A
	// longer one is shortened while it is read: see [Line.Shortened].
	MaxHeld = 4 << 20
)

// Line is one physical line of a file.
type Line struct {
	// Bytes is the line without its end. It is valid until the next call of
	// Next.
	Bytes []byte
	// Number counts from 1, blank lines included.
	Number int
	// Offset is where the line starts, in bytes from the start of the file.
	Offset int64
	// Shortened tells that the line was longer than MaxHeld and that its long
	// strings were cut.
	Shortened bool
	// Lost tells that the line was longer than MaxHeld even so: Bytes is empty.
	Lost bool

	marks *marks // of Bytes, nil when they are not made
}

// Clone is the line with a copy of its bytes, which stays valid.
func (l *Line) Clone() Line {
	c := *l
	c.Bytes, c.marks = bytes.Clone(l.Bytes), nil
	return c
}

// Lines splits a stream into lines of any length in bounded memory. A line ends
// with LF, CRLF or a lone CR, as Python reads text; a last line without an end
// counts. (Between the tokens of a JSON text a CR would be white space, but what
// writes one object a line writes none there.)
type Lines struct {
	r     io.Reader
	buf   []byte
	chunk int // how much is read at a time
	head  int // start of the unread part of buf
	tail  int // end of it
	eof   bool
	err   error

	line   Line
	offset int64  // of buf[head]
	cr     []byte // rest of a line that holds lone CRs
	crAt   int64

	marking bool  // the strings of lines are marked
	marks   marks // of the line at hand
	spoiled bool  // it has no marks
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	l := new(Lines)
	l.Reset(r)
	return l
}

// Buffer gives l its buffer, which must not be empty: a reader is then asked for
// as much at a time, not for the common size.
func (l *Lines) Buffer(buf []byte) { l.buf, l.chunk = buf, len(buf) }

// Reset makes l read from r, with its buffer kept. The zero Lines is ready for
// it.
func (l *Lines) Reset(r io.Reader) {
	if l.buf == nil {
		l.Buffer(make([]byte, chunkSize))
	}
	*l = Lines{r: r, buf: l.buf, chunk: l.chunk, marks: l.marks}
}

// Err is the read error that ended the lines, nil at the end of the file.
func (l *Lines) Err() error { return l.err }

// Line is the line that the last call of Next found.
func (l *Lines) Line() *Line { return &l.line }

// Next advances to the next line and tells whether there is one.
func (l *Lines) Next() bool {
	if l.cr != nil {
		l.splitCR(l.cr, l.crAt)
		return true
	}
	l.startMarks()
	for searched := 0; ; {
		length, end := l.tail-l.head, 0
		if i := l.lineEnd(searched); i >= 0 {
			length, end = i, 1
		}
		switch {
		case length > MaxHeld: // even when its end is at hand: chunks decide nothing
			if i := bytes.LastIndexByte(l.buf[l.head:l.head+MaxHeld], '\r'); i >= 0 {
				l.takeCRs(i)
			} else {
				l.takeLong()
			}
			return true
		case end > 0 || l.eof && length > 0:
			l.take(l.head, l.head+length, end)
			return true
		case l.eof:
			return false
		}
		searched = length
		l.fill()
	}
}

// take delivers buf[from:to] as a line; its end has the given length.
func (l *Lines) take(from, to, end int) {
	text := l.buf[from:to]
	l.head = to + end
	start := l.offset
	l.offset += int64(to - from + end)
	if l.marked(text) {
		l.line = Line{Bytes: text, Number: l.line.Number + 1, Offset: start, marks: &l.marks}
		return
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	l.splitCR(text, start)
}

// takeCRs delivers the lines of which the last ends with the CR at the place i of
// the unread part.
func (l *Lines) takeCRs(i int) {
	text, start := l.buf[l.head:l.head+i], l.offset
	l.head += i + 1
	l.offset += int64(i + 1)
	l.splitCR(text, start)
}

// splitCR delivers the part of text before its first CR and keeps the rest.
func (l *Lines) splitCR(text []byte, offset int64) {
	l.cr = nil
	if i := bytes.IndexByte(text, '\r'); i >= 0 {
		l.cr, l.crAt = text[i+1:], offset+int64(i)+1
		text = text[:i]
	}
	l.line = Line{Bytes: text, Number: l.line.Number + 1, Offset: offset}
}

// fill reads more behind the unread part. A small part is moved to the front, so
// that one chunk after the other lands in the same place, which stays near the
// processor: after a long line has made the buffer grow, going through all of it
// costs a tenth of the whole scan.
func (l *Lines) fill() {
	unread := l.tail - l.head
	room := l.buf
	switch {
	case unread <= l.chunk/2:
	case l.tail < len(l.buf):
		l.read()
		return
	case unread > len(l.buf)/2:
		room = make([]byte, 2*len(l.buf))
	}
	l.tail = copy(room, l.buf[l.head:l.tail])
	l.head, l.buf = 0, room
	l.read()
}

// read reads once into the free end of the buffer.
func (l *Lines) read() {
	n, err := l.r.Read(l.buf[l.tail:min(len(l.buf), l.tail+l.chunk)])
	l.tail += n
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
}

// takeLong delivers a line that is longer than MaxHeld: what there is of it is
// shortened in place, and so is all that follows, until its end. When that
// does not keep it below MaxHeld, the line is lost.
func (l *Lines) takeLong() {
	var s shortener
	start, kept, lost := l.offset, 0, false
	copy(l.buf, l.buf[l.head:l.tail])
	l.tail -= l.head
	l.head = 0
	for {
		end := bytes.IndexByte(l.buf[kept:l.tail], '\n')
		stop := l.tail
		if end >= 0 {
			stop = kept + end
		}
		n := s.shorten(l.buf[kept:stop])
		l.offset += int64(stop - kept)
		if lost = lost || kept+n > MaxHeld/2; lost {
			kept, n = 0, 0
		}
		if end >= 0 || l.eof {
			l.head = stop
			if end >= 0 {
				l.head++
				l.offset++
			}
			l.line = Line{Bytes: l.buf[:kept+n], Number: l.line.Number + 1, Offset: start, Shortened: true, Lost: lost}
			return
		}
		kept += n
		l.tail = kept
		l.read()
	}
}

// keptOfString is how many bytes of a string stay in a shortened line: far more
// than any detector looks at.
const keptOfString = 64 << 10

// shortener drops the ends of long JSON strings from text that comes in pieces.
type shortener struct {
	inString bool
	escape   int  // bytes still missing of an escape sequence that is kept
	length   int  // kept of the string so far
	dropping bool // the rest of the string is dropped
	dropNext bool // the byte behind a dropped backslash
}

// shorten moves what stays to the front of b and returns how much that is.
func (s *shortener) shorten(b []byte) int {
	kept := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.full() && c != '"' && c&0xC0 != 0x80 {
			s.dropping = true
		}
		if s.dropping {
			if n := s.drop(b[i:]); n > 0 {
				i += n - 1
				continue
			}
			s.dropping = false
		}
		b[kept] = c
		kept++
		s.step(c)
	}
	return kept
}

// full tells whether the string has all it may keep and stands between two
// characters.
func (s *shortener) full() bool {
	return s.inString && !s.dropping && s.escape == 0 && s.length >= keptOfString
}

// step follows the grammar of strings over one kept byte.
func (s *shortener) step(c byte) {
	s.length++
	switch {
	case !s.inString:
		s.inString, s.length = c == '"', 0
	case s.escape == 1 && c == 'u' && s.length > 0:
		s.escape = 5
		fallthrough
	case s.escape > 0:
		s.escape--
	case c == '\\':
		s.escape = 1
	case c == '"':
		s.inString = false
	}
}

// drop returns how many bytes at the front of b belong to the dropped rest of
// a string: none when b starts with the quote that ends it.
func (s *shortener) drop(b []byte) int {
	n := 0
	for n < len(b) {
		switch {
		case s.dropNext:
			s.dropNext = false
		case b[n] == '\\':
			s.dropNext = true
		case b[n] == '"':
			return n
		}
		n++
	}
	return n
}
