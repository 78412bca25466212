package guard

import (
	"slices"
	"strings"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/rules"
)

// Guard runs the rule hooks of one project.
type Guard struct {
	// Registry says which rules there are and how loudly each is enforced.
	Registry *rules.Registry
	// Project is the project with its file system.
	Project *predicate.Project
	// Markers is the folder of the markers; it is made when it is needed.
	Markers string
}

// Event is what the agent tells a hook before a call, or when a prompt was typed.
type Event struct {
	Session   record.SessionID
	ToolUseID string
	// Call is the call that is about to be made; nil for a prompt.
	Call *predicate.Call
	// Prompt is the text of a prompt.
	Prompt string
	// Subagent tells that a sub-agent makes the call.
	Subagent bool
	// Time is now.
	Time time.Time
}

// Answer is what the agent is told, and what is to be recorded.
type Answer struct {
	// Block refuses the call and says why; empty lets it pass. Nothing else is
	// told then.
	Block string
	// Warning is for the person and the model, Context for the model alone.
	Warning, Context string
	// Signals are the decisions and the violations.
	Signals []record.Signal
}

// hook is the hook of one rule.
type hook struct {
	// detector is the name by which the registry's rule is found, name the
	// hook's own, which decisions carry.
	detector, name string
	// judge looks at an event and remembers what later events need. It gives nil
	// when the rule is kept.
	judge func(*watch) *finding
	// violates tells that a finding is a violation: nothing else sees the rule
	// broken.
	violates bool
}

// finding is a rule about to be broken.
type finding struct {
	text string
	path record.Path // empty when the call has none
	// once is the marker under which it is said one time; quiet is the other
	// way round when no marker can be written.
	once  string
	quiet bool
	// violation is what is recorded of the breach itself, if anything.
	violation record.RuleEvidence
	// passed is run when the call was not refused.
	passed func()
}

// hooks are all of them, in the order in which their texts are told.
func hooks() []hook {
	return []hook{
		{"generated-file-block", "block-generated", generatedFiles, true},
		{"scope-warning", "warn-scope", scope, true},
		{"openspec-gate", "openspec-gate-warn", openSpecGate, false},
		{"new-dependency", "no-new-deps-warn", noNewDeps, false},
		{"defect", "defect-warn", defect, false},
		{"graph-first", "graph-first-warn", graphFirst, false},
	}
}

// watch is one event under way.
type watch struct {
	*Event
	project *predicate.Project
	marks   markers
	answer  Answer
}

// judged is a finding with what belongs to it.
type judged struct {
	*finding
	hook string
	rule rules.Rule
}

// Answer judges an event.
func (g *Guard) Answer(e *Event) Answer {
	w := &watch{Event: e, project: g.Project, marks: openMarkers(g.Markers, e.Session, e.Time)}
	found := w.judge(g.Registry)
	if blocks(found) {
		w.block(found)
		return w.answer
	}
	for _, f := range found {
		w.say(f)
	}
	w.surface()
	return w.answer
}

// judge asks each hook whose rule is there. One whose rule is prose is asked only
// when nothing else would see the breach.
func (w *watch) judge(registry *rules.Registry) []judged {
	var out []judged
	for _, h := range hooks() {
		i := slices.IndexFunc(registry.Rules, func(r rules.Rule) bool { return r.Detector == h.detector })
		if i < 0 || registry.Rules[i].Enforcement == rules.Prose && !h.violates {
			continue
		}
		if f := h.judge(w); f != nil {
			out = append(out, judged{f, h.name, registry.Rules[i]})
		}
	}
	return out
}

func blocks(found []judged) bool {
	return slices.ContainsFunc(found, func(f judged) bool { return f.rule.Enforcement == rules.HookBlock })
}

