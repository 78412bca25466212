package record

import "sync"

// Site says where in the session a rule signal was seen, so that a person can
// look it up: nothing of it is text.
type Site struct {
	// Turn is the number of the turn in the session, counted from 1; 0 when it
	// is not known, as in a hook.
	Turn int `json:"turn,omitempty"`
	// ToolUseID is the id of the tool call that broke the rule.
	ToolUseID Identifier `json:"tool_use_id,omitempty"`
}

// GraphFirstEvidence belongs to the violation graph-first: searches before the
// first look into the code graph. One a session.
type GraphFirstEvidence struct {
	Count      int    `json:"count"`       // early searches
	FirstIndex int    `json:"first_index"` // index of the first among the session's tool calls, from 0
	Tools      []Name `json:"tools"`       // sorted, distinct
	Proof      Proof  `json:"proof"`
	Site
}

// OpenSpecGateEvidence belongs to the violation openspec-gate: two or more
// source files edited without a proposal. One a session.
type OpenSpecGateEvidence struct {
	Files []Path `json:"files"` // the first 20, in the order of first sight
	Count int    `json:"count"` // all of them
	Site
}

// ScopeEvidence belongs to the violation scope-warning: an edit outside the
// file list of the active change.
type ScopeEvidence struct {
	Path     Path `json:"path"`
	OpenSpec Name `json:"openspec"` // name of the change's directory
	Site
}

// GeneratedFileEvidence belongs to the violation generated-file-block: an edit
// of a generated file.
type GeneratedFileEvidence struct {
	Path   Path            `json:"path"`
	Reason GeneratedReason `json:"reason"`
	Site
}

// BuildRetryEvidence belongs to the event build-retry: one command run three
// times or more with two errors or more.
type BuildRetryEvidence struct {
	Program Program `json:"program"`
	Hash    Hash    `json:"hash"` // of the whole command, see [CommandHash]
	Runs    int     `json:"runs"`
	Errors  int     `json:"errors"`
	// Gotchas are the ids of the gotcha entries whose commands occur in it.
	Gotchas []Name `json:"gotchas,omitempty"`
	Site
}

// UserCorrectionEvidence belongs to the violation user-correction: a prompt
// after a tool call that matches a correction pattern.
type UserCorrectionEvidence struct {
	Pattern   Name `json:"pattern"` // id of the pattern, never what matched
	AfterTool bool `json:"after_tool"`
	// Anchor is the id of the prompt's record.
	Anchor Anchor `json:"anchor,omitempty"`
	Site
}

// DefectEvidence belongs to the violation defect: a fix commit on files that
// another recent commit touched. One for each pair of commits.
type DefectEvidence struct {
	Fix    Hash   `json:"fix"`
	Origin Hash   `json:"origin"`
	Files  []Path `json:"files"` // sorted, at most 20
	Count  int    `json:"count"` // all of them
	Days   int    `json:"days"`  // how far back from the fix was looked
	Site
}

// NewDependencyEvidence belongs to the violation new-dependency: a command or
// an edit that adds a dependency.
type NewDependencyEvidence struct {
	Program  Program `json:"program"`  // empty for an edit
	Manifest Path    `json:"manifest"` // empty for a command
	Via      Via     `json:"via"`
	Site
}

// DecisionEvidence belongs to the decision of a rule hook: what it did at the
// moment of a call.
type DecisionEvidence struct {
	Action    Action     `json:"action"`
	ToolUseID Identifier `json:"tool_use_id"`
	Hook      Name       `json:"hook"`
	Path      Path       `json:"path"`             // empty when the call has none
	Gotcha    Name       `json:"gotcha,omitempty"` // id of the entry that was shown
}

// OutcomeEvidence belongs to the outcome of a decision, as the transcript shows
// it.
type OutcomeEvidence struct {
	ToolUseID Identifier `json:"tool_use_id"`
	Action    Action     `json:"action"`
	// Proceeded: the call was carried out; never after a block or a refusal.
	Proceeded bool `json:"proceeded"`
	// Corrected: the next prompt matched a correction pattern.
	Corrected bool `json:"corrected"`
	// Reconciled: the agent later did what the rule asks for; null for a rule
	// that cannot be made good.
	Reconciled *bool `json:"reconciled"`
	// Repeated counts later decisions of the same rule in the session.
	Repeated int `json:"repeated"`
	// Delivered: the transcript shows that the warning reached the model; null
	// when this agent version does not show it. A warning that was never
	// delivered is no evidence that it was ignored.
	Delivered *bool `json:"delivered"`
	// Turn is the turn of the call, counted from 1.
	Turn int `json:"turn,omitempty"`
}

