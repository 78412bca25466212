package detect

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/redact"
	"retro/pkg/transcript"
)

// Bounds of a correction candidate in characters (metrics specification,
// correction candidates).
const (
	markerChars = 200  // where markers are looked for
	quotedChars = 200  // of the prompt, of the tail and of a command
	pastedChars = 2000 // a longer prompt is pasted material
)

// Corrections reads a session and emits the prompts of its main transcript in
// which a marker stands. The first words of a session answer nothing and correct
// nothing; what a program sent is nobody's correction.
func Corrections(s *transcript.Session, opt *Options, markers *profile.Markers, clean *redact.Cleaner, emit func(*record.Correction)) error {
	w := &correctionWatch{opt: opt, markers: markers, clean: clean}
	if opt.cuts() {
		s.Date()
	}
	sum, err := s.Read(transcript.Handler{Block: w.block, Fault: opt.Fault})
	session := record.NewSessionID(sum.ID)
	for _, c := range w.found {
		c.SessionID = session
		c.ID = record.HashOf(16, session.String(), string(record.KindCorrection), c.Anchor.Key())
		emit(c)
	}
	return err
}

type correctionWatch struct {
	opt     *Options
	markers *profile.Markers
	clean   *redact.Cleaner
	found   []*record.Correction
	acted   bool
	action  string
	tail    []byte // the end of the agent's last text
}

// keptTail is how much of the agent's text is kept: enough to see a secret
// whole that begins before the quoted tail.
const keptTail = 16 << 10

func (w *correctionWatch) block(b *transcript.Block) {
	switch {
	case b.File > 0 || b.Speaker == transcript.Subagent:
	case b.Kind == transcript.Text:
		w.acted = true
		w.tail = append(w.tail[:0], b.Text[max(0, len(b.Text)-keptTail):]...)
	case b.Kind == transcript.ToolCall:
		w.acted = true
		w.action = actionOf(b.Call)
	case b.Kind == transcript.Prompt:
		w.prompt(b)
	}
}

func (w *correctionWatch) prompt(b *transcript.Block) {
	if !w.acted || b.Prompt.Programmatic || w.opt.outside(b.Time) || utf8.RuneCount(b.Text) > pastedChars {
		return
	}
	ids := w.markers.In(withoutCode(b.Text), firstChars(b.Text, markerChars))
	if len(ids) == 0 {
		return
	}
	c := &record.Correction{
		V: record.Version, Kind: record.KindCorrection, TS: record.NewTimestamp(b.Time), Anchor: placeIn(b, 0).anchor(),
		Prompt:     w.clean.Head(string(b.Text), quotedChars),
		LastAction: w.clean.Head(w.action, quotedChars),
		Tail:       w.clean.Tail(string(w.tail), quotedChars),
	}
	for _, id := range ids {
		c.Markers = append(c.Markers, record.MustIdentifier(id))
	}
	w.found = append(w.found, c)
}

// actionOf says in a line what a tool call does.
func actionOf(c *transcript.Call) string {
	switch name := string(c.Name); name {
	case "Bash":
		return name + ": " + string(c.Command)
	case "Edit", "Write", "Read":
		return name + ": " + string(c.Path)
	default:
		return name
	}
}

// firstChars is the length in bytes of the first n characters.
func firstChars(text []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// withoutCode blanks out code and quotations, at equal length: who quotes a
// phrase does not say it.
func withoutCode(text []byte) []byte {
	if !bytes.ContainsAny(text, "`>") {
		return text
	}
	out := bytes.Clone(text)
	fenced := false
	for line := range bytes.Lines(out) {
		start := bytes.TrimLeft(line, " \t")
		fence := bytes.HasPrefix(start, []byte("```"))
		switch {
		case fence || fenced || bytes.HasPrefix(start, []byte(">")):
			blank(line)
		default:
			blankSpans(line)
		}
		fenced = fenced != fence
	}
	return out
}

// blankSpans blanks out `code` in a line.
func blankSpans(line []byte) {
	for {
		i := bytes.IndexByte(line, '`')
		if i < 0 {
			return
		}
		n := bytes.IndexByte(line[i+1:], '`')
		if n < 0 {
			return
		}
		blank(line[i : i+n+2])
		line = line[i+n+2:]
	}
}

func blank(b []byte) {
	copy(b, strings.Repeat(" ", len(b)))
}
