package score

import (
	"errors"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// The answers to a line that is skipped; none quotes it.
var (
	ErrNotRecord  = errors.New("not a record")
	ErrIncomplete = errors.New("not a record of its kind")
)

// AddLine is Add for a line of the stream. Records of other kinds are passed
// over. ErrNotRecord and ErrIncomplete mean that the line is to be skipped,
// every other error that no verdict can be relied on.
//
// Note: most lines are friction, of which a verdict needs four fields; they are
// read in place: 1 µs and 2 allocations, where decoding takes 7 µs and 61. So is
// the tenth of a session record that a verdict needs; whether the rest of it has
// the right types is of no concern here.
func (s *Scorer) AddLine(text []byte) (*record.Verdict, error) {
	l := &s.line
	if !l.parse(text) {
		return nil, ErrNotRecord
	}
	switch string(l.kind) {
	case `"friction"`:
		return nil, s.friction(l)
	case `"session"`:
		sig, ok := l.trailer()
		if !ok {
			return nil, ErrIncomplete
		}
		return s.Add(sig)
	}
	return nil, nil
}

// friction counts the hit on the line.
func (s *Scorer) friction(l *line) error {
	signal, ok := record.NewIdentifier(l.signal.String())
	if !ok || l.session.Kind() != ndjson.String {
		return ErrIncomplete
	}
	id, _ := record.NewHash(l.id.String())
	if s.last == nil || s.lastID != string(l.session) {
		s.last = s.session(record.NewSessionID(l.session.String()), record.Tool(l.tool.String()))
		s.lastID = string(l.session)
	}
	s.last.add(signal.String(), id.String(), func() (a record.Anchor) {
		if len(l.anchor) > 0 {
			a.UnmarshalJSON(l.anchor)
		}
		return a
	})
	return nil
}

// line is a record with the fields in place that scoring looks at.
type line struct {
	kind, session, tool, id, ts, err, evidence                   ndjson.Value
	signal, anchor                                               ndjson.Value // of friction
	started, ended, turns, prompts, sourceBytes, profile, config ndjson.Value // of a session
	walker                                                       ndjson.Walker
}

// trailer is the session record on the line, with what scoring looks at.
func (l *line) trailer() (sig *record.Signal, ok bool) {
	if kind := l.evidence.Kind(); kind != ndjson.Object && kind != ndjson.Null && kind != ndjson.None {
		return nil, false
	}
	e := new(record.SessionEvidence)
	sig = &record.Signal{Kind: record.Session, Evidence: e}
	for _, field := range []struct {
		value ndjson.Value
		into  any
	}{
		{l.ts, &sig.TS}, {l.tool, &sig.Tool}, {l.session, &sig.SessionID}, {l.err, &sig.Error},
		{l.started, &e.Started}, {l.ended, &e.Ended}, {l.turns, &e.Turns}, {l.prompts, &e.Prompts},
		{l.sourceBytes, &e.SourceBytes}, {l.profile, &e.Profile}, {l.config, &e.ConfigHash},
	} {
		if len(field.value) > 0 && ndjson.Unmarshal(field.value, field.into) != nil {
			return nil, false
		}
	}
	return sig, !sig.SessionID.IsZero()
}

// parse tells whether the text is one JSON object.
func (l *line) parse(text []byte) bool {
	*l = line{walker: l.walker}
	w := &l.walker
	w.ResetMarked(text)
	if !w.Object() {
		return false
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if done || !ok {
			return ok && w.End()
		}
		if string(key) == "evidence" && w.Peek() == ndjson.Object {
			ok = l.parseEvidence(w)
		} else {
			ok = take(w, l.field(key))
		}
		if !ok {
			return false
		}
	}
}

func (l *line) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "kind":
		return &l.kind
	case "session_id":
		return &l.session
	case "tool":
		return &l.tool
	case "id":
		return &l.id
	case "ts":
		return &l.ts
	case "error":
		return &l.err
	case "evidence":
		return &l.evidence
	}
	return nil
}

func (l *line) parseEvidence(w *ndjson.Walker) bool {
	l.evidence = nil
	return w.Members(func(key []byte, v ndjson.Value) bool {
		if into := l.evidenceField(key); into != nil {
			*into = v
		}
		return true
	})
}

func (l *line) evidenceField(key []byte) *ndjson.Value {
	switch string(key) {
	case "signal":
		return &l.signal
	case "anchor":
		return &l.anchor
	case "started":
		return &l.started
	case "ended":
		return &l.ended
	case "turns":
		return &l.turns
	case "prompts":
		return &l.prompts
	case "source_bytes":
		return &l.sourceBytes
	case "profile":
		return &l.profile
	case "config_hash":
		return &l.config
	}
	return nil
}

// take steps over the value and keeps it when it is wanted.
func take(w *ndjson.Walker, into *ndjson.Value) bool {
	v, ok := w.Value()
	if into != nil {
		*into = v
	}
	return ok
}