// RuleEvidence is the evidence of a rule detector. Its type settles what the
// signal is, see [NewRuleSignal].
type RuleEvidence interface {
	Evidence
	detector() ruleDetector
}

// ruleDetector is one row of the rules specification's table: which kind, rule,
// confidence and origin belong to a detector.
type ruleDetector struct {
	name       string
	kind       Kind
	rule       string
	confidence Confidence
	origin     Origin
}

func (*GraphFirstEvidence) detector() ruleDetector {
	return ruleDetector{"graph-first", Violation, "graph-first", Deterministic, FromTranscript}
}

func (*OpenSpecGateEvidence) detector() ruleDetector {
	return ruleDetector{"openspec-gate", Violation, "openspec-gate", Heuristic, FromTranscript}
}

func (*ScopeEvidence) detector() ruleDetector {
	return ruleDetector{"scope-warning", Violation, "scope", Deterministic, FromHook}
}

func (*GeneratedFileEvidence) detector() ruleDetector {
	return ruleDetector{"generated-file-block", Violation, "generated-files", Deterministic, FromHook}
}

func (*BuildRetryEvidence) detector() ruleDetector {
	return ruleDetector{"build-retry", Event, "none", Deterministic, FromTranscript}
}

func (*UserCorrectionEvidence) detector() ruleDetector {
	return ruleDetector{"user-correction", Violation, "user-correction", Heuristic, FromTranscript}
}

func (*DefectEvidence) detector() ruleDetector {
	return ruleDetector{"defect", Violation, "defect", Deterministic, FromTranscript}
}

func (*NewDependencyEvidence) detector() ruleDetector {
	return ruleDetector{"new-dependency", Violation, "no-new-deps", Deterministic, FromTranscript}
}

func (*DecisionEvidence) detector() ruleDetector {
	return ruleDetector{"decision", Decision, "none", Deterministic, FromHook}
}

func (*OutcomeEvidence) detector() ruleDetector {
	return ruleDetector{"outcome", Outcome, "none", Deterministic, FromTranscript}
}

func (*GraphFirstEvidence) evidence()     {}
func (*OpenSpecGateEvidence) evidence()   {}
func (*ScopeEvidence) evidence()          {}
func (*GeneratedFileEvidence) evidence()  {}
func (*BuildRetryEvidence) evidence()     {}
func (*UserCorrectionEvidence) evidence() {}
func (*DefectEvidence) evidence()         {}
func (*NewDependencyEvidence) evidence()  {}
func (*DecisionEvidence) evidence()       {}
func (*OutcomeEvidence) evidence()        {}

// NewRuleSignal makes the signal of a piece of evidence: kind, rule, detector,
// confidence and origin follow from its type, so no detector can get them
// wrong. A decision and an outcome carry the rule of the hook, which the caller
// puts in; the session, the moment and the id ([Signal.Identify]) are the
// caller's too.
func NewRuleSignal(evidence RuleEvidence) Signal {
	d := evidence.detector()
	return Signal{
		V:          Version,
		Kind:       d.kind,
		Rule:       NewName(d.rule),
		Detector:   NewName(d.name),
		Confidence: d.confidence,
		Origin:     d.origin,
		Evidence:   evidence,
	}
}

// Identify sets the signal's id from its session, its detector and the parts
// that tell this hit from the others of the session: an anchor, a tool call's
// id, a command hash.
func (s *Signal) Identify(parts ...string) {
	s.ID = HashOf(16, append([]string{s.SessionID.String(), s.Detector.String()}, parts...)...)
}

// ruleEvidence makes an empty evidence value for a rule detector; nil when the
// detector is not known or does not make signals of that kind.
func ruleEvidence(kind Kind, detector string) Evidence {
	if empty := ruleEvidences()[evidenceKey{kind, detector}]; empty != nil {
		return empty()
	}
	return nil
}

// evidenceKey is what tells the type of evidence.
type evidenceKey struct {
	kind     Kind
	detector string
}

// ruleEvidences makes empty evidence values.
var ruleEvidences = sync.OnceValue(func() map[evidenceKey]func() RuleEvidence {
	table := make(map[evidenceKey]func() RuleEvidence)
	for _, empty := range []func() RuleEvidence{
		empty[GraphFirstEvidence], empty[OpenSpecGateEvidence], empty[ScopeEvidence], empty[GeneratedFileEvidence],
		empty[BuildRetryEvidence], empty[UserCorrectionEvidence], empty[DefectEvidence], empty[NewDependencyEvidence],
		empty[DecisionEvidence], empty[OutcomeEvidence],
	} {
		d := empty().detector()
		table[evidenceKey{d.kind, d.name}] = empty
	}
	return table
})

func empty[T any, P interface {
	*T
	RuleEvidence
}]() RuleEvidence {
	return P(new(T))
}
