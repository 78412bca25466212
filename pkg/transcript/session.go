package transcript

import (
	"errors"
	"io"
	"time"
	"unicode"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// File is one transcript file of a session.
type File struct {
	// Path is how the file is named in diagnostics.
	Path string
	// Open opens it; the reader gives the text, decompressed.
	Open func() (io.ReadCloser, error)
	// Size is the size on disk in bytes, 0 when it is not known, and ModTime
	// the time of the last change.
	Size    int64
	ModTime time.Time
	// Start is the time of records that stand before the first one with a time;
	// [Session.Date] finds it. Zero leaves them without.
	Start time.Time
}

// Session is one conversation: its main transcript and those of its
// sub-agents.
type Session struct {
	// ID is the session id that the file's name gives; empty for a stream.
	ID string
	// Main is the main transcript.
	Main File
	// Subagents are the transcripts of sub-agents, in path order.
	Subagents []File
	// Copies counts files that were left out because they copy the session.
	Copies int
	// KeepCopies delivers records whose id came before, too. Nobody wants that
	// but to see what leaving them out is good for.
	KeepCopies bool
	// Pace is how the session is read. What is delivered is the same.
	Pace Pace
	// Cut is the moment from which on the session belongs to a retrospective,
	// zero for none: see [Picker]. Reading goes on behind it.
	Cut time.Time
}

// Summary is what reading a session told about it as a whole.
type Summary struct {
	// ID is the session's id: that of the file's name, else the most frequent
	// one in the records; "" when there is none.
	ID     string
	Tool   record.Tool
	Facts  Facts
	Totals Totals
}

// ErrUnclaimed says that no adapter knows the file's format.
var ErrUnclaimed = errors.New("not a transcript of a known agent")

// reader is what an adapter is to the session.
type reader interface {
	line(*ndjson.Line)
	end()
}

// format is a file format: one adapter a file of this package. Formats are
// tried in order on the first lines until one claims the file.
type format struct {
	tool   record.Tool
	claims func(b *Buffers, line []byte) bool
	open   func(b *Buffers, facts *Facts, ownID string) reader
}

func formats() []format {
	return []format{
		{record.ClaudeCode, claimClaude, func(b *Buffers, facts *Facts, ownID string) reader {
			return b.claude.open(&b.assembler, facts, ownID)
		}},
	}
}

// claimLines is how many lines are looked at for a format to claim the file;
// a file that nobody claimed by then is read as Claude Code's, whose lines are
// the most varied.
const claimLines = 50

// Buffers are what reading a session takes and the next one can use again: the
// text at hand, and the tables of ids. The zero value is ready. One goroutine
// uses them at a time; nothing of a session is left in them.
type Buffers struct {
	lines     ndjson.Lines
	assembler assembler
	claude    claude
}

// Read is [Session.ReadWith] with buffers of its own.
func (s *Session) Read(h Handler) (*Summary, error) { return s.ReadWith(new(Buffers), h) }

// ReadWith reads the session from start to end. An error about the main transcript
// is returned; what went before it has been delivered. A sub-agent's file that
// cannot be read is a fault of the session, told to the handler.
func (s *Session) ReadWith(b *Buffers, h Handler) (*Summary, error) {
	a := &b.assembler
	a.start(h)
	a.keepCopies = s.KeepCopies
	sum := &Summary{ID: s.ID, Tool: record.UnknownTool}
	err := s.readFile(b, sum, 0, s.Main)
	for i, f := range s.Subagents {
		if readErr := s.readFile(b, sum, i+1, f); readErr != nil {
			a.fault("subagent-unreadable", 0)
		}
	}
	for range s.Copies {
		a.drop("copied-file")
	}
	a.finish()
	sum.Totals = a.totals
	if sum.ID == "" {
		sum.ID = sum.Facts.mostFrequentID()
	}
	return sum, err
}

func (s *Session) readFile(b *Buffers, sum *Summary, n int, f File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	facts := &sum.Facts
	if n > 0 {
		facts = new(Facts)
	}
	a, lines := &b.assembler, &b.lines
	a.startFile(n, &f, facts)
	counted := &countingReader{r: r}
	if s.Pace.Chunk > 0 {
		lines.Buffer(make([]byte, s.Pace.Chunk))
	}
	lines.Reset(counted)
	in := s.adapter(b, sum, n)
	if pace := s.Pace.withDefaults(); pace.Parsers > 0 && f.Size >= pace.Large {
		if c, ok := in.(*claude); ok {
			readAhead(c, lines, pace)
		}
	}
	lines.Mark()
	for lines.Next() {
		in.line(lines.Line())
	}
	in.end()
	a.totals.Lines += lines.Line().Number
	a.totals.Bytes += counted.n
	return lines.Err()
}

// adapter finds the format that claims the file, from its first lines, and
// feeds it those.
func (s *Session) adapter(b *Buffers, sum *Summary, n int) reader {
	lines := &b.lines
	var first []ndjson.Line
	found := formats()[0]
	claimed := false
	for !claimed && len(first) < claimLines && lines.Next() {
		l := lines.Line().Clone()
		first = append(first, l)
		for _, f := range formats() {
			if f.claims(b, l.Bytes) {
				found, claimed = f, true
				break
			}
		}
	}
	own := ""
	if n == 0 && isUUID(s.ID) {
		own = s.ID
	}
	if claimed && n == 0 {
		sum.Tool = found.tool
	}
	in := found.open(b, b.assembler.facts, own)
	for i := range first {
		in.line(&first[i])
	}
	return in
}

// countingReader counts the bytes that pass.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// isUUID tells whether s has the form of a session id of Claude Code.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') {
			return false
		} else if !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

func isPythonSpace(r rune) bool { return r >= 0x1C && r <= 0x1F || unicode.IsSpace(r) }
