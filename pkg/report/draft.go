package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Draft is a retrospective as far as a program can write it: what there is to
// look at, with a number for each finding. What it means and what is done about
// it a person writes.
type Draft struct {
	// Date is the day of the retrospective, 2026-03-01.
	Date string
	// LastFinding is the highest number that earlier retrospectives gave a
	// finding.
	LastFinding int
	// Before are the figures to compare with; nil for none.
	Before *record.Metrics
	// Memory are the memory files that changed in the period; nil when nobody
	// looked.
	Memory []MemoryFile
	// Cases are the cases of the hook corpus; nil when nobody looked.
	Cases []record.Case

	now         *record.Metrics
	corrections []*record.Correction
	blocks      []*record.Block
	verdicts    []*record.CaseVerdict
	leftovers   leftovers
}

// MemoryFile is a file that agents keep notes in.
type MemoryFile struct {
	Name    string // relative to the directory
	Size    int64  // in bytes
	Changed time.Time
}

// Add takes a line that holds a record of the kind; kinds that a draft does not
// speak of are passed over.
func (d *Draft) Add(kind record.Kind, line []byte) error {
	var into any
	var keep func()
	switch kind {
	case record.KindMetrics:
		m := new(record.Metrics)
		into, keep = m, func() { d.now = m }
	case record.KindCorrection:
		c := new(record.Correction)
		into, keep = c, func() { d.correction(c) }
	case record.KindBlock:
		b := new(record.Block)
		into, keep = b, func() { d.blocks = append(d.blocks, b) }
	case record.KindCaseVerdict:
		v := new(record.CaseVerdict)
		into, keep = v, func() { d.verdicts = append(d.verdicts, v) }
	case record.KindLeftover:
		l := new(record.Leftover)
		into, keep = l, func() { d.leftovers.add(l) }
	default:
		return nil
	}
	if ndjson.Unmarshal(line, into) != nil {
		return errRecord
	}
	keep()
	return nil
}

// SetMetrics gives the figures of the period, when they are not in the stream.
func (d *Draft) SetMetrics(m *record.Metrics) { d.now = m }

// Period is the period of the figures, zero when there are none.
func (d *Draft) Period() record.MetricsPeriod {
	if d.now == nil {
		return record.MetricsPeriod{}
	}
	return d.now.Period
}

// correction keeps a candidate once: a copy of the history holds it again.
func (d *Draft) correction(c *record.Correction) {
	again := func(old *record.Correction) bool {
		return old.ID == c.ID || !c.Anchor.IsZero() && old.Anchor == c.Anchor && old.TS == c.TS
	}
	if !slices.ContainsFunc(d.corrections, again) {
		d.corrections = append(d.corrections, c)
	}
}

var findingNumber = regexp.MustCompile(`\bRT-([0-9]{1,6})\b`)

// LastFinding is the highest number of a finding `RT-n` in a text, 0 for none.
func LastFinding(text []byte) (last int) {
	for _, m := range findingNumber.FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err == nil {
			last = max(last, n)
		}
	}
	return last
}

//go:embed draft.md.tmpl
var builtinTemplate string

// DraftTemplate is the built-in template of a draft.
func DraftTemplate() string { return builtinTemplate }

// draftFields are what a template may use. All but Date are Markdown with a
// line end.
type draftFields struct {
	Date, Sources, Figures, Findings, Corrections, Blocks, Leftovers, Memory, KnownErrors, NotMeasured string
}

var errTemplate = errors.New("not a template of a draft: its fields are .Date, .Sources, .Figures, .Findings, .Corrections, .Blocks, .Leftovers, .Memory, .KnownErrors and .NotMeasured")

// Write prints the draft by a template of text/template.
func (d *Draft) Write(w io.Writer, templateText string) error {
	t, err := template.New("draft").Parse(templateText)
	if err != nil {
		return errTemplate
	}
	var out bytes.Buffer
	if t.Execute(&out, d.fields()) != nil {
		return errTemplate
	}
	_, err = w.Write(out.Bytes())
	return err
}

func (d *Draft) fields() draftFields {
	section := func(write func(*bufio.Writer)) string {
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		write(w)
		w.Flush()
		return b.String()
	}
	return draftFields{
		Date: text(d.Date), Sources: section(d.writeSources), Figures: section(d.writeFigures), Findings: section(d.writeFindings),
		Corrections: section(d.writeCorrections), Blocks: section(d.writeBlocks), Leftovers: section(d.writeLeftovers),
		Memory: section(d.writeMemory), KnownErrors: section(d.writeKnownErrors), NotMeasured: section(d.writeNotMeasured),
	}
}

// writeSources says of what period the draft is and what it was made of.
func (d *Draft) writeSources(w *bufio.Writer) {
	if d.now == nil {
		w.WriteString("No figures were given.\n")
		return
	}
	fmt.Fprintf(w, "- Project: %s\n- Period: %s, days of %s\n", code(d.now.Project.String()), periodText(d.now.Period), text(zoneText(d.now.Period)))
	s := &d.now.Sources
	fmt.Fprintf(w, "- Read: %s in %s, %s of transcript\n", count(s.Sessions, "session"), count(int(s.Files), "file"), bytesText(s.Bytes))
	if !s.First.IsZero() {
		fmt.Fprintf(w, "- Records: %s to %s\n", minute(s.First), minute(s.Last))
	}
	if len(s.Projects) > 1 {
		fmt.Fprintf(w, "- Working directories that sessions began in: %s\n", namesText(s.Projects))
	}
	if d.Before != nil {
		fmt.Fprintf(w, "- Compared with: %s\n", sliceText(d.Before))
	}
}

func zoneText(p record.MetricsPeriod) string {
	if p.Zone.IsZero() {
		return "UTC"
	}
	return p.Zone.String()
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func namesText(list []record.Count) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprintf("%s (%d)", code(c.Name.String()), c.Count)
	}
	return strings.Join(parts, ", ")
}

func (d *Draft) writeFigures(w *bufio.Writer) {
	if d.now == nil {
		w.WriteString("None were given.\n")
		return
	}
	Compare(d.now, d.Before).write(w)
}
