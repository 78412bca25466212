package transcript

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Picker chooses which of the sessions that were found are read. Its zero value
// takes all.
type Picker struct {
	// MinAge leaves out sessions that were written to less than so long before
	// Now, or after it: they are in progress.
	MinAge time.Duration
	Now    time.Time
	// NotRetro leaves out what came of a retrospective, so that one is not made
	// of another: see [Session.Retrospective].
	NotRetro bool
	// Seen leaves out sessions that were read before and have not changed.
	Seen *Seen
}

// LeftOut is a session that is not read.
type LeftOut struct {
	Session *Session
	// Reason is `in-progress`, `retro` or `seen`.
	Reason string
	// Age is the time since a session in progress was written to.
	Age time.Duration
}

// Pick divides the sessions, both lists in their order. Sessions that end at a
// retrospective get their Cut. One that cannot be looked into is picked, so
// that its reading tells the error.
func (p Picker) Pick(sessions []*Session) (picked []*Session, left []LeftOut) {
	for _, s := range sessions {
		if out := p.judge(s); out.Reason != "" {
			left = append(left, out)
		} else {
			picked = append(picked, s)
		}
	}
	return picked, left
}

func (p Picker) judge(s *Session) LeftOut {
	out := LeftOut{Session: s}
	if modified := s.modified(); p.MinAge > 0 && !modified.IsZero() && p.Now.Sub(modified) < p.MinAge {
		out.Reason, out.Age = "in-progress", p.Now.Sub(modified)
		return out
	}
	if p.Seen.Has(s) {
		out.Reason = "seen"
		return out
	}
	if p.NotRetro {
		at, alone, found := s.Retrospective()
		switch {
		case found && (alone || at.IsZero()):
			out.Reason = "retro"
		case found:
			s.Cut = at
		}
	}
	return out
}

// Retrospective finds the first of a person's own command lines that ran a
// retrospective, and its time, zero when the record has none. Alone tells that
// no model had answered before: there is nothing else in the session. What a
// tool read, such as the command's source, is no command line.
func (s *Session) Retrospective() (at time.Time, alone, found bool) {
	if !s.mentionsRetro() {
		return at, false, false
	}
	spoke := false
	main := Session{ID: s.ID, Main: s.Main}
	main.Read(Handler{Block: func(b *Block) {
		switch {
		case found:
		case b.Speaker == Agent:
			spoke = true
		case runsRetro(b):
			at, alone, found = b.Time, !spoke, true
		}
	}})
	return at, alone, found
}

// retroCommand is the form of the commands that the original helper leaves out:
// /retro, /dev-team:retro, /my-retro; not /Retro, not /metro.
var retroCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/[a-z:-]*retro$`)
})

var retroElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<command-name>\s*/[a-z:-]*retro\s*</command-name>`)
})

func runsRetro(b *Block) bool {
	switch {
	case b.Kind == Prompt:
		return retroCommand().Match(b.Prompt.Command)
	case b.Kind == Notice && b.Notice == CommandNotice:
		return retroElement().Match(b.Text)
	}
	return false
}

// mentionsRetro looks for the end of a command element in the raw text: most
// sessions have none, and need not be read twice.
func (s *Session) mentionsRetro() bool {
	r, err := s.Main.Open()
	if err != nil {
		return false
	}
	defer r.Close()
	const overlap = 16
	buf := make([]byte, 256<<10)
	kept := 0
	for {
		n, err := r.Read(buf[kept:])
		window := buf[:kept+n]
		if bytes.Contains(window, []byte("retro<")) || bytes.Contains(window, []byte(`retro\u003c`)) || bytes.Contains(window, []byte(`retro\u003C`)) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buf, window[max(0, len(window)-overlap):])
	}
}

// modified is the latest time a file of the session was written to.
func (s *Session) modified() time.Time {
	latest := s.Main.ModTime
	for _, f := range s.Subagents {
		if f.ModTime.After(latest) {
			latest = f.ModTime
		}
	}
	return latest
}

// size is that of all the session's files.
func (s *Session) size() int64 {
	sum := s.Main.Size
	for _, f := range s.Subagents {
		sum += f.Size
	}
	return sum
}

// Seen remembers which sessions were read, by id and size. Two files of one id,
// as in a copied folder, are remembered side by side.
type Seen struct{ sizes map[record.SessionID][]int64 }

// NewSeen remembers nothing yet.
func NewSeen() *Seen { return &Seen{map[record.SessionID][]int64{}} }

// ReadSeen reads what WriteTo wrote. Other records and damaged lines are passed
// over: what they told is read again, which loses nothing.
func ReadSeen(r io.Reader) (*Seen, error) {
	s := NewSeen()
	lines := ndjson.NewLines(r)
	for lines.Next() {
		var row record.Seen
		if ndjson.Unmarshal(lines.Line().Bytes, &row) == nil && row.Kind == record.KindSeen && !row.SessionID.IsZero() {
			s.add(row.SessionID, row.Size)
		}
	}
	return s, lines.Err()
}

func (s *Seen) add(id record.SessionID, size int64) {
	if !slices.Contains(s.sizes[id], size) {
		s.sizes[id] = append(s.sizes[id], size)
	}
}

// Has tells whether the session was read at its present size. A nil Seen has
// none.
func (s *Seen) Has(session *Session) bool {
	return s != nil && slices.Contains(s.sizes[record.NewSessionID(session.ID)], session.size())
}

// Mark remembers the sessions at the size they had when they were found. What
// was known of their ids before, and is not among them, is forgotten.
func (s *Seen) Mark(sessions []*Session) {
	for _, one := range sessions {
		delete(s.sizes, record.NewSessionID(one.ID))
	}
	for _, one := range sessions {
		s.add(record.NewSessionID(one.ID), one.size())
	}
}

// WriteTo writes a row a session and size, sorted.
func (s *Seen) WriteTo(w io.Writer) (int64, error) {
	var rows []record.Seen
	for id, sizes := range s.sizes {
		for _, size := range sizes {
			rows = append(rows, record.Seen{V: record.Version, Kind: record.KindSeen, SessionID: id, Size: size})
		}
	}
	slices.SortFunc(rows, func(a, b record.Seen) int {
		return cmp.Or(cmp.Compare(a.SessionID.String(), b.SessionID.String()), cmp.Compare(a.Size, b.Size))
	})
	var n int64
	for _, row := range rows {
		line, err := ndjson.Marshal(row)
		if err != nil {
			return n, err
		}
		written, err := w.Write(append(line, '\n'))
		n += int64(written)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
