package record

import (
	"bytes"
	"math"
	"strconv"

	"retro/pkg/ndjson"
)

// Score is a sum of weights, printed with one decimal at least.
type Score float64

// MarshalJSON writes the shortest form with at least one decimal; a score that
// is no finite number is null.
func (s Score) MarshalJSON() ([]byte, error) { return s.appendJSON(nil), nil }

func (s Score) appendJSON(dst []byte) []byte {
	f := float64(s)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// String is the score as it stands in a verdict.
func (s Score) String() string {
	b, _ := s.MarshalJSON()
	return string(b)
}

// UnmarshalJSON reads a number.
func (s *Score) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || ndjson.Value(data).Kind() != ndjson.Number || math.IsInf(f, 0) || math.IsNaN(f) {
		f = 0
		err = ndjson.Unmarshal(data, &f)
	}
	*s = Score(f)
	return err
}

// VerdictSignal is one signal of a verdict.
type VerdictSignal struct {
	Name Identifier `json:"name"`
	// Count is after the cap.
	Count int `json:"count"`
	// IDs are the anchors of the first hits, as many as the profile shows.
	IDs []Anchor `json:"ids"`
}

// Verdict is what one session's friction is worth. The first four keys are
// those of the original gate, in its order, so that its callers work unchanged.
type Verdict struct {
	Score     Score           `json:"score"`
	Passed    bool            `json:"passed"`
	Threshold Score           `json:"threshold"`
	Signals   []VerdictSignal `json:"signals"`
	Error     string          `json:"error,omitempty"`
	Warning   string          `json:"warning,omitempty"`
	V         int             `json:"v"`
	Kind      Kind            `json:"kind"` // KindVerdict
	SessionID SessionID       `json:"session_id"`
	TS        Timestamp       `json:"ts"`
	Tool      Tool            `json:"tool"`
	Profile   Name            `json:"profile"`
	Turns     int             `json:"turns"`
	Prompts   int             `json:"prompts"`
	Started   Timestamp       `json:"started"`
	Ended     Timestamp       `json:"ended"`
	// Weights names the profile whose weights were used when it is not Profile,
	// under which the session was scanned.
	Weights Name `json:"weights,omitempty"`
}

// KindVerdict is the kind of a Verdict.
const KindVerdict Kind = "verdict"
