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
	figures  Figures
	verdicts []*record.Verdict
	places   map[string]int // of a session in verdicts

	leftovers leftovers
}

var errRecord = errors.New("not a record of its kind")

// Add takes a line that holds a record of the kind. An error means that the
// record is not what its kind says; it is left out.
func (b *Builder) Add(kind record.Kind, line []byte) error {
	switch kind {
	case record.KindBucket:
		return b.figures.add(line)
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
	Figures
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
	return &Report{Figures: b.figures, Sessions: sessions, Leftovers: b.leftovers.repositories}
}

// WriteMarkdown prints the report: the sections whose records are there, in a
// fixed order. Verdicts alone give the table of sessions alone.
func (r *Report) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	var parts []func()
	if r.any() {
		parts = append(parts, func() { r.writeFigures(out) })
	}
	if len(r.Sessions) > 0 || !r.any() && len(r.Leftovers) == 0 {
		parts = append(parts, func() { writeSessions(out, r.Sessions) })
	}
	if len(r.Leftovers) > 0 {
		parts = append(parts, func() { writeLeftovers(out, r.Leftovers) })
	}
	for i, write := range parts {
		if i > 0 {
			out.WriteByte('\n')
		}
		write()
	}
	return out.Flush()
}

// writeFigures prints the sections about buckets, each of which begins with an
// empty line. Of a stream without its summary the other sections are printed.
func (r *Report) writeFigures(out *bufio.Writer) {
	out.WriteString("# Retro report\n")
	if r.Summary == nil {
		part := *r
		part.Summary = &record.Summary{Registry: record.RegistryPresent}
		part.writeSections(out)
		return
	}
	out.WriteString("\n" + r.Opener() + "\n")
	if off := r.measurementOff(); off != "" {
		out.WriteString("\n" + off + "\n")
	}
	r.writeWindow(out)
	r.writeSections(out)
}

// writeSections prints the sections behind the window.
func (r *Report) writeSections(out *bufio.Writer) {
	for _, section := range []func(*bufio.Writer){
		r.writeCoverage, r.writeFriction,
		r.writeRules, r.writeDecisions, r.writeClusters, r.writeRetries, r.writeTokens, r.writeAdherence,
		r.writeInstructions, r.writeLayout, r.writeGotchas, r.writeArchives, r.writeUnmeasured, r.writePrune,
	} {
		section(out)
	}
}
