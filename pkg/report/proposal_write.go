package report

import (
	"fmt"
	"slices"
	"strings"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// ProposalFile is one file of a proposal; its name is relative to the
// proposal's directory and has forward slashes.
type ProposalFile struct{ Name, Text string }

// Files are the files of the proposal, in the form of an OpenSpec change. The
// error is that of [rules.Apply]: the registry cannot be edited.
func (p *Proposal) Files() ([]ProposalFile, error) {
	diff, err := p.registryDiff()
	if err != nil {
		return nil, err
	}
	files := []ProposalFile{
		{".openspec.yaml", fmt.Sprintf("schema: spec-driven\nname: retro-%d\ncreated: %s\n", p.Number, p.Date)},
		{"proposal.md", p.proposalText()},
		{"specs/guardrails/spec.md", p.specText()},
		{"tasks.md", p.tasksText(diff != "")},
	}
	for _, c := range p.changes {
		if c.patch != "" {
			files = append(files, ProposalFile{c.Evidence.Patch, fmt.Sprintf("# %02d. %s: %s\n\n%s\n", c.Number, c.Type, name(c.Target), strings.TrimSpace(c.patch))})
		}
	}
	if diff != "" {
		files = append(files, ProposalFile{registryPatch, diff})
	}
	return files, nil
}

// registryPatch holds the edits of all changes, since they are of one file.
const registryPatch = "patches/registry.diff"

// registryDiff is the edit of the registry as `git apply` takes it; "" for none.
func (p *Proposal) registryDiff() (string, error) {
	var edits []rules.Edit
	for _, c := range p.changes {
		if c.edit != nil {
			edits = append(edits, *c.edit)
		}
	}
	if len(edits) == 0 || p.Registry == nil {
		return "", nil
	}
	after, err := rules.Apply(p.Registry, edits)
	if err != nil {
		return "", err
	}
	return unified(rules.Path, string(p.Registry), string(after)), nil
}

func (p *Proposal) proposalText() string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Proposal: Retro %d, %s\n\n## Why\n\n%s\n\n## What Changes\n", p.Number, p.Date, p.figures.Opener())
	if len(p.changes) == 0 {
		w.WriteString("\nNone: the figures call for no change.\n")
	}
	for _, c := range p.changes {
		fmt.Fprintf(&w, "\n### %d. %s: %s\n\nWhat happened: %s\nWhy it matters: %s\nWhat changes: %s\n\n```text\n%s```\n",
			c.Number, c.Type, name(c.Target), c.Happened, c.Matters, c.Changes, evidenceText(&c.Change))
	}
	writeItems(&w, "Watching", p.watching(), "Nothing is held back.")
	writeItems(&w, "Observations", p.observations(), "None.")
	writeItems(&w, "Non-Goals", []string{
		"Nothing is applied by itself: every change waits for a person.",
		"No threshold, detector or correction pattern is touched, but by a task that is headed Loosen.",
		"No rule is said louder in prose.",
	}, "")
	writeItems(&w, "Risks", p.risks(), "None beyond those of any change of instructions.")
	return w.String()
}

func writeItems(w *strings.Builder, head string, lines []string, none string) {
	fmt.Fprintf(w, "\n## %s\n\n", head)
	if len(lines) == 0 {
		fmt.Fprintln(w, none)
	}
	for _, line := range lines {
		fmt.Fprintf(w, "- %s\n", line)
	}
}

