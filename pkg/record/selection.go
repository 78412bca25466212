package record

// The kinds that tell what was read and what was not.
const (
	KindSelection Kind = "selection" // what a scan with selection flags left out
	KindSeen      Kind = "seen"      // a session that was read before: a row of the file of --mark-seen
)

// Selection says what a scan chose from the sessions it found, so that a later
// stage never takes "left out" for "not there". Counts of several scans add up.
type Selection struct {
	V    int  `json:"v"`
	Kind Kind `json:"kind"` // KindSelection
	// Found counts the sessions, Read those of them that were to be read.
	Found int `json:"found"`
	Read  int `json:"read"`
	// LeftOut counts the others by reason: `in-progress`, `retro`, `seen`.
	LeftOut []Count `json:"left_out"`
	// Cut counts the sessions of Read that end, for us, where a person ran a
	// retrospective.
	Cut int `json:"cut"`
}

// Seen is a session as it was when it was read. Another size is another
// session to read.
type Seen struct {
	V         int       `json:"v"`
	Kind      Kind      `json:"kind"` // KindSeen
	SessionID SessionID `json:"session_id"`
	// Size is that of all its files on disk, in bytes.
	Size int64 `json:"size"`
}
