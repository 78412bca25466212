package ndjson

import "bytes"

// Mark makes l find the ends of lines with the pass that marks their strings for
// [Walker.ResetLine], until the next Reset: one search less, a twelfth of the time
// of a whole scan. It does nothing on processors without marks.
func (l *Lines) Mark() { l.marking = canMark() }

// startMarks begins the marks of a line.
func (l *Lines) startMarks() {
	l.spoiled = !l.marking
	if l.marking {
		l.marks.start()
	}
}

// lineEnd is the place of the next LF in the unread part, of which so much was
// searched before; -1 when there is none.
func (l *Lines) lineEnd(searched int) int {
	unread := l.buf[l.head:l.tail]
	if !l.spoiled {
		end, clean := l.marks.line(unread)
		if clean {
			return end
		}
		l.spoiled = true
	}
	if i := bytes.IndexByte(unread[searched:], '\n'); i >= 0 {
		return searched + i
	}
	return -1
}

// line marks a text up to its first LF and returns the place of that, -1 when it
// has none. clean is false when another control character comes before it: then the
// text has no marks, and its LF is not found.
func (m *marks) line(text []byte) (end int, clean bool) {
	if end = m.more(text); end >= 0 {
		return end, text[end] == '\n'
	}
	at := m.blocks * markBlock
	rest := text[at:]
	if end = bytes.IndexByte(rest, '\n'); end < 0 {
		return -1, !hasControl(rest)
	}
	return at + end, !hasControl(rest[:end])
}

// marked tells whether the text, which is all of the line at hand, is marked.
func (l *Lines) marked(text []byte) bool { return !l.spoiled && l.marks.finish(text) }

// ResetLine is [Walker.ResetMarked] for the text of a line from its first byte
// on, perhaps without blanks at its end. The walker uses the marks of the line where
// there are some, until the next line is read.
func (w *Walker) ResetLine(l *Line, text []byte) {
	if l.marks == nil || len(text) == 0 || &text[0] != &l.Bytes[0] {
		w.ResetMarked(text)
		return
	}
	w.data, w.pos = text, 0
	w.marks, w.marked, w.control = l.marks, true, false
}
