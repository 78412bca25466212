package record

import (
	"strconv"

	"retro/pkg/ndjson"
)

// The records that are written most are put together by hand: by reflection a
// signal takes 20 µs and 36 allocations, like this one or two. The library, which
// writes all others, is the judge in the tests.

// AppendJSON appends the verdict as it is written in a line.
func (v *Verdict) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"score":`...)
	dst = v.Score.appendJSON(dst)
	dst = strconv.AppendBool(append(dst, `,"passed":`...), v.Passed)
	dst = v.Threshold.appendJSON(append(dst, `,"threshold":`...))
	dst = append(dst, `,"signals":`...)
	dst = appendList(dst, v.Signals, func(dst []byte, s *VerdictSignal) []byte {
		dst = appendText(append(dst, `{"name":`...), s.Name.text)
		dst = appendNumber(append(dst, `,"count":`...), s.Count)
		dst = appendList(append(dst, `,"ids":`...), s.IDs, func(dst []byte, a *Anchor) []byte { return a.appendJSON(dst) })
		return append(dst, '}')
	})
	if v.Error != "" {
		dst = appendText(append(dst, `,"error":`...), v.Error)
	}
	if v.Warning != "" {
		dst = appendText(append(dst, `,"warning":`...), v.Warning)
	}
	dst = appendNumber(append(dst, `,"v":`...), v.V)
	dst = appendText(append(dst, `,"kind":`...), string(v.Kind))
	dst = appendText(append(dst, `,"session_id":`...), v.SessionID.text)
	dst = appendOrNull(append(dst, `,"ts":`...), v.TS.text)
	dst = appendText(append(dst, `,"tool":`...), string(v.Tool))
	dst = appendText(append(dst, `,"profile":`...), v.Profile.text)
	dst = appendNumber(append(dst, `,"turns":`...), v.Turns)
	dst = appendNumber(append(dst, `,"prompts":`...), v.Prompts)
	dst = appendOrNull(append(dst, `,"started":`...), v.Started.text)
	dst = appendOrNull(append(dst, `,"ended":`...), v.Ended.text)
	if !v.Weights.IsZero() {
		dst = appendText(append(dst, `,"weights":`...), v.Weights.text)
	}
	return append(dst, '}'), nil
}

// AppendJSON appends the signal as it is written in a line.
func (s *Signal) AppendJSON(dst []byte) ([]byte, error) {
	dst = appendNumber(append(dst, `{"v":`...), s.V)
	dst = appendOrNull(append(dst, `,"ts":`...), s.TS.text)
	dst = appendText(append(dst, `,"tool":`...), string(s.Tool))
	dst = appendText(append(dst, `,"session_id":`...), s.SessionID.text)
	dst = appendText(append(dst, `,"kind":`...), string(s.Kind))
	dst = appendText(append(dst, `,"rule":`...), s.Rule.text)
	dst = appendText(append(dst, `,"detector":`...), s.Detector.text)
	dst = appendText(append(dst, `,"confidence":`...), string(s.Confidence))
	dst = appendText(append(dst, `,"origin":`...), string(s.Origin))
	dst, err := appendEvidence(append(dst, `,"evidence":`...), s.Evidence)
	if err != nil {
		return dst, err
	}
	dst = appendText(append(dst, `,"id":`...), s.ID.text)
	if s.Error != "" {
		dst = appendText(append(dst, `,"error":`...), s.Error)
	}
	return append(dst, '}'), nil
}

func appendEvidence(dst []byte, evidence Evidence) ([]byte, error) {
	switch e := evidence.(type) {
	case *FrictionEvidence:
		return e.appendJSON(dst), nil
	case *SessionEvidence:
		return e.appendJSON(dst), nil
	}
	text, err := ndjson.Marshal(evidence)
	return append(dst, text...), err
}

func (e *FrictionEvidence) appendJSON(dst []byte) []byte {
	dst = appendText(append(dst, `{"signal":`...), e.Signal.text)
	dst = e.Anchor.appendJSON(append(dst, `,"anchor":`...))
	if !e.Path.IsZero() {
		dst = appendText(append(dst, `,"path":`...), e.Path.text)
	}
	dst = appendNumber(append(dst, `,"turn":`...), e.Turn)
	identifier := func(dst []byte, i *Identifier) []byte { return appendText(dst, i.text) }
	if len(e.Features) > 0 {
		dst = appendList(append(dst, `,"features":`...), e.Features, identifier)
	}
	if len(e.SuppressedBy) > 0 {
		dst = appendList(append(dst, `,"suppressed_by":`...), e.SuppressedBy, identifier)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// appendText appends a JSON string.
func appendText(dst []byte, s string) []byte {
	start := len(dst)
	dst = append(append(append(dst, '"'), s...), '"')
	if isPlain(dst[start:]) {
		return dst
	}
	text, _ := ndjson.Marshal(s) // which fails for no string
	return append(dst[:start], text...)
}

// appendOrNull appends a JSON string, and null for no text.
func appendOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return appendText(dst, s)
}

func appendList[T any](dst []byte, list []T, one func([]byte, *T) []byte) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, &list[i])
	}
	return append(dst, ']')
}
