package detect

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"retro/pkg/record"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "outcome",
		Doc:  "What came of a rule hook's decision: the call went ahead, was corrected, was put right, or fired again.",
		New:  outcomes,
	})
}

// outcomes joins the decisions of the session to its calls by the id of the call,
// never by time.
func outcomes(opt *Options, report Report) *Observer {
	s := opt.rules
	if s == nil || !slices.ContainsFunc(opt.Decisions, isDecision) {
		return nil
	}
	j := &join{session: s, byID: make(map[string]*decided)}
	for i := range opt.Decisions {
		if isDecision(opt.Decisions[i]) {
			j.want(&opt.Decisions[i])
		}
	}
	return &Observer{Block: j.block, End: func(sum *transcript.Summary) { j.report(sum, report) }}
}

// DecisionsOf returns the part of the decisions that the outcomes of a session
// depend on, in their order: its own, and those of other sessions on calls of
// its own, which a session that continues another shares with it. All belong to
// a session whose id is not known yet, the empty one.
func DecisionsOf(all []record.Signal) func(session string) []record.Signal {
	bySession, byCall := make(map[record.SessionID][]int), make(map[string][]int)
	decided := func(i int) string {
		if e, ok := all[i].Evidence.(*record.DecisionEvidence); ok {
			return e.ToolUseID.String()
		}
		return ""
	}
	for i := range all {
		bySession[all[i].SessionID] = append(bySession[all[i].SessionID], i)
		byCall[decided(i)] = append(byCall[decided(i)], i)
	}
	return func(session string) (out []record.Signal) {
		if session == "" {
			return all
		}
		var numbers []int
		for _, i := range bySession[record.NewSessionID(session)] {
			if call := decided(i); call != "" { // nothing comes of one without a call
				numbers = append(numbers, byCall[call]...)
			}
		}
		slices.Sort(numbers)
		for _, i := range slices.Compact(numbers) {
			out = append(out, all[i])
		}
		return out
	}
}

func isDecision(s record.Signal) bool { return s.Kind == record.Decision }

// join is the state of joining: what each decided call came to, and what the
// session did later.
type join struct {
	session *ruleSession
	byID    map[string]*decided
	later   []deed
	prompts []prompted
	shown   bool // the transcript shows what hooks say
}

// decided is a call that hooks decided on.
type decided struct {
	decisions []*record.Signal
	place
	seen      bool
	index     int    // among the session's calls
	path      string // in the project
	status    transcript.Status
	delivered map[string]bool // by rule
}

// deed is a later call that can put something right.
type deed struct {
	index                  int
	tasks, touches, review bool
	path                   string
}

type prompted struct {
	time    time.Time
	matched bool
}

// want notes a decision. One that was written twice, by two copies of a hook,
// counts once.
func (j *join) want(s *record.Signal) {
	e, ok := s.Evidence.(*record.DecisionEvidence)
	if !ok || e.ToolUseID.IsZero() {
		return
	}
	d := j.byID[e.ToolUseID.String()]
	if d == nil {
		d = &decided{delivered: make(map[string]bool)}
		j.byID[e.ToolUseID.String()] = d
	}
	same := func(other *record.Signal) bool {
		o := other.Evidence.(*record.DecisionEvidence)
		return other.SessionID == s.SessionID && other.Rule == s.Rule && o.Action == e.Action && o.Gotcha == e.Gotcha
	}
	if !slices.ContainsFunc(d.decisions, same) {
		d.decisions = append(d.decisions, s)
	}
}

func (j *join) block(b *transcript.Block) {
	switch b.Kind {
	case transcript.ToolCall:
		j.call(b)
	case transcript.ToolResult:
		if b.Call != nil {
			if d := j.byID[string(b.Call.ID)]; d != nil {
				d.status = b.Result.Status
			}
		}
	case transcript.Prompt:
		if isPersonal(b) {
			j.prompts = append(j.prompts, prompted{b.Time, isCorrection(j.session.registry.Patterns, b.Text)})
		}
	case transcript.Notice:
		if b.Notice == transcript.HookFeedback {
			j.feedback(b.Text)
		}
	}
}

func (j *join) call(b *transcript.Block) {
	s, c := j.session, j.session.call
	path := ""
	if c.IsEdit() && c.Path != "" {
		path = s.project.Path(c.Dir, c.Path).String()
	}
	if d := j.byID[string(b.Call.ID)]; d != nil && !d.seen {
		d.seen, d.place, d.index, d.path = true, placeOf(b), b.Call.Index, path
	}
	later := deed{
		index:   b.Call.Index,
		path:    path,
		tasks:   strings.HasPrefix(path, s.project.Changes+"/") && strings.HasSuffix(path, "/tasks.md"),
		touches: s.project.TouchesOpenSpec(c),
		review:  s.project.IsReview(c),
	}
	if later.path != "" || later.touches || later.review {
		j.later = append(j.later, later)
	}
}

