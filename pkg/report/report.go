package report

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Builder collects the records of a report.
type Builder struct {
	verdicts []*record.Verdict
	places   map[string]int // of a session in verdicts

	leftovers leftovers
}

var errRecord = errors.New("not a record of its kind")

// Add takes a line that holds a record of the kind. An error means that the
// record is not what its kind says; it is left out.
func (b *Builder) Add(kind record.Kind, line []byte) error {
	switch kind {
	case record.KindVerdict:
		v := new(record.Verdict)
		if err := ndjson.Unmarshal(line, v); err != nil {
			return errRecord
		}
		b.verdict(v)
	case record.KindLeftover:
		row := new(record.Leftover)
		if err := ndjson.Unmarshal(line, row); err != nil {
			return errRecord
		}
		b.leftovers.add(row)
	}
	return nil
}

// verdict keeps the last verdict of a session: a second one is made when more
// of the session is known.
func (b *Builder) verdict(v *record.Verdict) {
	if b.places == nil {
		b.places = make(map[string]int)
	}
	at, known := b.places[v.SessionID.String()]
	if known {
		b.verdicts[at] = v
		return
	}
	b.places[v.SessionID.String()] = len(b.verdicts)
	b.verdicts = append(b.verdicts, v)
}

// Report is what is going to be printed, section by section.
type Report struct {
	// Sessions are the verdicts, highest score first.
	Sessions []*record.Verdict
	// Leftovers are what closed tasks left behind, by repository.
	Leftovers []Repository
}

// Report arranges what was collected.
func (b *Builder) Report() *Report {
	sessions := slices.Clone(b.verdicts)
	slices.SortStableFunc(sessions, func(a, b *record.Verdict) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.SessionID.String(), b.SessionID.String()))
	})
	return &Report{Sessions: sessions, Leftovers: b.leftovers.repositories}
}

// WriteMarkdown prints the report.
func (r *Report) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	if len(r.Sessions) > 0 || len(r.Leftovers) == 0 {
		writeSessions(out, r.Sessions)
	}
	if len(r.Sessions) > 0 && len(r.Leftovers) > 0 {
		out.WriteByte('\n')
	}
	writeLeftovers(out, r.Leftovers)
	return out.Flush()
}
