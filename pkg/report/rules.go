package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"retro/pkg/record"
	"retro/pkg/rules"
)

func (f *Figures) writeWindow(w *bufio.Writer) {
	s := f.Summary
	fmt.Fprint(w, "\n## Window\n\n")
	fmt.Fprintf(w, "- Sessions captured: %s\n", spaced(int64(s.Sessions)))
	fmt.Fprintf(w, "- Episodes (session-days): %s\n", spaced(int64(s.Episodes)))
	if s.Registry == record.RegistryPresent {
		fmt.Fprintf(w, "- Episodes since last retro: %s\n", spaced(int64(s.SinceLastRetro)))
	}
	fmt.Fprintf(w, "- First: %s\n", orNA(s.First.String()))
	fmt.Fprintf(w, "- Last: %s\n", orNA(s.Last.String()))
	if s.IgnoredSessions > 0 {
		fmt.Fprintf(w, "- Ignored sessions (ignore_session_prefixes): %s\n", spaced(int64(s.IgnoredSessions)))
	}
	if s.Zone.String() != "UTC" {
		fmt.Fprintf(w, "- Days are days in %s\n", span(s.Zone.String()))
	}
}

func orNA(s string) string {
	if s == "" {
		return "n/a"
	}
	return s
}

// writeRules prints the table of rules. Beside what was broken stands how often
// it could have been: a rule that is obeyed and one that never came up both
// show no violation.
func (f *Figures) writeRules(w *bufio.Writer) {
	if len(f.Rules) == 0 || f.unmeasured() {
		return
	}
	fmt.Fprint(w, "\n## Rules\n\n")
	f.writeOver(w)
	t := table{columns: []column{{"rule", false}, {"enforcement", false}, {"events", true}, {"episodes", true}, {"sessions", true}, {"status", false},
		{"escalate to", false}, {"before / after (events per session)", false}, {"opportunities", true}, {"sessions that broke it", false}}}
	for _, r := range f.Rules {
		enforcement := nameCell(r.Enforcement)
		if r.Hard {
			enforcement += " (hard)"
		}
		opportunities := "n/a"
		if r.Opportunities != nil {
			opportunities = spaced(int64(*r.Opportunities))
		}
		broken := ""
		if r.Detector != nil {
			broken = share(r.Broken)
		}
		t.row(nameCell(r.Rule), enforcement, spaced(int64(r.Events)), spaced(int64(r.Episodes)), spaced(int64(r.Sessions)), nameCell(r.Status),
			escalation(r), beforeAfter(r.BeforeAfter), opportunities, broken)
	}
	t.write(w)
	f.writeLate(w)
	f.writeRuleCharts(w)
}

// writeOver says of every rule over the threshold what should become of it.
func (f *Figures) writeOver(w *bufio.Writer) {
	any := false
	for _, r := range f.Rules {
		if r.Status != string(rules.OverThreshold) {
			continue
		}
		any = true
		fmt.Fprintf(w, "- %s is over threshold, %s\n", name(r.Rule), f.advice(r))
	}
	if any {
		fmt.Fprintln(w)
	}
}

func (f *Figures) advice(r *record.RuleBucket) string {
	stays := "and stays " + name(r.Enforcement) + ": "
	switch {
	case r.HoldReason == nil && r.EscalateTo == nil:
		return "and is enforced as loudly as can be"
	case r.HoldReason == nil:
		return "and should become " + name(*r.EscalateTo)
	}
	switch rules.Hold(*r.HoldReason) {
	case rules.NoOutcomes:
		return stays + "too few of its warnings have an outcome to judge them"
	case rules.NotDelivered:
		return stays + "its warnings did not reach the model, so mend the hook first"
	case rules.WarningsChangeConduct:
		return stays + "its warnings change what happens next"
	}
	return stays + name(*r.HoldReason)
}

// escalation is the cell that says what should become of a rule over the
// threshold.
func escalation(r *record.RuleBucket) string {
	switch {
	case r.HoldReason != nil:
		return "hold: " + nameCell(*r.HoldReason)
	case r.EscalateTo != nil:
		return nameCell(*r.EscalateTo)
	}
	return ""
}

func beforeAfter(b *record.BeforeAfter) string {
	if b == nil {
		return ""
	}
	return plainNumber(b.RateBefore) + " / " + plainNumber(b.RateAfter)
}

// writeLate names rules that are forgotten as a session goes on: nearly all
// their violations fall into its second half, beyond what chance would do.
func (f *Figures) writeLate(w *bufio.Writer) {
	var fading []string
	for _, r := range f.Rules {
		if r.Late.N >= enough && r.Late.Low != nil && *r.Late.Low > 0.5 {
			fading = append(fading, fmt.Sprintf("%s (%s)", name(r.Rule), share(r.Late)))
		}
	}
	if len(fading) > 0 {
		fmt.Fprintf(w, "\nBroken mostly in the second half of a session: %s.\n", strings.Join(fading, ", "))
	}
}

func (f *Figures) writeDecisions(w *bufio.Writer) {
	if len(f.Decisions) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Decisions\n\n")
	t := table{columns: []column{{"rule", false}, {"warned", true}, {"blocked", true}, {"suppressed", true}, {"outcomes", true},
		{"proceeded", true}, {"corrected", true}, {"reconciled", true}, {"ignored", true}}}
	undelivered := 0
	for _, d := range f.Decisions {
		undelivered += d.Undelivered
		t.row(nameCell(d.Rule.String()), strconv.Itoa(d.Warned), strconv.Itoa(d.Blocked), strconv.Itoa(d.Suppressed), strconv.Itoa(d.N),
			percent(d.Proceeded), percent(d.Corrected), percent(d.Reconciled), percent(d.Ignored))
	}
	t.write(w)
	if s := f.Summary.Thresholds; s != nil {
		fmt.Fprintf(w, "\nA hook-warn rule climbs to hook-block only when its ignored rate reaches %s over at least %d outcomes. "+
			"ignored = the rule fired again later in the session and nothing reconciled it. "+
			"corrected comes from the heuristic correction patterns and never gates an escalation.\n", wholePercent(s.EscalateIgnoredRate), s.DeterministicEvents)
	}
	if undelivered > 0 {
		fmt.Fprintf(w, "\nThe rates leave out %s that never reached the model: mend the hook before judging the rule.\n", count(undelivered, "warning"))
	}
}

func (f *Figures) writeUnmeasured(w *bufio.Writer) {
	if ids := f.Summary.UnmeasuredRules; len(ids) > 0 {
		fmt.Fprintf(w, "\n## Unmeasured rules\n\nNo detector exists for: %s.\n", names(ids))
	}
}

func (f *Figures) writePrune(w *bufio.Writer) {
	ids := f.Summary.PruneCandidates
	if len(ids) == 0 || f.unmeasured() {
		return
	}
	fmt.Fprintf(w, "\n## Prune candidates\n\nProse rules with zero events over the prune window: %s.\n", names(ids))
	for _, r := range f.Rules {
		for _, id := range ids {
			if r.Rule == id && r.Opportunities != nil && *r.Opportunities > 0 {
				fmt.Fprintf(w, "\n%s could have been broken %s: silent may mean obeyed.\n", name(id), count(*r.Opportunities, "time"))
			}
		}
	}
}
