package record

import "retro/pkg/ndjson"

// KindOf walks a line without decoding it and tells the kind of the record
// there: "" for an object without a kind. ok is false when the line is not one
// JSON object.
func KindOf(line []byte) (kind Kind, ok bool) {
	var w ndjson.Walker
	w.Reset(line)
	whole := w.Members(func(key []byte, v ndjson.Value) bool {
		if string(key) == "kind" {
			kind = kindOf(v)
		}
		return true
	})
	return kind, whole && w.End()
}

// kindOf reads the name of a kind; the names of the kinds that come often are
// not made anew.
func kindOf(v ndjson.Value) Kind {
	switch string(v) {
	case `"friction"`:
		return Friction
	case `"session"`:
		return Session
	case `"event"`:
		return Event
	}
	return Kind(v.String())
}
