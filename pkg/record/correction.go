package record

import "retro/pkg/redact"

// KindCorrection is the kind of a Correction.
const KindCorrection Kind = "correction"

// Correction is a prompt that may correct the agent. It quotes the session, so
// it comes only from its own command and never goes into a store; a person
// decides what it is.
type Correction struct {
	V         int       `json:"v"`
	Kind      Kind      `json:"kind"` // KindCorrection
	TS        Timestamp `json:"ts"`
	SessionID SessionID `json:"session_id"`
	// Anchor is the message's uuid.
	Anchor Anchor `json:"anchor"`
	// Markers are the ids of the markers in it, in the order of the text.
	Markers []Identifier `json:"markers"`
	// Prompt is its first 200 characters.
	Prompt redact.Text `json:"prompt"`
	// LastAction is the last tool call before it: `Bash: COMMAND`,
	// `Edit: PATH`, or the tool's name; empty when there was none.
	LastAction redact.Text `json:"last_action"`
	// Tail is the last 200 characters of what the agent said before it.
	Tail redact.Text `json:"tail"`
	// ID is the same for the same prompt found twice.
	ID Hash `json:"id"`
}
