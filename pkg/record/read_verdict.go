package record

import "retro/pkg/ndjson"

// Verdict reads a verdict off its line.
func (r *Reader) Verdict(line []byte, into *Verdict) error {
	return object(ndjson.Value(line), into, func(key []byte, v ndjson.Value) error {
		switch string(key) {
		case "score":
			return into.Score.UnmarshalJSON(v)
		case "threshold":
			return into.Threshold.UnmarshalJSON(v)
		case "passed":
			return boolean(v, &into.Passed)
		case "signals":
			return list(v, &into.Signals, r.verdictSignal)
		case "error":
			return constant(r, v, &into.Error)
		case "warning":
			return constant(r, v, &into.Warning)
		case "v":
			return integer(v, &into.V)
		case "kind":
			return constant(r, v, &into.Kind)
		case "tool":
			return constant(r, v, &into.Tool)
		case "turns":
			return integer(v, &into.Turns)
		case "prompts":
			return integer(v, &into.Prompts)
		}
		if text := into.text(key); text != nil {
			return r.name(v, text)
		}
		return nil
	})
}

// text is the place of a checked text; nil for other members.
func (v *Verdict) text(key []byte) texter {
	switch string(key) {
	case "session_id":
		return &v.SessionID
	case "ts":
		return &v.TS
	case "profile":
		return &v.Profile
	case "started":
		return &v.Started
	case "ended":
		return &v.Ended
	case "weights":
		return &v.Weights
	}
	return nil
}

func (r *Reader) verdictSignal(v ndjson.Value, s *VerdictSignal) error {
	return object(v, s, func(key []byte, v ndjson.Value) error {
		switch string(key) {
		case "name":
			return r.name(v, &s.Name)
		case "count":
			return integer(v, &s.Count)
		case "ids":
			if r.Counting && v.Kind() == ndjson.Array {
				return nil
			}
			return list(v, &s.IDs, func(v ndjson.Value, a *Anchor) error { return a.UnmarshalJSON(v) })
		}
		return nil
	})
}
