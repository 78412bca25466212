package report

import (
	"bufio"
	"fmt"
	"strconv"

	"retro/pkg/record"
)

func (f *Figures) writeClusters(w *bufio.Writer) {
	if len(f.Clusters) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Path clusters\n\n")
	t := table{columns: []column{{"pattern", false}, {"rule", false}, {"events", true}, {"sessions", true}}}
	for _, c := range f.Clusters {
		t.row(code(c.Pattern.String()), nameCell(c.Rule.String()), strconv.Itoa(c.Events), strconv.Itoa(c.Sessions))
	}
	t.write(w)
}

func (f *Figures) writeRetries(w *bufio.Writer) {
	if len(f.Retries) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Build retries\n\n")
	t := table{columns: []column{{"program", false}, {"hash", false}, {"runs", true}, {"errors", true}, {"sessions", true}}}
	for _, r := range f.Retries {
		t.row(code(r.Program.String()), code(r.Hash.String()), strconv.Itoa(r.Runs), strconv.Itoa(r.Errors), strconv.Itoa(r.Sessions))
	}
	t.write(w)
}

func (f *Figures) writeTokens(w *bufio.Writer) {
	t := f.Tokens
	if t == nil {
		return
	}
	m := t.MeanPerSession
	fmt.Fprint(w, "\n## Tokens\n\n")
	fmt.Fprintf(w, "- Sessions with usage: %s\n", spaced(int64(t.SessionsWithUsage)))
	if t.SessionsWithUsage == 0 {
		return
	}
	fmt.Fprintf(w, "- Mean per session: %s total, %s input, %s output, %s cache read, %s cache create\n",
		spaced(m.Total), spaced(m.Input), spaced(m.Output), spaced(m.CacheRead), spaced(m.CacheCreate))
	if b := t.BeforeAfter; b != nil {
		fmt.Fprintf(w, "- Before / after %s: %s / %s (%d / %d sessions)\n", b.Since, spaced(int64(b.RateBefore)), spaced(int64(b.RateAfter)), b.SessionsBefore, b.SessionsAfter)
	}
	f.writeTokenChart(w)
}

func (f *Figures) writeAdherence(w *bufio.Writer) {
	a := f.Adherence
	if a == nil || f.Summary.Registry != record.RegistryPresent {
		return
	}
	fmt.Fprint(w, "\n## Workflow adherence\n\n")
	fmt.Fprintf(w, "- Editing sessions: %s\n", spaced(int64(a.EditingSessions)))
	reviewed := percent(a.Reviewed)
	if i := interval(a.Reviewed); i != "" {
		reviewed += "; " + i
	}
	fmt.Fprintf(w, "- Of those, reviewed or verified with a review skill: %s (%s)\n", spaced(int64(a.Reviewed.Count)), reviewed)
	fmt.Fprintf(w, "- User corrections detected (heuristic, supporting only): %s\n", spaced(int64(a.UserCorrections)))
}

func (f *Figures) writeArchives(w *bufio.Writer) {
	a := f.Archives
	if a == nil {
		return
	}
	fmt.Fprint(w, "\n## Archived changes\n\n")
	fmt.Fprintf(w, "- Archived changes: %s\n", spaced(int64(a.ArchivedChanges)))
	fmt.Fprintf(w, "- Mean tasks per change: %s\n", strconv.FormatFloat(a.MeanTasksPerChange, 'f', 1, 64))
	fmt.Fprintf(w, "- Share with a Review Fixes section: %s\n", percent(a.ReviewFixes))
	fmt.Fprintf(w, "- Share archived with unchecked tasks: %s\n", percent(a.Incomplete))
	if len(a.MostReferenced) > 0 {
		fmt.Fprint(w, "- Most referenced paths:\n")
		for _, p := range a.MostReferenced {
			fmt.Fprintf(w, "  - %s (%s)\n", span(p.Path), count(p.Changes, "change"))
		}
	}
}