// feedback looks for the hooks' own words among what the harness attached: they
// begin with the rule's mark, and newer versions name the call.
func (j *join) feedback(attachment []byte) {
	j.shown = true
	for id, d := range j.byID {
		if !bytes.Contains(attachment, []byte(id)) {
			continue
		}
		for _, s := range d.decisions {
			if _, mark := hookOf(s); bytes.Contains(attachment, []byte(mark)) {
				d.delivered[s.Rule.String()] = true
			}
		}
	}
}

// hookRules are the hooks with the rule that each is about, whatever the
// registry calls it, and the mark that its warnings begin with.
var hookRules = map[string]struct{ rule, mark string }{
	"warn-scope":         {"scope", "[warn-scope]"},
	"block-generated":    {"generated-files", "BLOCKED:"},
	"openspec-gate-warn": {"openspec-gate", "[openspec-gate]"},
	"no-new-deps-warn":   {"no-new-deps", "[no-new-deps]"},
	"defect-warn":        {"defect", "[defect-warn]"},
	"graph-first-warn":   {"graph-first", "[graph-first]"},
	"gotcha-surface":     {"gotchas", "[gotcha]"},
}

// hookOf gives the rule and the mark of the hook that decided. A hook of the
// system that retro replaces has the ending of its script; a decision without a
// known hook is that of its rule.
func hookOf(s *record.Signal) (rule, mark string) {
	e := s.Evidence.(*record.DecisionEvidence)
	if h, known := hookRules[strings.TrimSuffix(e.Hook.String(), ".py")]; known {
		return h.rule, h.mark
	}
	return s.Rule.String(), "[" + s.Rule.String() + "]"
}

// report makes the outcomes, in the order of the calls.
func (j *join) report(sum *transcript.Summary, report Report) {
	id := record.NewSessionID(sum.ID)
	var all []*decided
	for _, d := range j.byID {
		d.decisions = slices.DeleteFunc(d.decisions, func(s *record.Signal) bool { return s.SessionID != id })
		if d.seen && len(d.decisions) > 0 {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *decided) int { return cmp.Compare(a.index, b.index) })
	shows := j.shown || showsHooks(sum.Facts.Version)
	for i, d := range all {
		for _, s := range d.decisions {
			decision := s.Evidence.(*record.DecisionEvidence)
			about, _ := hookOf(s)
			e := &record.OutcomeEvidence{
				ToolUseID:  decision.ToolUseID,
				Action:     decision.Action,
				Proceeded:  decision.Action != record.Blocked && (d.status == transcript.OK || d.status == transcript.Failed),
				Corrected:  j.corrected(d),
				Reconciled: j.reconciled(d, about),
				Repeated:   repeated(all[i+1:], s.Rule),
				Delivered:  d.wasDelivered(s, decision, shows),
				Turn:       d.turn,
			}
			report(d.hit(e, s.Rule.String(), strings.Join([]string{d.id, s.Rule.String(), decision.Action.String(), decision.Gotcha.String()}, " ")))
		}
	}
}

// corrected tells whether the first prompt after the call was a correction.
func (j *join) corrected(d *decided) bool {
	for _, p := range j.prompts {
		if p.time.After(d.time) {
			return p.matched
		}
	}
	return false
}

// reconciled tells whether the agent later did what the rule asks for; nil for a
// rule that cannot be put right.
func (j *join) reconciled(d *decided, rule string) *bool {
	done := func(is func(deed) bool) bool {
		return slices.ContainsFunc(j.later, func(l deed) bool { return l.index > d.index && is(l) })
	}
	var yes bool
	switch rule {
	case "scope":
		yes = done(func(l deed) bool { return l.tasks })
	case "openspec-gate":
		yes = done(func(l deed) bool { return l.touches })
	case "defect":
		yes = done(func(l deed) bool { return l.review })
	case "generated-files":
		if d.path == "" {
			return nil
		}
		yes = !done(func(l deed) bool { return l.path == d.path })
	default:
		return nil
	}
	return &yes
}

// repeated counts the decisions of a rule at later calls.
func repeated(later []*decided, rule record.Name) int {
	n := 0
	for _, d := range later {
		if slices.ContainsFunc(d.decisions, func(s *record.Signal) bool { return s.Rule == rule }) {
			n++
		}
	}
	return n
}

// wasDelivered tells whether the transcript shows that the model was told. A
// suppressed decision told it nothing; a block is told by the call's own result.
func (d *decided) wasDelivered(s *record.Signal, e *record.DecisionEvidence, shows bool) *bool {
	told := d.delivered[s.Rule.String()]
	switch {
	case e.Action == record.Suppressed:
		return nil
	case e.Action == record.Blocked && d.status != 0:
		told = told || d.status == transcript.Blocked
	case !told && !shows:
		return nil
	}
	return &told
}

// showsHooks tells whether an agent of the version writes what hooks say into
// the transcript: seen from 2.1.119 on.
func showsHooks(version string) bool {
	return compareVersions(version, "2.1.119") >= 0
}

// compareVersions compares two versions of numbers and dots.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(versionPart(as, i), versionPart(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
