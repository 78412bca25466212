package report

import (
	"bufio"
	"fmt"
	"strings"

	"retro/pkg/record"
)

// writeCoverage says what the figures stand on, before any of them is told.
func (f *Figures) writeCoverage(w *bufio.Writer) {
	c := f.Coverage
	if c == nil {
		return
	}
	fmt.Fprint(w, "\n## Coverage\n\n")
	fmt.Fprintf(w, "- Sessions read: %s, from %s\n", spaced(int64(c.Sessions)), count(c.Files, "file"))
	if c.Days > 0 {
		fmt.Fprintf(w, "- Days with a session: %s of %s\n", spaced(int64(c.DaysCovered)), spaced(int64(c.Days)))
	}
	if !c.Oldest.IsZero() {
		fmt.Fprintf(w, "- Oldest session: %s. Earlier days are unknown, not calm: agents delete old transcripts (Claude Code after 30 days, unless set otherwise)\n", c.Oldest)
	}
	if len(c.Skipped) > 0 {
		var reasons []string
		for _, s := range c.Skipped {
			reasons = append(reasons, fmt.Sprintf("%s %d", span(s.Reason), s.Count))
		}
		fmt.Fprintf(w, "- Sessions that could not be read: %s\n", strings.Join(reasons, ", "))
	}
	writeCounts(w, "Malformed lines", c.Malformed)
	writeCounts(w, "Copies and foreign records left out", c.Dropped)
	for _, line := range []struct {
		n    int
		text string
	}{
		{c.Live, "Sessions still being written: %s"},
		{c.Automated, "Sessions driven by a program: %s, left out of the friction figures"},
		{c.Unjudged, "Sessions without a verdict: %s"},
		{c.Unrecorded, "Sessions known from hooks or verdicts alone: %s"},
	} {
		if line.n > 0 {
			fmt.Fprintf(w, "- "+line.text+"\n", spaced(int64(line.n)))
		}
	}
	if n := f.Summary.RulesOff; n > 0 && f.Summary.Registry == record.RegistryPresent {
		fmt.Fprintf(w, "- Sessions scanned without the registry: %s, left out of the figures about rules\n", spaced(int64(n)))
	}
	if c.WithoutFacts > 0 && f.Summary.Registry == record.RegistryPresent {
		fmt.Fprintf(w, "- Sessions scanned without a look at the project (`retro-scan --root .`): %s. Unknown of them: searches past the code graph, edits without an open change, defects, and what came of warnings\n", spaced(int64(c.WithoutFacts)))
	}
	if n := len(c.ConfigHash); n > 1 {
		fmt.Fprintf(w, "- Scanned with %d different configurations: their figures are not quite comparable\n", n)
	}
}

func writeCounts(w *bufio.Writer, title string, counts []record.Count) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%s %s", span(c.Name.String()), spaced(int64(c.Count))))
	}
	fmt.Fprintf(w, "- %s: %s\n", title, strings.Join(parts, ", "))
}