// block refuses the call, every time.
func (w *watch) block(found []judged) {
	var texts []string
	for _, f := range found {
		if f.rule.Enforcement != rules.HookBlock {
			continue
		}
		text := f.text
		if !strings.HasPrefix(text, blocked) {
			text = blocked + text
		}
		texts = append(texts, text)
		w.violated(f)
		w.decide(f.rule.ID, f.hook, record.Blocked, f.path, record.Name{})
	}
	w.answer.Block = strings.Join(texts, "\n")
}

// blocked begins every refusal, so that the counters of blocks know it.
const blocked = "BLOCKED: "

// say tells a finding the first time, and holds it back after that.
func (w *watch) say(f judged) {
	first, known := w.marks.once(f.once)
	if !known {
		first = !f.quiet
	}
	if f.passed != nil {
		f.passed()
	}
	switch {
	case f.rule.Enforcement == rules.Prose:
		if first {
			w.violated(f)
		}
	case first:
		w.violated(f)
		w.answer.Warning = joined(w.answer.Warning, "\n", f.text)
		w.answer.Context = joined(w.answer.Context, "\n", f.text)
		w.decide(f.rule.ID, f.hook, record.Warned, f.path, record.Name{})
	case known || !f.quiet:
		w.decide(f.rule.ID, f.hook, record.Suppressed, f.path, record.Name{})
	}
}

func joined(text, separator, more string) string {
	if text == "" {
		return more
	}
	return text + separator + more
}

// surface shows the gotchas about the call that the session has not seen.
func (w *watch) surface() {
	if w.Call == nil || !w.Call.IsEdit() && !w.Call.IsShell() {
		return
	}
	var texts []string
	var path record.Path
	about := "this command"
	if w.Call.IsEdit() {
		path = w.project.Path(w.Call.Dir, w.Call.Path)
		about = "`" + path.String() + "`"
	}
	for _, entry := range w.project.Gotchas() {
		if !entry.Applies(w.project, w.Call) {
			continue
		}
		if first, known := w.marks.once("gotcha-" + hashed(entry.ID)); first && known {
			texts = append(texts, entry.Text)
			w.decide("gotchas", "gotcha-surface", record.Surfaced, path, record.NewName(entry.ID))
		}
	}
	if len(texts) > 0 {
		head := "[gotcha] GOTCHAS.md entries that apply to " + about + ". Follow their Fix / rule:"
		w.answer.Context = joined(w.answer.Context, "\n\n", head+"\n\n"+strings.Join(texts, "\n\n"))
	}
}

// violated records the breach itself.
func (w *watch) violated(f judged) {
	if f.violation == nil {
		return
	}
	s := record.NewRuleSignal(f.violation)
	s.Rule = record.NewName(f.rule.ID)
	w.record(s, f.path.String())
}

// decide records what a hook did.
func (w *watch) decide(rule, hook string, action record.Action, path record.Path, gotcha record.Name) {
	s := record.NewRuleSignal(&record.DecisionEvidence{
		Action: action, ToolUseID: w.callID(), Hook: record.NewName(hook), Path: path, Gotcha: gotcha,
	})
	s.Rule = record.NewName(rule)
	w.record(s, rule, action.String(), gotcha.String())
}

// record completes a signal. The id leaves the time out when the call has an id
// of its own, so that two copies of the hook, both wired, count once.
func (w *watch) record(s record.Signal, parts ...string) {
	s.TS, s.Tool, s.SessionID = record.NewTimestamp(w.Time), record.ClaudeCode, w.Session
	key := w.ToolUseID
	if key == "" {
		key = s.TS.String()
	}
	s.Identify(append([]string{key}, parts...)...)
	w.answer.Signals = append(w.answer.Signals, s)
}

func (w *watch) callID() record.Identifier {
	id, _ := record.NewIdentifier(w.ToolUseID)
	return id
}

func (w *watch) site() record.Site { return record.Site{ToolUseID: w.callID()} }

// hashed is a text in the name of a marker.
func hashed(text string) string { return record.HashOf(12, text).String() }
