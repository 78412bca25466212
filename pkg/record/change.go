package record

// KindChange is the kind of a [Change].
const KindChange Kind = "change"

// ChangeType says what a change does to the guardrails of a project.
type ChangeType string

// The types. An edit-rule is of the rule's hook or of its prose, see
// [Change.Of].
const (
	NewHook            ChangeType = "new-hook"
	EditRule           ChangeType = "edit-rule"
	AddRule            ChangeType = "add-rule"
	NewInstructionFile ChangeType = "new-instruction-file"
	PruneRule          ChangeType = "prune-rule"
	Structural         ChangeType = "structural"
	AddGotcha          ChangeType = "add-gotcha"
	PruneGotcha        ChangeType = "prune-gotcha"
	EscalateGotcha     ChangeType = "escalate-gotcha"
)

// Change is one change that a proposal proposes. Nothing is applied by itself.
type Change struct {
	V      int        `json:"v"`
	Kind   Kind       `json:"kind"`   // KindChange
	Number int        `json:"number"` // in the proposal, from 1
	Type   ChangeType `json:"type"`
	Of     string     `json:"of,omitempty"` // of an edit-rule: `hook` or `prose`
	Target string     `json:"target"`       // the rule, directory, program or gotcha
	// Happened, Matters and Changes are one plain sentence each.
	Happened string         `json:"what_happened"`
	Matters  string         `json:"why_it_matters"`
	Changes  string         `json:"what_changes"`
	Evidence ChangeEvidence `json:"evidence"`
	// Stub tells that the patch holds texts that a person has to write.
	Stub bool `json:"stub"`
}

// ChangeEvidence is what a change stands on. Every number comes from a record.
type ChangeEvidence struct {
	Rule        string     `json:"rule,omitempty"`
	Events      int        `json:"events"`
	Sessions    int        `json:"sessions"`
	First       Day        `json:"first"`
	Last        Day        `json:"last"`
	Detector    string     `json:"detector"`
	Confidence  Confidence `json:"confidence"`
	Enforcement string     `json:"enforcement,omitempty"`
	Hard        bool       `json:"hard"`
	Source      RuleSource `json:"source"`
	// Ignored is the share of warnings that were ignored, for a hook that shall
	// block; null for every other change.
	Ignored  *Rate  `json:"ignored"`
	Proposed string `json:"proposed"`
	// Instructions and Hooks are tokens more (or less) in instruction files and
	// files for hooks; of texts that a person writes, the most that they may
	// have.
	Instructions int `json:"token_delta_instructions"`
	Hooks        int `json:"token_delta_hooks"`
	// Pair is the deletion that makes room for an addition when the instruction
	// files are over their budget.
	Pair  *ChangePair `json:"pair"`
	Patch string      `json:"patch"` // file in the proposal; empty for none
}

// ChangePair is a deletion that an addition is paired with.
type ChangePair struct {
	What   string `json:"what"`
	Tokens int    `json:"tokens"` // that it saves, at least
}
