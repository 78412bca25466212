package transcript

import (
	"cmp"

	"retro/pkg/ndjson"
)

// Pace is how a session is read: in what pieces, and by how many at a time. It
// changes nothing that is delivered. What is zero has the common value.
type Pace struct {
	// Parsers is how many goroutines parse the lines of a large file ahead of
	// the one that delivers them; 0 for none.
	Parsers int
	// Large is the size from which a file is parsed ahead, in bytes: below 16
	// MiB, whole files over workers do as well.
	Large int64
	// Chunk is how many bytes are asked for at a time.
	Chunk int
	// BatchBytes and BatchLines bound what a parser takes at a time.
	BatchBytes, BatchLines int
}

func (p Pace) withDefaults() Pace {
	p.Large = cmp.Or(p.Large, 16<<20)
	p.BatchBytes = cmp.Or(p.BatchBytes, 256<<10)
	p.BatchLines = cmp.Or(p.BatchLines, 128)
	return p
}

// batch is a run of lines on its way from the splitter over a parser to the
// adapter. Batches are used again.
type batch struct {
	lines []ndjson.Line
	text  []byte
	long  []byte // the buffer for long lines, while the batch is such a line
	recs  []claudeRecord
	whole []bool
	done  chan struct{}
}

// splitter cuts a file into batches. A line longer than BatchBytes is a batch
// by itself, and there is one buffer for such lines: were they copied into the
// batches, each of these would keep one of several MB.
type splitter struct {
	lines   *ndjson.Lines
	pace    Pace
	pending bool        // the line at hand is not in a batch yet
	longs   chan []byte // holds the buffer for long lines when it is free
}

// readAhead reads the rest of a file with its lines parsed by several
// goroutines. Finding line ends and parsing take most of the time and need no
// order; everything that has a state, the adapter and all observers, stays on
// the calling goroutine and sees the lines one after the other.
func readAhead(c *claude, lines *ndjson.Lines, pace Pace) {
	parsers := pace.Parsers
	work := make(chan *batch, parsers)
	// Four batches beside those being parsed keep the adapter busy while the
	// splitter waits for a page: 1.5x on two processors, with two 1.3x.
	spare := make(chan *batch, parsers+4)
	order := make(chan *batch, cap(spare))
	for range cap(spare) {
		spare <- &batch{done: make(chan struct{}, 1)}
	}
	for range parsers {
		go func() {
			var walker ndjson.Walker
			for b := range work {
				b.parse(&walker)
				b.done <- struct{}{}
			}
		}()
	}
	split := &splitter{lines: lines, pace: pace, longs: make(chan []byte, 1)}
	split.longs <- nil
	go func() {
		defer close(order)
		defer close(work)
		for b := range spare {
			if !split.fill(b) {
				return
			}
			order <- b
			work <- b
		}
	}()
	for b := range order {
		<-b.done
		b.deliver(c)
		if b.long != nil {
			split.longs <- b.long
			b.long = nil
		}
		spare <- b
	}
}

// fill takes the next lines. Their text is copied, since the reader goes on.
func (s *splitter) fill(b *batch) bool {
	b.lines, b.text = b.lines[:0], b.text[:0]
	for len(b.lines) < s.pace.BatchLines && len(b.text) < s.pace.BatchBytes && (s.pending || s.lines.Next()) {
		s.pending = false
		l := *s.lines.Line()
		if len(l.Bytes) > s.pace.BatchBytes {
			if s.pending = len(b.lines) > 0; s.pending {
				break
			}
			b.long = append((<-s.longs)[:0], l.Bytes...)
			l.Bytes = b.long
			b.lines = append(b.lines, l)
			return true
		}
		b.text = append(b.text, l.Bytes...)
		b.lines = append(b.lines, l)
	}
	// Growing moves the text, so the lines are pointed at it only now.
	at := 0
	for i := range b.lines {
		n := len(b.lines[i].Bytes)
		b.lines[i].Bytes = b.text[at : at+n : at+n]
		at += n
	}
	return len(b.lines) > 0
}

// parse indexes every line.
func (b *batch) parse(w *ndjson.Walker) {
	for len(b.recs) < len(b.lines) {
		b.recs, b.whole = append(b.recs, claudeRecord{}), append(b.whole, false)
	}
	for i := range b.lines {
		b.whole[i] = b.recs[i].parse(w, trimSpace(b.lines[i].Bytes))
	}
}

// deliver hands the lines to the adapter. A line that did not parse takes the
// common way, which knows what to do with it.
func (b *batch) deliver(c *claude) {
	for i := range b.lines {
		if !b.whole[i] {
			c.line(&b.lines[i])
			continue
		}
		c.rec = &b.recs[i]
		c.parsed(&b.lines[i], trimSpace(b.lines[i].Bytes), true)
	}
}
