package corpus

import (
	"bytes"
	"strings"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Corpus is a file of segments.
type Corpus struct {
	Segments []Segment
	// Faults are the lines that could not be read: each is a case lost, so a
	// run must not pass over them.
	Faults []Fault
	text   []byte
}

// Segment is a head and its cases.
type Segment struct {
	record.Segment
	Line  int // of the head in the file, counted from 1
	Cases []Case
}

// Case is a case with its place in the file.
type Case struct {
	record.Case
	Line int
}

// Fault is a line that could not be used.
type Fault struct {
	Line    int
	Message string
}

// Read reads a corpus; an empty one has no segments. It keeps the text.
func Read(text []byte) *Corpus {
	c := &Corpus{text: text}
	lines := ndjson.NewLines(bytes.NewReader(text))
	for lines.Next() {
		line := lines.Line()
		if len(bytes.TrimSpace(line.Bytes)) == 0 {
			continue
		}
		if message := c.add(line); message != "" {
			c.Faults = append(c.Faults, Fault{line.Number, message})
		}
	}
	return c
}

// add reads one line; a head is known by its home, a case by its id.
func (c *Corpus) add(line *ndjson.Line) (fault string) {
	var kind struct {
		Home *string `json:"home"`
		ID   *string `json:"id"`
	}
	if line.Shortened || line.Lost || ndjson.Unmarshal(line.Bytes, &kind) != nil {
		return "neither a segment nor a case"
	}
	if kind.ID == nil && kind.Home != nil {
		return c.addSegment(line)
	}
	one := Case{Line: line.Number}
	switch {
	case ndjson.Unmarshal(line.Bytes, &one.Case) != nil || one.ID.IsZero():
		return "neither a segment nor a case"
	case len(c.Segments) == 0:
		return "a case before the first segment"
	case one.Skip.IsZero() && one.Expected.IsZero():
		return "a case without an expected answer"
	case c.has(one.ID.String()):
		return "a case of this id came before"
	}
	s := &c.Segments[len(c.Segments)-1]
	s.Cases = append(s.Cases, one)
	return ""
}

func (c *Corpus) addSegment(line *ndjson.Line) (fault string) {
	s := Segment{Line: line.Number}
	if ndjson.Unmarshal(line.Bytes, &s.Segment) != nil {
		return "not a segment"
	}
	s.Home = strings.TrimRight(s.Home, "/")
	c.Segments = append(c.Segments, s)
	if err := checkLayout(s.Layout, s.Home); err != nil {
		return err.Error()
	}
	return ""
}

func (c *Corpus) has(id string) bool {
	for i := range c.Segments {
		for j := range c.Segments[i].Cases {
			if c.Segments[i].Cases[j].ID.String() == id {
				return true
			}
		}
	}
	return false
}
