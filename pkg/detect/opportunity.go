package detect

import (
	"cmp"
	"slices"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// count counts the opportunities of each rule: the calls at which it could have
// been broken. An obeyed rule and one that never came up both have no
// violation; only these tell them apart.
//
//   - graph-first: searches of the main chain in a project with a graph up to
//     the first look into it, and that look, which is how the rule is kept;
//   - openspec-gate: edits of source files while no change was open, where
//     somebody looked;
//   - scope, generated-files: edits inside the project;
//   - no-new-deps: installing commands and edits of manifests;
//   - defect: commits, where the history was read;
//   - user-correction: prompts after a call.
func (s *ruleSession) count(b *transcript.Block) {
	switch b.Kind {
	case transcript.Prompt:
		if s.toolSince {
			s.opportunity("user-correction", b)
		}
		s.toolSince = false
	case transcript.ToolCall:
		s.toolSince = s.toolSince || !b.Call.Sidechain
		s.countCall(b)
	}
}

func (s *ruleSession) countCall(b *transcript.Block) {
	c := s.call
	if !b.Call.Sidechain && s.opt.view.hasGraph() {
		looks := s.project.GraphAccess(c) != predicate.NoAccess
		if !s.graphSeen && (looks || s.project.Searches(c)) {
			s.opportunity("graph-first", b)
		}
		s.graphSeen = s.graphSeen || looks
	}
	if c.IsEdit() && s.project.HasScope(c) {
		s.opportunity("scope-warning", b)
		s.opportunity("generated-file-block", b)
		if _, source := s.project.EditedSource(c); source && s.project.Files != nil && !s.opt.view.hasOpenChange() {
			s.opportunity("openspec-gate", b)
		}
	}
	if (c.IsShell() || c.IsEdit()) && predicate.IsInstall(c) {
		s.opportunity("new-dependency", b)
	}
	if s.opt.Log != nil && c.IsShell() && predicate.Commits(c) {
		s.opportunity("defect", b)
	}
}

// opportunity counts one for the rule that a detector measures.
func (s *ruleSession) opportunity(detector string, b *transcript.Block) {
	if rule, found := s.rule(detector); found && !s.opt.outside(b.Time) {
		s.opportunities[rule]++
	}
}

// record puts the counts and what was looked at into the session record.
func (s *ruleSession) record(e *record.SessionEvidence) {
	if s == nil {
		e.RulesOff = true
		return
	}
	for rule, n := range s.opportunities {
		e.Opportunities = append(e.Opportunities, record.Count{Name: record.NewName(rule), Count: n})
	}
	slices.SortFunc(e.Opportunities, func(a, b record.Count) int { return cmp.Compare(a.Name.String(), b.Name.String()) })
	if s.project.Files == nil {
		return
	}
	e.GraphDBPresent = s.opt.view.hasGraph()
	e.Facts = append(e.Facts, record.MustIdentifier("code-graph"), record.MustIdentifier("open-changes"))
	if s.opt.Log != nil {
		e.Facts = append(e.Facts, record.MustIdentifier("git-log"))
	}
}
