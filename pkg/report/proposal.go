package report

import (
	"fmt"
	"slices"
	"strings"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// Proposal is a change of the guardrails, for a person to approve line by line:
// what the figures call for, with the figures beside it. Nothing of it is
// applied by itself.
type Proposal struct {
	ProposalOptions
	figures *Figures
	changes []*planned
	// left is what was called for and is not proposed, with the reason.
	left []string
	// removals are the deletions that additions can still be paired with.
	removals []record.ChangePair
	took     map[string]bool // targets that have a change, and files
	// registry is the checked registry of the options; nil when there is none.
	registry *rules.Registry
}

// ProposalOptions are what the records do not tell.
type ProposalOptions struct {
	Dir    string // name of the proposal's directory, under openspec/changes
	Number int
	Date   string // YYYY-MM-DD
	// Registry is the text of the registry file, nil when there is none; it is
	// what the edits are made of.
	Registry []byte
	// Loosen are the thresholds and detectors that somebody asked to loosen,
	// `field=value`. The figures alone never do.
	Loosen []string
}

// planned is a change with its files.
type planned struct {
	record.Change
	edit  *rules.Edit
	patch string // text of the file of its own
	task  string
	undo  string
	// requirement and scenario are what the next retrospective can check.
	requirement, then string
}

// stub marks what a person has to write before it counts.
const stub = "TODO(person)"

// The most tokens that a text may have which a person writes: a line of an
// instruction file, and a file for a part of the tree.
const (
	ruleTokens = 60
	fileTokens = 300
)

// NewProposal draws up the changes that the report's figures call for. The rules
// of the loop hold by the way it is built: what is heuristic alone gives no
// change, prose that is still broken becomes a hook and never louder prose, a
// warning becomes a block on ignored outcomes alone, an addition over budget
// comes with a deletion or not at all, and no threshold or detector is touched.
func NewProposal(r *Report, opt ProposalOptions) *Proposal {
	p := &Proposal{ProposalOptions: opt, figures: &r.Figures, took: map[string]bool{}}
	if p.figures.Summary == nil {
		p.figures.Summary = &record.Summary{Registry: record.RegistryAbsent}
	}
	p.registry, _ = rules.Parse(opt.Registry) // what is wrong with it, Files tells
	p.findRemovals()
	p.hooks()
	switch {
	case p.isStructural():
		p.structural()
	case p.figures.Layout == nil:
		p.prose()
		p.prunes()
		p.leave("new texts: the instruction files were not weighed, so nobody knows what is there and whether there is room")
	default:
		p.prose()
		p.prunes()
		p.additions()
	}
	p.gotchas()
	for i, c := range p.changes {
		c.Number = i + 1
		if c.patch != "" {
			c.Evidence.Patch = fmt.Sprintf("patches/%02d-%s.md", c.Number, slug(string(c.Type)+"-"+c.Target))
		}
	}
	return p
}

// Changes are the changes as records, for those who want to write the text
// themselves.
func (p *Proposal) Changes() []*record.Change {
	out := []*record.Change{}
	for _, c := range p.changes {
		out = append(out, &c.Change)
	}
	return out
}

func (p *Proposal) thresholds() record.SummaryThresholds {
	if t := p.figures.Summary.Thresholds; t != nil {
		return *t
	}
	t := rules.Default().Thresholds
	return record.SummaryThresholds{
		DeterministicEvents: t.DeterministicEvents, DeterministicSessions: t.DeterministicSessions,
		InstructionTokenBudget: t.InstructionTokenBudget, EscalateIgnoredRate: t.EscalateIgnoredRate,
	}
}

// isStructural tells that the instruction files have to be divided first.
func (p *Proposal) isStructural() bool {
	return p.figures.Layout != nil && len(p.figures.Layout.Structural) > 0
}

func (p *Proposal) window() (first, last record.Day) {
	return dayOf(p.figures.Summary.First), dayOf(p.figures.Summary.Last)
}

func dayOf(t record.Timestamp) record.Day {
	s := t.String()
	day, _ := record.ParseDay(s[:min(len(s), len("2026-03-01"))])
	return day
}

func (p *Proposal) rule(id string) *record.RuleBucket {
	at := slices.IndexFunc(p.figures.Rules, func(r *record.RuleBucket) bool { return r.Rule == id })
	if at < 0 {
		return nil
	}
	return p.figures.Rules[at]
}

func (p *Proposal) decisions(rule string) *record.DecisionsBucket {
	at := slices.IndexFunc(p.figures.Decisions, func(d *record.DecisionsBucket) bool { return d.Rule.String() == record.NewName(rule).String() })
	if at < 0 {
		return nil
	}
	return p.figures.Decisions[at]
}

// add takes a change in, unless its target has one or one of its parts is
// missing: a change is never written with blanks.
func (p *Proposal) add(c *planned) {
	if p.took[c.Target] || c.Happened == "" || c.Matters == "" || c.Changes == "" || c.Evidence.Proposed == "" {
		return
	}
	p.took[c.Target] = true
	c.V, c.Kind = record.Version, record.KindChange
	p.changes = append(p.changes, c)
}

func (p *Proposal) leave(format string, args ...any) {
	p.left = append(p.left, fmt.Sprintf(format, args...))
}

// evidence of a rule.
func (p *Proposal) evidence(r *record.RuleBucket) record.ChangeEvidence {
	e := record.ChangeEvidence{
		Rule: r.Rule, Events: r.Events, Sessions: r.Sessions, First: r.First, Last: r.Last, Confidence: r.Confidence,
		Enforcement: r.Enforcement, Hard: r.Hard, Source: r.Source, Detector: "none",
	}
	if r.Detector != nil {
		e.Detector = *r.Detector
	}
	if e.First.IsZero() { // of a silent rule: the window in which it was silent
		e.First, e.Last = p.window()
	}
	return e
}

// findRemovals lists what an addition over budget can be paired with: copies of
// a paragraph, and rules that nobody broke, whose line has at least the length
// of its title.
func (p *Proposal) findRemovals() {
	if p.figures.Layout == nil {
		return
	}
	for _, r := range p.figures.Layout.Repeated {
		if len(r.Places) < 2 {
			continue
		}
		last := r.Places[len(r.Places)-1]
		p.removals = append(p.removals, record.ChangePair{What: fmt.Sprintf("the copy of a paragraph at %s:%d", last.File, last.Line), Tokens: r.Characters / 4})
	}
	for _, id := range p.prunable() {
		p.removals = append(p.removals, record.ChangePair{What: "the line of the rule " + id, Tokens: len(p.rule(id).Title) / 4})
	}
}

// budget fits an addition of at most want tokens into the instruction files. Over
// budget it takes a deletion along and no more tokens than that; ok is false
// when there is none.
func (p *Proposal) budget(c *planned, want int) (ok bool) {
	c.Evidence.Instructions = want
	if !p.figures.overBudget() {
		return true
	}
	if len(p.removals) == 0 || p.removals[0].Tokens == 0 {
		p.leave("%s %s: the instruction files are over their budget and there is nothing to delete for it", c.Type, name(c.Target))
		return false
	}
	pair := p.removals[0]
	p.removals = p.removals[1:]
	c.Evidence.Pair = &pair
	c.Evidence.Instructions = min(want, pair.Tokens)
	return true
}

// prunable are the rules that can go: prose, soft and silent.
func (p *Proposal) prunable() (ids []string) {
	for _, id := range p.figures.Summary.PruneCandidates {
		if r := p.rule(id); r != nil && !r.Hard && r.Enforcement == string(rules.Prose) && r.Events-r.Newest >= 0 && r.Newest == 0 && !p.figures.unmeasured() {
			ids = append(ids, id)
		}
	}
	return ids
}

// isCurrent tells whether the registry enforces the rule as the figures say. One
// that was edited since they were made is left alone: the edit could take back
// what a person did.
func (p *Proposal) isCurrent(t record.ChangeType, r *record.RuleBucket) bool {
	if p.registry == nil {
		return true
	}
	if have, ok := p.registry.Rule(r.Rule); ok && string(have.Enforcement) == r.Enforcement && have.Hard == r.Hard {
		return true
	}
	p.leave("%s %s: the registry was edited since the figures were made", t, name(r.Rule))
	return false
}

// slug is a text as a part of a file's name; of a text without a letter or digit
// of ASCII, its hash.
func slug(s string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(s) {
		if r < 0x80 && isAlphanumeric(byte(r)) {
			out.WriteRune(r)
		} else if n := out.Len(); n > 0 && out.String()[n-1] != '-' {
			out.WriteByte('-')
		}
	}
	if short := strings.Trim(out.String()[:min(out.Len(), 60)], "-"); short != "" {
		return short
	}
	return record.HashOf(8, s).String()
}
