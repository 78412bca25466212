package detect

import (
	"cmp"
	"slices"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// ruleSession is what the rule detectors share while one session is read: the
// project, the call at hand in the form that predicates take, and the counts of
// opportunities. Its observer runs before all others.
type ruleSession struct {
	opt      *Options
	registry *rules.Registry
	project  *predicate.Project

	call        *predicate.Call // of the ToolCall block at hand
	own         predicate.Call  // which it is, unless it had to be read anew
	tools       map[string]string
	first, last time.Time // of the session's blocks

	pushback      map[string]struct{} // anchors of the prompts that the gate took for pushback
	opportunities map[string]int
	graphSeen     bool
	toolSince     bool // a main-chain call since the last prompt
}

// forSession is a copy of the options for one session.
func (o *Options) forSession() *Options {
	c := *o
	if c.Buffers == nil {
		c.Buffers = new(Buffers)
	}
	if c.Facts == nil {
		c.Facts = NewFacts(o)
	}
	c.view = newView(c.Facts, c.Looked)
	if c.Registry == nil {
		return &c
	}
	s := &ruleSession{opt: &c, registry: c.Registry, opportunities: map[string]int{}, tools: map[string]string{}, pushback: map[string]struct{}{}}
	if c.view != nil {
		s.project = c.view.rules.Watched(c.view.sight)
	} else {
		s.setProject(c.Project)
	}
	c.rules = s
	return &c
}

// setProject takes a project of which the name alone is known.
func (s *ruleSession) setProject(root string) {
	s.project = predicate.NewProject(root, nil, settingsOf(s.registry))
}

// settingsOf are the registry's settings as predicates take them.
func settingsOf(r *rules.Registry) predicate.Settings {
	return predicate.Settings{
		GraphTools:    r.Settings.CodeGraph.ToolPrefixes,
		GraphDatabase: r.Settings.CodeGraph.Database,
		OpenSpec:      r.Settings.OpenSpec.Root,
		Changes:       r.Settings.OpenSpec.Changes,
		Reviews:       r.Settings.ReviewSkills,
	}
}

// rule gives the rule of the registry that a detector measures.
func (s *ruleSession) rule(detector string) (id string, found bool) {
	if s == nil {
		return "", false
	}
	i := slices.IndexFunc(s.registry.Rules, func(r rules.Rule) bool { return r.Detector == detector })
	if i < 0 {
		return "", false
	}
	return s.registry.Rules[i].ID, true
}

// noteFriction remembers which prompts the gate takes for pushback.
func (s *ruleSession) noteFriction(h *Hit) {
	if s == nil || h.Kind != record.Friction || h.Detector != "explicit-reject" {
		return
	}
	if e, ok := h.Evidence.(*record.FrictionEvidence); ok {
		s.pushback[e.Anchor.Key()] = struct{}{}
	}
}

func (s *ruleSession) observer() *Observer { return &Observer{Block: s.block} }

func (s *ruleSession) block(b *transcript.Block) {
	if s.project.Root == "" && b.Dir != "" {
		s.setProject(b.Dir) // a name alone: nobody said that it may be looked at
	}
	if !b.Time.IsZero() {
		if s.first.IsZero() || b.Time.Before(s.first) {
			s.first = b.Time
		}
		if b.Time.After(s.last) {
			s.last = b.Time
		}
	}
	s.call = nil
	if b.Kind == transcript.ToolCall {
		s.call = s.callOf(b)
	}
	s.count(b)
}

// cutAt is the length to which a transcript's call cuts long inputs.
const cutAt = 4 << 10

// isCut tells whether a shell line is longer than the transcript's reader keeps.
func isCut(call *transcript.Call) bool { return len(call.Command) >= cutAt }

// callOf is the call of a block for predicates. It is valid as long as the
// block.
func callOf(b *transcript.Block) *predicate.Call {
	t := b.Call
	tool := string(t.Name)
	if isCut(t) || tool == "Task" || tool == "Agent" {
		return predicate.NewCall(tool, ndjson.Raw(t.Input), b.Dir)
	}
	return &predicate.Call{
		Tool: tool, Path: string(t.Path), Command: string(t.Command), Skill: string(t.Skill), Agent: string(t.Subagent),
		Dir: b.Dir, Input: ndjson.Raw(t.Input),
	}
}

// callOf is callOf with memory of its own: of a session's calls most are of few
// tools, and no observer keeps one.
func (s *ruleSession) callOf(b *transcript.Block) *predicate.Call {
	t := b.Call
	tool, known := s.tools[string(t.Name)]
	if !known {
		tool = string(t.Name)
		s.tools[tool] = tool
	}
	if isCut(t) || tool == "Task" || tool == "Agent" {
		return predicate.NewCall(tool, ndjson.Raw(t.Input), b.Dir)
	}
	s.own = predicate.Call{
		Tool: tool, Path: string(t.Path), Command: string(t.Command), Skill: string(t.Skill), Agent: string(t.Subagent),
		Dir: b.Dir, Input: ndjson.Raw(t.Input),
	}
	return &s.own
}

// place is where and when a hit was seen, copied off a block.
type place struct {
	time       time.Time
	file, line int
	turn       int
	id         string // of the tool call
}

func placeOf(b *transcript.Block) place {
	p := place{time: b.Time, file: b.File, line: b.Line, turn: b.Turn}
	if b.Call != nil {
		p.id = string(b.Call.ID)
	}
	return p
}

// site is the place as evidence. An id that is no identifier is left out.
func (p place) site() record.Site {
	id, _ := record.NewIdentifier(p.id)
	return record.Site{Turn: p.turn, ToolUseID: id}
}

// hit makes the hit of a piece of rule evidence; key tells it from the others of
// its detector. Rule is that of the registry, or what belongs to the evidence.
func (p place) hit(evidence record.RuleEvidence, rule, key string) Hit {
	s := record.NewRuleSignal(evidence)
	if rule == "" {
		rule = s.Rule.String()
	}
	return Hit{
		Kind: s.Kind, Rule: rule, Confidence: s.Confidence, Time: p.time, Evidence: evidence,
		Key: key, File: p.file, Line: p.line,
	}
}

func byText(a, b record.Name) int { return cmp.Compare(a.String(), b.String()) }
