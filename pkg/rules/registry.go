package rules

import (
	"regexp"
	"strings"
)

// Path is where a project keeps its registry, relative to its root.
const Path = ".github/retro/rules.json"

// Enforcement is a rung of the ladder.
type Enforcement string

// The rungs, quietest first.
const (
	Prose     Enforcement = "prose"
	HookWarn  Enforcement = "hook-warn"
	HookBlock Enforcement = "hook-block"
)

// Registry is a checked registry.
type Registry struct {
	Version     int
	SeedVersion int
	Rules       []Rule
	Thresholds  Thresholds
	// Patterns are the enabled and disabled correction patterns, in file order:
	// the first enabled match names the correction.
	Patterns []Pattern
	// MaxSessions is how many sessions the signals store keeps, 1 or more.
	MaxSessions int
	// IgnorePrefixes are the beginnings of session ids that no figure counts:
	// probes that test a hook.
	IgnorePrefixes []string
	Settings       Settings
	// LastRetro is nil before the first retrospective.
	LastRetro *LastRetro
}

// Rule is one entry of the registry. Days are YYYY-MM-DD, "" when not set.
type Rule struct {
	ID          string
	Title       string
	Source      Source
	Enforcement Enforcement
	Hard        bool
	// Detector is the name of what sees the rule broken; "" for a rule that
	// nothing measures.
	Detector string
	Added    string
	// LastChanged splits the figures into before and after.
	LastChanged string
	// OutcomesSince is the first day whose outcomes count: before it the rule's
	// hook worked in another way.
	OutcomesSince string
}

// Source says where a rule is written down.
type Source struct {
	File   string `json:"file"`
	Anchor string `json:"anchor"` // a heading or key in the file
}

// Thresholds are the least figures at which the report draws a conclusion.
// Those named Sessions count episodes (session x day).
type Thresholds struct {
	DeterministicEvents    int
	DeterministicSessions  int
	HeuristicEvents        int
	HeuristicSessions      int
	PruneSessions          int // the newest episodes in which a rule must be silent to be proposed for removal
	InstructionTokenBudget int // tokens of the instruction files that are always loaded
	RetroPromptMinSessions int // episodes since the last retrospective at which to ask for the next
	BootstrapMinArchives   int // archived changes at which a project without registry is worth starting
	DefectLookbackDays     int
	EscalateIgnoredRate    float64 // share of ignored warnings, 0 to 1, at which a warning becomes a block
}

// Pattern is one correction pattern; Regex matches without regard to case.
type Pattern struct {
	ID      string
	Regex   *regexp.Regexp
	Enabled bool
}

// LastRetro says when the last retrospective was held and in which session.
type LastRetro struct {
	Date             string `json:"date"` // RFC 3339 UTC as this program writes it; any text as read
	SessionID        string `json:"session_id"`
	CapturedSessions int    `json:"captured_sessions"`
}

// Settings name what stands for a code graph, for OpenSpec and for a review in
// this project, so that a project with other tools changes words and no code.
type Settings struct {
	CodeGraph CodeGraph `json:"code_graph"`
	OpenSpec  OpenSpec  `json:"openspec"`
	// ReviewSkills are endings of the names of skills, sub-agents and slash
	// commands that review or verify a change.
	ReviewSkills []string `json:"review_skills"`
	// Call is what the session-start line asks a person to run when the figures
	// ask for a retrospective: a slash command or a program.
	Call string `json:"call"`
}

// CodeGraph says how a look into the code graph is told from other calls.
type CodeGraph struct {
	ToolPrefixes []string `json:"tool_prefixes"` // beginnings of tool names
	Database     string   `json:"database"`      // relative to the root; its presence means that there is a graph
}

// OpenSpec says where change proposals live, relative to the root, with
// forward slashes and without a final one.
type OpenSpec struct {
	Root    string `json:"root"`
	Changes string `json:"changes"`
	Archive string `json:"archive"`
}

// Rule returns the rule with the id.
func (r *Registry) Rule(id string) (Rule, bool) {
	for _, rule := range r.Rules {
		if rule.ID == id {
			return rule, true
		}
	}
	return Rule{}, false
}

// Ignores tells whether no figure counts the session.
func (r *Registry) Ignores(sessionID string) bool {
	for _, prefix := range r.IgnorePrefixes {
		if strings.HasPrefix(sessionID, prefix) {
			return true
		}
	}
	return false
}

// IsTool tells whether a call of the tool is a look into the code graph.
func (g CodeGraph) IsTool(name string) bool {
	for _, prefix := range g.ToolPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// IsReview tells whether a skill, sub-agent or slash command of that name
// reviews a change. Case and a plug-in's name before it do not matter.
func (s Settings) IsReview(name string) bool {
	name = strings.ToLower(name)
	for _, ending := range s.ReviewSkills {
		if strings.HasSuffix(name, strings.ToLower(ending)) {
			return true
		}
	}
	return false
}
