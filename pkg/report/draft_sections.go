package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"retro/pkg/record"
)

// found is a finding: something to look at, and what shows it.
type found struct{ title, evidence string }

// writeFindings numbers the findings, continuing the running number.
func (d *Draft) writeFindings(w *bufio.Writer) {
	list := d.findings()
	if len(list) == 0 {
		w.WriteString("Nothing that a program could see. The next number is " + d.number(0) + ".\n")
		return
	}
	for i, f := range list {
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(w, "### %s %s\n\n- Evidence: %s\n- Cause:\n- Decision:\n", d.number(i), f.title, f.evidence)
	}
}

// number is the number of the i-th finding of this draft.
func (d *Draft) number(i int) string {
	last := d.LastFinding
	for _, c := range d.Cases {
		last = max(last, LastFinding([]byte(c.Known.String())))
	}
	for _, v := range d.verdicts {
		last = max(last, LastFinding([]byte(v.Known.String())))
	}
	return fmt.Sprintf("RT-%d", last+1+i)
}

// findings are what is surely worth a look: the hook corpus first, because it
// is proven, and what words alone show last.
func (d *Draft) findings() (list []found) {
	for _, v := range d.verdicts {
		switch {
		case v.Fault != "":
			list = append(list, found{"The hook gave no answer to case " + code(v.ID.String()), text(v.Fault)})
		case v.Result == record.CaseFail:
			list = append(list, found{"The hook answers case " + code(v.ID.String()) + " wrongly", fmt.Sprintf("expected %s, got %s", v.Want, v.Got)})
		case v.Result == record.CaseKnownFixed:
			list = append(list, found{"The known error " + code(v.Known.String()) + " no longer shows", "case " + code(v.ID.String()) + ": the mark has to go"})
		}
	}
	for _, hook := range d.byHook() {
		if n := d.unlabelled(hook.blocks); n > 0 {
			list = append(list, found{"The hook " + code(hook.name) + " blocked " + count(len(hook.blocks), "call"),
				fmt.Sprintf("%d of them not in the hook corpus yet: were they right?", n)})
		}
	}
	list = append(list, d.rises()...)
	for _, g := range d.byMarker() {
		if len(g.corrections) >= fewestCorrections {
			list = append(list, found{fmt.Sprintf("%s marked %s", counted(len(g.corrections), "prompt", "prompts"), code(g.marker)), "candidates, listed under the corrections"})
		}
	}
	return list
}

// Bounds under which a draft concludes nothing.
const (
	fewestCorrections = 3   // of one marker: fewer are single words
	fewestSessions    = 10  // in both periods, for a rate to be compared
	fewestEvents      = 10  // of the new period
	steepRise         = 1.5 // of the rate per session
)

// worse are the figures that are better low.
var worse = []struct{ key, words string }{
	{"hook_blocks", "blocks by hooks"}, {"classifier_denials", "denials by the classifier"}, {"owner_rejections", "rejections by the owner"},
	{"interrupts", "interrupts"}, {"tool_errors", "tool errors"}, {"recalls", "calls to read again"}, {"compactions", "compactions"},
}

// rises are figures whose rate per session rose steeply; a short or thin period
// shows none.
func (d *Draft) rises() (list []found) {
	if d.now == nil || d.Before == nil {
		return nil
	}
	sessions, known := d.now.Metrics.Find("sessions")
	sessionsBefore, knownBefore := d.Before.Metrics.Find("sessions")
	if !known || !knownBefore || min(sessions.Value, sessionsBefore.Value) < fewestSessions {
		return nil
	}
	for _, row := range Compare(d.now, d.Before).Rows {
		i := slices.IndexFunc(worse, func(f struct{ key, words string }) bool { return f.key == row.Key })
		if i < 0 || row.Change == "" {
			continue
		}
		now, _ := d.now.Metrics.Find(row.Key)
		before, _ := d.Before.Metrics.Find(row.Key)
		rate, rateBefore := now.Value/sessions.Value, before.Value/sessionsBefore.Value
		if now.Value >= fewestEvents && rate >= steepRise*rateBefore {
			list = append(list, found{"More " + worse[i].words, fmt.Sprintf("%.2f a session (%s in %s), before %.2f (%s in %s)",
				rate, row.Now, number(sessions.Value), rateBefore, row.Before, number(sessionsBefore.Value))})
		}
	}
	return list
}

