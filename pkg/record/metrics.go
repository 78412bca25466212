package record

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"retro/pkg/ndjson"
)

// KindMetrics is the kind of a Metrics record.
const KindMetrics Kind = "metrics"

// Metrics are the figures of one project over one period, as a file that is
// kept and compared with the next one.
type Metrics struct {
	Schema int           `json:"schema"` // 1
	Kind   Kind          `json:"kind"`   // KindMetrics
	Period MetricsPeriod `json:"period"`
	// Project is the name of most of the sessions' projects.
	Project Name           `json:"project"`
	Sources MetricsSources `json:"sources"`
	Metrics MetricList     `json:"metrics"`
}

// MetricsPeriod is from Since on and before Until; an open end is empty.
type MetricsPeriod struct {
	Since Timestamp `json:"since"`
	Until Timestamp `json:"until"`
	Zone  Name      `json:"zone"`
}

// MetricsSources say what the figures were made of.
type MetricsSources struct {
	Sessions   int       `json:"sessions"`   // session records
	Unreadable int       `json:"unreadable"` // those that could not be read; in no figure
	Automated  int       `json:"automated"`  // sessions that a program drove
	Files      int64     `json:"files"`
	Bytes      int64     `json:"bytes"`
	First      Timestamp `json:"first"` // of the oldest record
	Last       Timestamp `json:"last"`
	Projects   []Count   `json:"projects"`
	Malformed  []Count   `json:"malformed"` // damaged places by kind, of whole files
	ConfigHash Hash      `json:"config_hash"`
}

// Metric is one figure. Exactly one of a value and Retired is there.
type Metric struct {
	Key   string
	Value float64
	// Retired says why the figure is no longer counted.
	Retired string
	// Incomparable says why the figure must not be compared with the one under
	// the same key of another file: its definition was another.
	Incomparable string
}

// MetricList is written as an object. Its keys are stable: two files are
// compared by them.
type MetricList []Metric

// Find returns the metric of the key.
func (l MetricList) Find(key string) (Metric, bool) {
	for _, m := range l {
		if m.Key == key {
			return m, true
		}
	}
	return Metric{}, false
}

// MarshalJSON writes the object in the order of the list.
func (l MetricList) MarshalJSON() ([]byte, error) {
	members := make([]ndjson.Member, len(l))
	for i, m := range l {
		value := m.number()
		switch {
		case m.Retired != "":
			reason, _ := ndjson.Marshal(m.Retired)
			value = append(append([]byte(`{"retired":`), reason...), '}')
		case m.Incomparable != "":
			reason, _ := ndjson.Marshal(m.Incomparable)
			value = append(append(append(append([]byte(`{"value":`), value...), `,"incomparable":`...), reason...), '}')
		}
		members[i] = ndjson.Member{Key: m.Key, Value: value}
	}
	return ndjson.Join(members), nil
}

// number writes whole numbers without a point and others with one decimal.
func (m Metric) number() []byte {
	if m.Value == math.Trunc(m.Value) {
		return strconv.AppendFloat(nil, m.Value, 'f', 0, 64)
	}
	return strconv.AppendFloat(nil, m.Value, 'f', 1, 64)
}

var errMetric = errors.New("metrics: want a number, {retired} or {value, incomparable}")

// UnmarshalJSON reads the object; keys given twice and values of other forms
// are errors.
func (l *MetricList) UnmarshalJSON(data []byte) error {
	members, ok := ndjson.Members(data)
	if !ok {
		return errMetric
	}
	*l = make(MetricList, 0, len(members))
	for _, member := range members {
		m := Metric{Key: member.Key}
		if _, again := l.Find(m.Key); again || !m.read(member.Value) {
			return errMetric
		}
		*l = append(*l, m)
	}
	return nil
}

func (m *Metric) read(value []byte) bool {
	if ndjson.Unmarshal(value, &m.Value) == nil && !bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		return true
	}
	var marked struct {
		Value        *float64 `json:"value"`
		Retired      string   `json:"retired"`
		Incomparable string   `json:"incomparable"`
	}
	if ndjson.Unmarshal(value, &marked) != nil || (marked.Value == nil) == (marked.Retired == "") {
		return false
	}
	if marked.Value != nil {
		m.Value = *marked.Value
	}
	m.Retired, m.Incomparable = marked.Retired, marked.Incomparable
	return true
}
