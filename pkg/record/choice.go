package record

import "slices"

// The types of this file are words of a closed list. Their values are the
// variables below; no other can be made outside the package, and reading
// refuses any other.

// Proof tells what came after the early searches of graph-first.
type Proof struct{ word }

// The proofs.
var (
	MCPLater    = Proof{word{"mcp-later"}}    // the graph's tool was used later in the session
	SQLiteLater = Proof{word{"sqlite-later"}} // its database was read through the shell
	TotalBypass = Proof{word{"total-bypass"}} // it was never looked at
)

// UnmarshalJSON reads one of the proofs.
func (p *Proof) UnmarshalJSON(data []byte) (err error) {
	p.word, err = readChoice(data, MCPLater.word, SQLiteLater.word, TotalBypass.word)
	return err
}

// GeneratedReason tells by what a file was known to be generated.
type GeneratedReason struct{ word }

// The reasons, in the order in which they are tried.
var (
	ByDirectory = GeneratedReason{word{"directory"}}
	ByFilename  = GeneratedReason{word{"filename"}}
	ByHeader    = GeneratedReason{word{"header"}}
)

// UnmarshalJSON reads one of the reasons.
func (r *GeneratedReason) UnmarshalJSON(data []byte) (err error) {
	r.word, err = readChoice(data, ByDirectory.word, ByFilename.word, ByHeader.word)
	return err
}

// Via tells how a dependency was added.
type Via struct{ word }

// The two ways.
var (
	ViaCommand = Via{word{"command"}}
	ViaEdit    = Via{word{"edit"}}
)

// UnmarshalJSON reads one of the ways.
func (v *Via) UnmarshalJSON(data []byte) (err error) {
	v.word, err = readChoice(data, ViaCommand.word, ViaEdit.word)
	return err
}

// Action is what a rule hook did.
type Action struct{ word }

// The actions.
var (
	Warned     = Action{word{"warned"}}
	Blocked    = Action{word{"blocked"}}
	Suppressed = Action{word{"suppressed"}} // it had warned already in this session and said nothing
	Surfaced   = Action{word{"surfaced"}}   // a gotcha entry was shown
)

// UnmarshalJSON reads one of the actions.
func (a *Action) UnmarshalJSON(data []byte) (err error) {
	a.word, err = readChoice(data, Warned.word, Blocked.word, Suppressed.word, Surfaced.word)
	return err
}

func readChoice(data []byte, choices ...word) (word, error) {
	return readWord(data, func(s string) bool { return slices.Contains(choices, word{s}) })
}
