package record

import "retro/pkg/ndjson"

// Envelope holds the members of a record in place, as they stand in its line:
// those that every signal has. It is valid as long as the line.
type Envelope struct {
	V, TS, Tool, SessionID, Kind, Rule, Detector, Confidence, Origin, Evidence, ID, Error ndjson.Value
}

// Read walks the object at the walker. It tells whether that is whole, with
// nothing behind it.
func (e *Envelope) Read(w *ndjson.Walker) bool {
	*e = Envelope{}
	if !w.Object() {
		return false
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if done || !ok {
			return ok && w.End()
		}
		into := e.field(key)
		value, ok := w.Value()
		if !ok {
			return false
		}
		if into != nil {
			*into = value
		}
	}
}

func (e *Envelope) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "v":
		return &e.V
	case "ts":
		return &e.TS
	case "tool":
		return &e.Tool
	case "session_id":
		return &e.SessionID
	case "kind":
		return &e.Kind
	case "rule":
		return &e.Rule
	case "detector":
		return &e.Detector
	case "confidence":
		return &e.Confidence
	case "origin":
		return &e.Origin
	case "evidence":
		return &e.Evidence
	case "id":
		return &e.ID
	case "error":
		return &e.Error
	}
	return nil
}

// KindOf walks a line without decoding it and tells the kind of the record
// there: "" for an object without a kind. ok is false when the line is not one
// JSON object.
func KindOf(line []byte) (kind Kind, ok bool) {
	var w ndjson.Walker
	var e Envelope
	w.ResetMarked(line)
	if !e.Read(&w) {
		return "", false
	}
	return e.KindName(), true
}

// KindName is the name of the record's kind, "" for none; the names of the kinds
// that come often are not made anew.
func (e *Envelope) KindName() Kind {
	switch string(e.Kind) {
	case `"friction"`:
		return Friction
	case `"session"`:
		return Session
	case `"event"`:
		return Event
	case `"violation"`:
		return Violation
	case `"verdict"`:
		return KindVerdict
	case `"bucket"`:
		return KindBucket
	}
	return Kind(e.Kind.String())
}