// hookBlocks are the blocks of one hook.
type hookBlocks struct {
	name   string
	blocks []*record.Block
}

func (d *Draft) byHook() (list []hookBlocks) {
	for _, b := range d.blocks {
		i := slices.IndexFunc(list, func(h hookBlocks) bool { return h.name == b.Hook.String() })
		if i < 0 {
			i = len(list)
			list = append(list, hookBlocks{name: b.Hook.String()})
		}
		list[i].blocks = append(list[i].blocks, b)
	}
	slices.SortFunc(list, func(a, b hookBlocks) int { return cmp.Compare(a.name, b.name) })
	return list
}

// unlabelled counts the blocks that no case of the corpus came of.
func (d *Draft) unlabelled(blocks []*record.Block) (n int) {
	for _, b := range blocks {
		if !slices.ContainsFunc(d.Cases, func(c record.Case) bool { return c.ID == b.ID }) {
			n++
		}
	}
	return n
}

// markerGroup are the candidates whose first marker is the same.
type markerGroup struct {
	marker      string
	corrections []*record.Correction
}

// byMarker puts every candidate under its first marker; the largest group comes
// first.
func (d *Draft) byMarker() (list []markerGroup) {
	for _, c := range d.corrections {
		marker := "none"
		if len(c.Markers) > 0 {
			marker = c.Markers[0].String()
		}
		i := slices.IndexFunc(list, func(g markerGroup) bool { return g.marker == marker })
		if i < 0 {
			i = len(list)
			list = append(list, markerGroup{marker: marker})
		}
		list[i].corrections = append(list[i].corrections, c)
	}
	slices.SortFunc(list, func(a, b markerGroup) int {
		return cmp.Or(len(b.corrections)-len(a.corrections), cmp.Compare(a.marker, b.marker))
	})
	return list
}

func (d *Draft) writeCorrections(w *bufio.Writer) {
	if len(d.corrections) == 0 {
		w.WriteString("No candidates were given.\n")
		return
	}
	fmt.Fprintf(w, "%s by their first marker; a person decides which are corrections.\n", counted(len(d.corrections), "candidate", "candidates"))
	for _, g := range d.byMarker() {
		fmt.Fprintf(w, "\n### %s: %d\n\n", code(g.marker), len(g.corrections))
		for _, c := range g.corrections {
			writeCorrection(w, c)
		}
	}
}

func writeCorrection(w *bufio.Writer, c *record.Correction) {
	fmt.Fprintf(w, "- %s, session %s: %s\n", minute(c.TS), code(c.SessionID.String()), quoted(c.Prompt.String()))
	if !c.LastAction.IsZero() {
		fmt.Fprintf(w, "  - after: %s\n", quoted(c.LastAction.String()))
	}
	if !c.Tail.IsZero() {
		fmt.Fprintf(w, "  - it had said: %s\n", quoted(c.Tail.String()))
	}
}

// quoted is text of a session on one line between quotation marks.
func quoted(s string) string { return `"` + strings.Join(strings.Fields(text(s)), " ") + `"` }

func (d *Draft) writeBlocks(w *bufio.Writer) {
	if len(d.blocks) == 0 {
		w.WriteString("No blocks were given.\n")
		return
	}
	t := &table{columns: []column{{name: "id"}, {name: "hook"}, {name: "tool"}, {name: "message"}, {name: "in the corpus"}}}
	for _, h := range d.byHook() {
		for _, b := range h.blocks {
			known := "no"
			if d.unlabelled([]*record.Block{b}) == 0 {
				known = "yes"
			}
			message, _, _ := strings.Cut(b.Message.String(), "\n")
			t.row(code(b.ID.String()), code(h.name), code(b.ToolName.String()), text(message), known)
		}
	}
	t.write(w)
}