// evidenceText is the block of the change. Each line begins with its key, so
// that nothing from outside can close the block.
func evidenceText(c *record.Change) string {
	e := &c.Evidence
	var w strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&w, "%s: %s\n", key, string(plainLine(fmt.Sprintf(format, args...))))
	}
	kind := string(c.Type)
	if c.Of != "" {
		kind += " (" + c.Of + ")"
	}
	line("Type", "%s", kind)
	if e.Rule != "" {
		line("Rule", "%s", e.Rule)
	} else {
		line("Target", "%s", c.Target)
	}
	line("Events", "%d across %s (%s, %s)", e.Events, count(e.Sessions, "session"), orNA(e.First.String()), orNA(e.Last.String()))
	line("Detector", "%s (%s)", e.Detector, orNA(string(e.Confidence)))
	hard := "not hard"
	if e.Hard {
		hard = "hard"
	}
	enforcement := e.Enforcement
	if enforcement == "" {
		enforcement = "no rule"
	}
	line("Current", "%s, %s, %s § %s", enforcement, hard, orNA(e.Source.File), orNA(e.Source.Anchor))
	if e.Ignored != nil {
		line("Ignored", "%d of %d outcomes", e.Ignored.Count, e.Ignored.N)
	}
	line("Proposed", "%s", e.Proposed)
	line("Token delta", "%+d instructions, %+d hook files", e.Instructions, e.Hooks)
	if e.Pair != nil {
		line("Paired with", "%+d instructions: delete %s", -e.Pair.Tokens, e.Pair.What)
	}
	if e.Patch != "" {
		line("Patch", "%s", e.Patch)
	}
	return w.String()
}

// watching are the rules that are held back, with what their hooks did, and
// those of which words alone tell.
func (p *Proposal) watching() (lines []string) {
	for _, r := range p.figures.Rules {
		if r.Status != string(rules.OverThreshold) || r.HoldReason == nil {
			continue
		}
		line := fmt.Sprintf("%s is over threshold %s.", name(r.Rule), p.figures.advice(r))
		if d := p.decisions(r.Rule); d != nil {
			line += fmt.Sprintf(" Decisions: %d warned, %d blocked, %d suppressed; of %s %d proceeded, %d were reconciled, %d ignored, %d undelivered.",
				d.Warned, d.Blocked, d.Suppressed, count(d.N, "outcome"), d.Proceeded.Count, d.Reconciled.Count, d.Ignored.Count, d.Undelivered)
		}
		lines = append(lines, line)
	}
	for _, id := range p.figures.Summary.SupportingOnly {
		lines = append(lines, fmt.Sprintf("%s is broken often, but only words say so: no reason for a change.", name(id)))
	}
	return lines
}

func (p *Proposal) observations() (lines []string) {
	s, t := p.figures.Summary, p.thresholds()
	if off := p.figures.measurementOff(); off != "" {
		lines = append(lines, off)
	}
	if a := p.figures.Adherence; a != nil && s.Registry == record.RegistryPresent && a.EditingSessions >= max(1, t.DeterministicSessions) && 2*a.Reviewed.Count < a.Reviewed.N {
		lines = append(lines, fmt.Sprintf("Of %s that edited files, %d were reviewed.", count(a.EditingSessions, "session"), a.Reviewed.Count))
	}
	if p.figures.Layout == nil {
		lines = append(lines, "The instruction files were not weighed: `retro-episode --instructions DIR` does.")
	}
	if p.figures.overBudget() {
		lines = append(lines, fmt.Sprintf("The instruction files are over their budget: %s of %s estimated tokens.", spaced(int64(p.figures.Layout.AlwaysLoaded.Total)), spaced(int64(p.figures.instructionBudget()))))
	}
	if ids := s.UnmeasuredRules; len(ids) > 0 {
		lines = append(lines, "No detector exists for: "+names(ids)+".")
	}
	for _, r := range p.figures.Rules {
		if b := r.BeforeAfter; b != nil {
			lines = append(lines, fmt.Sprintf("%s: %s events per session before %s, %s since (%d and %d sessions).", name(r.Rule), plainNumber(b.RateBefore), b.Since, plainNumber(b.RateAfter), b.SessionsBefore, b.SessionsAfter))
		}
	}
	return lines
}

