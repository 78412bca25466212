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
	l.walker.ResetMarked(text)
	if !l.own.Read(&l.walker) {
		return nil, ErrNotRecord
	}
	return s.AddRecord(&l.own)
}

// AddRecord is AddLine for a line that was walked before.
func (s *Scorer) AddRecord(e *record.Envelope) (*record.Verdict, error) {
	l := &s.line
	switch string(e.Kind) {
	case `"friction"`:
		l.enter(e)
		return nil, s.friction(l)
	case `"session"`:
		l.enter(e)
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
	signal, err := l.reader.Identifier(l.signal)
	if err != nil || signal.IsZero() || l.SessionID.Kind() != ndjson.String {
		return ErrIncomplete
	}
	if s.last == nil || s.lastID != string(l.SessionID) {
		s.last = s.session(record.NewSessionID(l.SessionID.String()), record.Tool(l.Tool.String()))
		s.lastID = string(l.SessionID)
	}
	if h := s.last.add(signal.String(), hashIn(l.ID)); h.shows() {
		var a record.Anchor
		if len(l.anchor) > 0 {
			a.UnmarshalJSON(l.anchor)
		}
		h.anchors = append(h.anchors, a)
	}
	return nil
}

// hashIn is the id of a signal as it stands in its line; "" when it is none.
func hashIn(v ndjson.Value) []byte {
	if v.Kind() != ndjson.String || len(v) < 2 {
		return nil
	}
	if text := v[1 : len(v)-1]; record.IsHash(text) {
		return text
	}
	return nil
}

// line is a record with the fields in place that scoring looks at.
type line struct {
	record.Envelope
	signal, anchor                                               ndjson.Value // of friction
	started, ended, turns, prompts, sourceBytes, profile, config ndjson.Value // of a session

	own    record.Envelope // of a line that was not walked before
	walker ndjson.Walker
	reader record.Reader
}

// enter takes the fields of the evidence.
func (l *line) enter(e *record.Envelope) {
	l.Envelope = *e
	l.signal, l.anchor = nil, nil
	l.started, l.ended, l.turns, l.prompts, l.sourceBytes, l.profile, l.config = nil, nil, nil, nil, nil, nil, nil
	l.walker.Reset(l.Evidence)
	l.walker.Members(func(key []byte, v ndjson.Value) bool {
		if into := l.evidenceField(key); into != nil {
			*into = v
		}
		return true
	})
}

// trailer is the session record on the line, with what scoring looks at.
func (l *line) trailer() (sig *record.Signal, ok bool) {
	if kind := l.Evidence.Kind(); kind != ndjson.Object && kind != ndjson.Null && kind != ndjson.None {
		return nil, false
	}
	e := new(record.SessionEvidence)
	head := record.Envelope{TS: l.TS, Tool: l.Tool, SessionID: l.SessionID, Error: l.Error}
	sig = &record.Signal{}
	if l.reader.Signal(&head, sig) != nil {
		return nil, false
	}
	sig.Kind, sig.Evidence = record.Session, e
	for _, field := range []struct {
		value ndjson.Value
		into  any
	}{
		{l.started, &e.Started}, {l.ended, &e.Ended}, {l.turns, &e.Turns}, {l.prompts, &e.Prompts},
		{l.sourceBytes, &e.SourceBytes}, {l.profile, &e.Profile}, {l.config, &e.ConfigHash},
	} {
		if len(field.value) > 0 && l.reader.Value(field.value, field.into) != nil {
			return nil, false
		}
	}
	return sig, !sig.SessionID.IsZero()
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