// writeLeftovers is the section of the report, its headings one level deeper.
func (d *Draft) writeLeftovers(w *bufio.Writer) {
	if len(d.leftovers.repositories) == 0 {
		w.WriteString("No leftovers were given.\n")
		return
	}
	var section strings.Builder
	inner := bufio.NewWriter(&section)
	writeLeftovers(inner, d.leftovers.repositories)
	inner.Flush()
	w.WriteString(strings.TrimPrefix(section.String(), "## Leftovers\n\n"))
}

func (d *Draft) writeMemory(w *bufio.Writer) {
	switch {
	case d.Memory == nil:
		w.WriteString("Not looked at.\n")
		return
	case len(d.Memory) == 0:
		w.WriteString("No memory file changed in the period.\n")
		return
	}
	t := &table{columns: []column{{name: "file"}, {name: "size", numbers: true}, {name: "changed"}}}
	for _, f := range d.Memory {
		t.row(span(f.Name), bytesText(f.Size), f.Changed.UTC().Format(time.DateOnly))
	}
	t.write(w)
}

// writeKnownErrors lists the known errors that show, by the run of the corpus
// when there was one, else as the corpus marks them.
func (d *Draft) writeKnownErrors(w *bufio.Writer) {
	type known struct {
		id    string
		cases []string
	}
	var list []known
	add := func(id record.Identifier, one record.Identifier) {
		i := slices.IndexFunc(list, func(k known) bool { return k.id == id.String() })
		if i < 0 {
			i = len(list)
			list = append(list, known{id: id.String()})
		}
		list[i].cases = append(list[i].cases, code(one.String()))
	}
	for _, v := range d.verdicts {
		if v.Result == record.CaseKnown {
			add(v.Known, v.ID)
		}
	}
	if d.verdicts == nil {
		for _, c := range d.Cases {
			if !c.Known.IsZero() {
				add(c.Known, c.ID)
			}
		}
	}
	switch {
	case d.verdicts == nil && d.Cases == nil:
		w.WriteString("The hook corpus was not looked at.\n")
	case len(list) == 0:
		w.WriteString("None.\n")
	}
	for _, k := range list {
		fmt.Fprintf(w, "- %s: %s\n", code(k.id), strings.Join(k.cases, ", "))
	}
}

// writeNotMeasured says what the draft does not know, so that nobody takes it
// for quiet.
func (d *Draft) writeNotMeasured(w *bufio.Writer) {
	var gaps []string
	gap := func(is bool, format string, args ...any) {
		if is {
			gaps = append(gaps, fmt.Sprintf(format, args...))
		}
	}
	gap(d.now == nil, "No figures: retro-episode metrics was not run.")
	gap(d.now != nil && d.Before == nil, "No comparison: there are no figures of an earlier period.")
	gap(len(d.corrections) == 0, "No correction candidates in the input: there were none, or retro-scan corrections was not run.")
	gap(len(d.blocks) == 0, "No blocks in the input: there were none, or retro-scan blocks was not run.")
	gap(len(d.leftovers.repositories) == 0, "No leftovers in the input: there were none, or retro-leftovers was not run.")
	gap(d.Memory == nil, "Memory files: --memory was not given.")
	gap(d.verdicts == nil, "The hook corpus was not run.")
	if d.now != nil {
		s := &d.now.Sources
		gap(s.Unreadable > 0, "Sessions that could not be read and are in no figure: %d.", s.Unreadable)
		gap(s.Automated > 0, "Sessions that a program drove: %d; their prompts are in no figure, their turns and tokens are.", s.Automated)
		gap(len(s.Malformed) > 0, "Damaged places in the transcripts, skipped: %s.", namesText(s.Malformed))
		since := d.now.Period.Since
		gap(!since.IsZero() && !s.First.IsZero() && s.First.Time().Sub(since.Time()) > 24*time.Hour,
			"The oldest record is of %s, the period begins at %s: what lies between may have been quiet, or deleted by the agent.", minute(s.First), minute(since))
		for _, m := range d.now.Metrics {
			gap(m.Retired != "", "%s is retired: %s.", code(m.Key), text(m.Retired))
		}
	}
	if len(gaps) == 0 {
		w.WriteString("Nothing that this draft knows of.\n")
		return
	}
	for _, g := range gaps {
		fmt.Fprintf(w, "- %s\n", g)
	}
}
