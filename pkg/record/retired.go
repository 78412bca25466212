package record

// KindRetired is the kind of a Retired.
const KindRetired Kind = "retired"

// Retired remembers a session whose signals the store dropped to stay within
// its retention, so that its transcript is not parsed again only to be dropped
// again. It is no signal: every stage ignores it.
type Retired struct {
	V           int       `json:"v"`
	Kind        Kind      `json:"kind"` // KindRetired
	SessionID   SessionID `json:"session_id"`
	Started     Timestamp `json:"started"`
	SourceBytes int64     `json:"source_bytes"` // of the transcript when it was last parsed
}
