package record

import (
	"maps"
	"slices"

	"retro/pkg/ndjson"
)

// Version is the schema version of every record.
const Version = 1

// Kind names a kind of record.
type Kind string

// The kinds that retro-scan and the hooks write.
const (
	Friction  Kind = "friction"  // one hit of a gate signal
	Candidate Kind = "candidate" // a hit that a guard held back
	Violation Kind = "violation" // a rule was broken
	Event     Kind = "event"     // something countable that is no breach
	Decision  Kind = "decision"  // a rule hook warned, blocked, held its tongue or showed a gotcha
	Outcome   Kind = "outcome"   // what came of a decision
	Session   Kind = "session"   // one per session, after its signals
)

// Tool names the agent whose transcript it was.
type Tool string

// The agents.
const (
	ClaudeCode  Tool = "claude-code"
	Codex       Tool = "codex"
	OpenCode    Tool = "opencode"
	Gemini      Tool = "gemini"
	Copilot     Tool = "copilot"
	Pi          Tool = "pi"
	UnknownTool Tool = "unknown"
)

// Confidence tells how a detector knows.
type Confidence string

// The two confidences.
const (
	Deterministic Confidence = "deterministic" // read off fields
	Heuristic     Confidence = "heuristic"     // read off words
)

// Origin tells where a signal was seen.
type Origin string

// The two origins.
const (
	FromTranscript Origin = "transcript"
	FromHook       Origin = "hook"
)

// Count is a number under a name. Lists of it are sorted by name unless the
// field says otherwise.
type Count struct {
	Name  Name `json:"name"`
	Count int  `json:"count"`
}

// Counts is a list of counts that is also read from an object of numbers by
// name, the form of older session records.
type Counts []Count

// UnmarshalJSON reads the list or the object; the object's names come sorted.
func (c *Counts) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return ndjson.Unmarshal(data, (*[]Count)(c))
	}
	var byName map[string]int
	if err := ndjson.Unmarshal(data, &byName); err != nil {
		return err
	}
	*c = (*c)[:0]
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		*c = append(*c, Count{NewName(name), byName[name]})
	}
	return nil
}

// Signal is the envelope of everything that was seen in a session. The signals
// store holds the same lines.
type Signal struct {
	V          int        `json:"v"`
	TS         Timestamp  `json:"ts"`
	Tool       Tool       `json:"tool"`
	SessionID  SessionID  `json:"session_id"`
	Kind       Kind       `json:"kind"`
	Rule       Name       `json:"rule"` // `none` when no rule is meant
	Detector   Name       `json:"detector"`
	Confidence Confidence `json:"confidence"`
	Origin     Origin     `json:"origin"`
	// Evidence is one of the evidence types of this package, chosen by the
	// detector.
	Evidence Evidence `json:"evidence"`
	// ID is the same for the same hit found twice (a hash of session, detector
	// and anchor or tool_use id), so a job run twice counts once downstream.
	ID Hash `json:"id"`
	// Error says why a session could not be read, in words of this program.
	Error string `json:"error,omitempty"`
}
