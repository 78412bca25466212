package report

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retro/pkg/record"
)

// writeInstructions prints what every session pays for before it begins, held
// against the registry's budget where there is a registry. The budgets of the
// tiers are another matter: see writeLayout.
func (f *Figures) writeInstructions(w *bufio.Writer) {
	l := f.Layout
	if l == nil {
		return
	}
	fmt.Fprint(w, "\n## Instruction files\n\n")
	verdict := "within budget"
	if f.overBudget() {
		verdict = "OVER"
	}
	fmt.Fprintf(w, "- Total approx tokens: %s (budget %s, %s)\n", spaced(int64(l.AlwaysLoaded.Total)), spaced(int64(f.instructionBudget())), verdict)
	for _, file := range l.AlwaysLoaded.Files {
		via := ""
		if !file.Via.IsZero() {
			via = ", imported by " + span(file.Via.String())
		}
		fmt.Fprintf(w, "- %s: %s%s\n", span(file.File.String()), spaced(int64(file.Tokens)), via)
	}
	for _, file := range l.Scoped.Files {
		fmt.Fprintf(w, "- %s: %s, for some paths only\n", span(file.File.String()), spaced(int64(file.Tokens)))
	}
	fmt.Fprintf(w, "- Estimated: %s\n", text(l.Method))
}

// instructionBudget is the registry's budget for what is always loaded, the
// tier's own without a registry. Additions are paired by it.
func (f *Figures) instructionBudget() int {
	if f.Summary != nil && f.Summary.Thresholds != nil {
		return f.Summary.Thresholds.InstructionTokenBudget
	}
	return f.Layout.AlwaysLoaded.Budget
}

func (f *Figures) overBudget() bool {
	return f.Layout != nil && f.Layout.AlwaysLoaded.Total > f.instructionBudget()
}

func (f *Figures) writeLayout(w *bufio.Writer) {
	l := f.Layout
	if l == nil {
		return
	}
	fmt.Fprintf(w, "\n## Instruction layout\n\nBudgets from %s.\n\n", span(l.Config))
	t := table{columns: []column{{"tier", false}, {"files", true}, {"tokens", false}, {"budget", false}, {"over", false}}}
	over := "no"
	if l.AlwaysLoaded.Over {
		over = "yes"
	}
	t.row("always-loaded", strconv.Itoa(len(l.AlwaysLoaded.Files)), spaced(int64(l.AlwaysLoaded.Total)), spaced(int64(l.AlwaysLoaded.Budget)), over)
	tierRow(&t, "router", l.Router)
	tierRow(&t, "doc", l.Doc)
	tierRow(&t, "gotchas file", l.Gotchas)
	t.write(w)
	lists := layoutLists{w}
	lists.over(l.Over)
	lists.dated(l.Dated)
	lists.repeated(l.Repeated)
	lists.padding(l.Padding)
	lists.references("Missing @ imports:", l.Missing)
	lists.references("Globs that match no file:", l.Stale)
	lists.unwritten(l.Unwritten)
	lists.unreadable(l.Unreadable)
	if len(l.Structural) > 0 {
		fmt.Fprintf(w, "\n**Structural:** %s. Small edits cannot close this; the fix is %s.\n", text(strings.Join(l.Structural, "; ")), span(l.Call))
	}
}

func tierRow(t *table, tier string, files record.LayoutTier) {
	largest, over := 0, 0
	for _, f := range files.Files {
		largest = max(largest, f.Tokens)
		if f.Over {
			over++
		}
	}
	t.row(tier, strconv.Itoa(len(files.Files)), "largest "+spaced(int64(largest)), spaced(int64(files.Budget))+" each", strconv.Itoa(over))
}

// layoutLists prints the lists below the table; an empty one is left out.
type layoutLists struct{ w *bufio.Writer }

func (l layoutLists) print(head string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(l.w, "\n%s\n\n- %s\n", head, strings.Join(lines, "\n- "))
	}
}

func (l layoutLists) over(list []record.LayoutOver) {
	var lines []string
	for _, o := range list {
		what := "the always-loaded files together"
		if !o.File.IsZero() {
			what = span(o.File.String())
		}
		if o.Gotcha != "" {
			what += ", entry " + span(o.Gotcha)
		}
		lines = append(lines, fmt.Sprintf("%s: %s > %s %s", what, spaced(int64(o.Size)), spaced(int64(o.Budget)), o.Unit))
	}
	l.print("Over budget:", lines)
}

