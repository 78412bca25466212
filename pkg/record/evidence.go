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
func (s *Signal) UnmarshalJSON(data []byte) error {
	var w ndjson.Walker
	var e Envelope
	w.Reset(data)
	if !e.Read(&w) {
		return errRefused
	}
	return new(Reader).Signal(&e, s)
}

// Signal reads a signal; evidence of a detector that this version does not know is
// left nil.
func (r *Reader) Signal(e *Envelope, s *Signal) error {
	for _, err := range [...]error{
		optional(e.V, func(v ndjson.Value) error { return integer(v, &s.V) }),
		optional(e.TS, func(v ndjson.Value) error { return s.TS.UnmarshalJSON(v) }),
		optional(e.Tool, func(v ndjson.Value) error { return constant(r, v, &s.Tool) }),
		optional(e.SessionID, func(v ndjson.Value) error { return r.name(v, &s.SessionID) }),
		optional(e.Kind, func(v ndjson.Value) error { return constant(r, v, &s.Kind) }),
		optional(e.Rule, func(v ndjson.Value) error { return r.name(v, &s.Rule) }),
		optional(e.Detector, func(v ndjson.Value) error { return r.name(v, &s.Detector) }),
		optional(e.Confidence, func(v ndjson.Value) error { return constant(r, v, &s.Confidence) }),
		optional(e.Origin, func(v ndjson.Value) error { return constant(r, v, &s.Origin) }),
		optional(e.ID, func(v ndjson.Value) error { return s.ID.UnmarshalJSON(v) }),
		optional(e.Error, func(v ndjson.Value) (err error) { s.Error, err = textOf(v); return err }),
	} {
		if err != nil {
			return err
		}
	}
	r.Automated = false
	if r.Counting && (s.Kind == Friction || s.Kind == Candidate) {
		return r.sharedFriction(e.Evidence, s)
	}
	s.Evidence = evidenceOf(s.Kind, s.Detector.String())
	if s.Evidence == nil || e.Evidence == nil {
		return nil
	}
	switch evidence := s.Evidence.(type) {
	case *FrictionEvidence:
		return r.frictionEvidence(e.Evidence, evidence)
	case *SessionEvidence:
		return r.session(e.Evidence, evidence)
	}
	return ndjson.Unmarshal(e.Evidence, s.Evidence)
}

// optional reads a value that is there.
func optional(v ndjson.Value, read func(ndjson.Value) error) error {
	if v == nil {
		return nil
	}
	return read(v)
}

// sharedFriction reads the signal of friction evidence.
func (r *Reader) sharedFriction(v ndjson.Value, s *Signal) error {
	r.friction = FrictionEvidence{Features: r.friction.Features[:0]}
	if v != nil {
		if err := r.frictionEvidence(v, &r.friction); err != nil {
			return err
		}
	}
	name := r.friction.Signal
	shared := r.shared[name.String()]
	if shared == nil {
		if r.shared == nil || len(r.shared) >= keptTexts {
			r.shared = map[string]*FrictionEvidence{}
		}
		shared = &FrictionEvidence{Signal: name}
		r.shared[name.String()] = shared
	}
	s.Evidence = shared
	return nil
}

func (r *Reader) frictionEvidence(v ndjson.Value, e *FrictionEvidence) error {
	return object(v, e, func(key []byte, v ndjson.Value) error {
		switch string(key) {
		case "signal":
			return r.name(v, &e.Signal)
		case "anchor":
			if r.Counting {
				return nil // any value is one
			}
			return e.Anchor.UnmarshalJSON(v)
		case "path":
			return e.Path.UnmarshalJSON(v)
		case "turn":
			return integer(v, &e.Turn)
		case "features":
			return names(r, v, &e.Features)
		case "suppressed_by":
			return names(r, v, &e.SuppressedBy)
		}
		return nil
	})
}