func (p *Proposal) risks() (lines []string) {
	if p.any(func(c *planned) bool { return c.Type == record.NewHook || c.Of == "hook" }) {
		lines = append(lines, "A hook that fires without cause costs turns: the next retrospective looks at its outcomes.")
	}
	if p.any(func(c *planned) bool { return c.Type == record.PruneRule }) {
		lines = append(lines, "A rule that nobody breaks may be one that everybody obeys because it is there.")
	}
	for _, left := range p.left {
		lines = append(lines, "Not proposed: "+left+".")
	}
	return lines
}

func (p *Proposal) any(is func(*planned) bool) bool { return slices.ContainsFunc(p.changes, is) }

// specText is the delta of the spec. The names have the number of the proposal in
// them: OpenSpec adds a requirement under one name once.
func (p *Proposal) specText() string {
	var w strings.Builder
	w.WriteString("## ADDED Requirements\n")
	for _, c := range p.changes {
		fmt.Fprintf(&w, "\n### Requirement: Retro %d.%d, %s %s\n\n%s\n\n#### Scenario: the next retrospective\n\n- **WHEN** the sessions since this change are counted\n- **THEN** %s\n",
			p.Number, c.Number, c.Type, name(c.Target), c.requirement, c.then)
	}
	if len(p.changes) == 0 {
		fmt.Fprintf(&w, "\n### Requirement: Retro %d is noted\n\nThe registry SHALL tell when the last retrospective was held.\n\n#### Scenario: the next retrospective\n\n- **WHEN** the episodes since the last one are counted\n- **THEN** the count begins with this one\n", p.Number)
	}
	return w.String()
}

// tasksText lists the tasks: one a change, then what loosens, then the
// registry, and last the way back.
func (p *Proposal) tasksText(diff bool) string {
	var w strings.Builder
	section, task := 0, 0
	head := func(title string) {
		section, task = section+1, 0
		fmt.Fprintf(&w, "## %d. %s\n\n", section, title)
	}
	todo := func(format string, args ...any) {
		task++
		fmt.Fprintf(&w, "- [ ] %d.%d %s\n", section, task, fmt.Sprintf(format, args...))
	}
	mark := "`retro-episode rules mark-retro SESSION`, with the id of the session in which this is held"
	if len(p.changes) == 0 && len(p.Loosen) == 0 {
		head("Registry")
		if p.Registry == nil {
			todo("Switch rule measurement on: `retro-episode rules merge-seed`")
		}
		todo("Set last_retro: %s", mark)
		return w.String()
	}
	if len(p.changes) > 0 {
		head("Changes")
		for _, c := range p.changes {
			patch := ""
			if c.Evidence.Patch != "" {
				patch = " (`" + c.Evidence.Patch + "`)"
			}
			todo("%s %s: %s%s", c.Type, name(c.Target), c.task, patch)
			if pair := c.Evidence.Pair; pair != nil {
				todo("Deletion for %d.%d: %s", section, task, text(pair.What))
			}
		}
		w.WriteString("\n")
	}
	for _, field := range p.Loosen {
		key, value, _ := strings.Cut(field, "=")
		head("Loosen: " + name(key))
		todo("Loosen: set %s to %s in `%s`, and say here why", name(key), span(value), rules.Path)
		w.WriteString("\n")
	}
	head("Update registry")
	if diff {
		todo("`git apply openspec/changes/%s/%s` (it edits `%s`; set its days to the day on which it is applied)", p.Dir, registryPatch, rules.Path)
	}
	todo("`retro-episode rules validate` and `retro-episode layout` name no fault")
	todo("%s", mark)
	w.WriteString("\n")
	head("Rollback")
	var undo []string
	if diff {
		undo = append(undo, fmt.Sprintf("`git apply -R openspec/changes/%s/%s`", p.Dir, registryPatch))
	}
	for _, c := range p.changes {
		if c.undo != "" {
			undo = append(undo, c.undo)
		}
	}
	for _, field := range p.Loosen {
		key, _, _ := strings.Cut(field, "=")
		undo = append(undo, "set "+name(key)+" back")
	}
	todo("Should it not help: %s", strings.Join(undo, "; "))
	return w.String()
}