func (l layoutLists) dated(list []record.LayoutDated) {
	var lines []string
	for _, d := range list {
		at := make([]string, len(d.Lines))
		for i, n := range d.Lines {
			at[i] = strconv.Itoa(n)
		}
		more := ""
		if d.Count > len(at) {
			more = " ..."
		}
		lines = append(lines, fmt.Sprintf("%s: %d (line %s%s)", span(d.File.String()), d.Count, strings.Join(at, ", "), more))
	}
	l.print("Dated headings (a map turning into a changelog):", lines)
}

func (l layoutLists) repeated(list []record.LayoutRepeated) {
	var lines []string
	for _, r := range list {
		at := make([]string, len(r.Places))
		for i, p := range r.Places {
			at[i] = place(p)
		}
		lines = append(lines, fmt.Sprintf("%s: %s characters", strings.Join(at, ", "), spaced(int64(r.Characters))))
	}
	l.print("Paragraphs repeated across always-loaded files:", lines)
}

func (l layoutLists) padding(list []record.LayoutPadding) {
	var lines []string
	for _, p := range list {
		lines = append(lines, fmt.Sprintf("%s: %s bytes", span(p.File.String()), spaced(int64(p.Bytes))))
	}
	l.print("Table padding (runs of spaces in table rows):", lines)
}

func (l layoutLists) references(head string, list []record.LayoutReference) {
	var lines []string
	for _, r := range list {
		lines = append(lines, span(r.Target)+" in "+place(r.LayoutPlace))
	}
	l.print(head, lines)
}

func (l layoutLists) unwritten(list []record.LayoutPlace) {
	var lines []string
	for _, p := range list {
		lines = append(lines, place(p))
	}
	l.print("Waiting for a person to write them:", lines)
}

func (l layoutLists) unreadable(list []record.LayoutUnreadable) {
	var lines []string
	for _, u := range list {
		lines = append(lines, span(u.File.String())+": "+text(u.Reason))
	}
	l.print("Not readable, and counted as empty:", lines)
}

func place(p record.LayoutPlace) string { return span(fmt.Sprintf("%s:%d", p.File, p.Line)) }

// writeGotchas prints what there is of gotchas, when the layout tells, and what
// became of those that were shown.
func (f *Figures) writeGotchas(w *bufio.Writer) {
	if len(f.Gotchas) == 0 && len(f.Entries) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Gotchas\n\n")
	if f.Layout != nil {
		f.writeEntries(w)
	}
	if len(f.Gotchas) == 0 {
		return
	}
	t := table{columns: []column{{"gotcha", false}, {"surfaced", true}, {"sessions", true}, {"episodes", true}, {"sessions with a build retry on its command", true}}}
	for _, g := range f.Gotchas {
		id := code(g.Gotcha.String())
		if f.Layout != nil && f.entry(g.Gotcha.String()) == nil {
			id += " (removed)"
		}
		t.row(id, strconv.Itoa(g.Surfaced), strconv.Itoa(g.Sessions), strconv.Itoa(g.Episodes), strconv.Itoa(g.RetrySessions))
	}
	t.write(w)
}

func (f *Figures) writeEntries(w *bufio.Writer) {
	invalid := 0
	var lines, stale []string
	for _, e := range f.Entries {
		if len(e.Missing) > 0 {
			invalid++
			lines = append(lines, fmt.Sprintf("- Invalid, shown to nobody: %s in %s lacks %s\n", span(e.Gotcha), place(e.LayoutPlace), strings.Join(e.Missing, ", ")))
		}
		if e.Stale {
			stale = append(stale, e.Gotcha)
		}
	}
	ids := "none"
	if len(stale) > 0 {
		ids = names(stale)
	}
	fmt.Fprintf(w, "- Entries: %d; invalid: %d; stale (paths match no file): %s\n%s", len(f.Entries), invalid, ids, strings.Join(lines, ""))
	if len(f.Gotchas) > 0 {
		fmt.Fprintln(w)
	}
}

// entry is the entry with the id as it stands in the files; nil for none.
func (f *Figures) entry(id string) *record.GotchaEntry {
	// A decision names an entry in the narrow form of a name.
	at := slices.IndexFunc(f.Entries, func(e *record.GotchaEntry) bool { return record.NewName(e.Gotcha).String() == id })
	if at < 0 {
		return nil
	}
	return f.Entries[at]
}
