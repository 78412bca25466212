package record

import "retro/pkg/ndjson"

// KindOf walks a line without decoding it and tells the kind of the record
// there: "" for an object without a kind. ok is false when the line is not one
// JSON object.
func KindOf(line []byte) (kind Kind, ok bool) {
	var w ndjson.Walker
	w.Reset(line)
	if !w.Object() {
		return "", false
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if !ok || done {
			return kind, ok && w.End()
		}
		isKind := string(key) == "kind"
		value, ok := w.Value()
		if !ok {
			return "", false
		}
		if isKind {
			kind = kindOf(value)
		}
	}
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
