package record

import (
	"retro/pkg/ndjson"
)

// Evidence is what a detector may say of its hit: one struct type a detector,
// with typed fields only. The set is closed: the marker method is not exported.
type Evidence interface{ evidence() }

// FrictionEvidence belongs to friction and candidate signals.
type FrictionEvidence struct {
	// Signal is the name of the gate signal: S1 to S5, or a later one.
	Signal Identifier `json:"signal"`
	Anchor Anchor     `json:"anchor"`
	// Path is the file of an edit loop.
	Path Path `json:"path,omitempty"`
	// Turn is the number of the turn in the session, counted from 1; 0 before
	// the first.
	Turn int `json:"turn"`
	// Features are the named reasons for the hit, from the profile's list.
	Features []Identifier `json:"features,omitempty"`
	// SuppressedBy names the guards that held a candidate back.
	SuppressedBy []Identifier `json:"suppressed_by,omitempty"`
}

func (*FrictionEvidence) evidence() {}

// Usage counts tokens. The four counters are kept apart: input does not
// include cached tokens, as in the agent's own `usage` object.
type Usage struct {
	Input       int64 `json:"input"`
	Output      int64 `json:"output"`
	CacheRead   int64 `json:"cache_read"`
	CacheCreate int64 `json:"cache_create"`
}

// Add adds v to u. v may be a difference, as when a later line of a message
// corrects the usage of an earlier one. A sum beyond maxTokens stays there, so
// that absurd records cannot turn it negative.
func (u *Usage) Add(v Usage) {
	u.Input = addTokens(u.Input, v.Input)
	u.Output = addTokens(u.Output, v.Output)
	u.CacheRead = addTokens(u.CacheRead, v.CacheRead)
	u.CacheCreate = addTokens(u.CacheCreate, v.CacheCreate)
}

// Total is the sum of the four counters.
func (u Usage) Total() int64 {
	return addTokens(addTokens(u.Input, u.Output), addTokens(u.CacheRead, u.CacheCreate))
}

// maxTokens is the end of every sum of tokens. It is the greatest integer that
// a reader of JSON with floating-point numbers keeps exactly.
const maxTokens = 1<<53 - 1

// addTokens adds two counts, each taken to lie within maxTokens of 0.
func addTokens(a, b int64) int64 { return tokens(tokens(a) + tokens(b)) }

func tokens(n int64) int64 { return min(max(n, -maxTokens), maxTokens) }

// evidenceOf makes an empty evidence value for a detector; nil for a detector
// this version does not know.
func evidenceOf(kind Kind, detector string) Evidence {
	switch kind {
	case Friction, Candidate:
		return new(FrictionEvidence)
	case Session:
		return new(SessionEvidence)
	}
	return ruleEvidence(kind, detector)
}

// UnmarshalJSON reads a signal; evidence of a detector that this version does
// not know is left nil.
//
// Note: the stages after the scan do little else than read signals. Taken apart
// in place a record costs half of what it does by the JSON library, which copies the
// text of the evidence, and of the whole, before it reads it.
func (s *Signal) UnmarshalJSON(data []byte) error {
	var w ndjson.Walker
	var evidence ndjson.Value
	var err error
	w.Reset(data)
	whole := w.Members(func(key []byte, v ndjson.Value) bool {
		if string(key) == "evidence" {
			evidence = v
		} else {
			err = s.member(key, v)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	if !whole || !w.End() {
		return errRefused
	}
	s.Evidence = evidenceOf(s.Kind, s.Detector.String())
	if s.Evidence == nil || evidence == nil {
		return nil
	}
	return ndjson.Unmarshal(evidence, s.Evidence)
}

// member reads a member of the envelope.
func (s *Signal) member(key []byte, v ndjson.Value) (err error) {
	switch string(key) {
	case "v":
		if string(v) == "1" {
			s.V = 1
			return nil
		}
		return ndjson.Unmarshal(v, &s.V)
	case "ts":
		return s.TS.UnmarshalJSON(v)
	case "tool":
		s.Tool, err = readConstant(v, ClaudeCode)
	case "session_id":
		return s.SessionID.UnmarshalJSON(v)
	case "kind":
		s.Kind, err = readConstant(v, Friction, Session, Event, Violation)
	case "rule":
		return s.Rule.UnmarshalJSON(v)
	case "detector":
		return s.Detector.UnmarshalJSON(v)
	case "confidence":
		s.Confidence, err = readConstant(v, Deterministic, Heuristic)
	case "origin":
		s.Origin, err = readConstant(v, FromTranscript, FromHook)
	case "id":
		return s.ID.UnmarshalJSON(v)
	case "error":
		s.Error, err = textOf(v)
	}
	return err
}

// readConstant reads a text; those that come often are not made anew.
func readConstant[T ~string](v ndjson.Value, often ...T) (T, error) {
	for _, c := range often {
		if len(v) == len(c)+2 && v[0] == '"' && string(v[1:len(v)-1]) == string(c) {
			return c, nil
		}
	}
	s, err := textOf(v)
	return T(s), err
}
