package corpus

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/redact"
)

// Labels are a person's words about one export of blocks.
type Labels struct {
	// Home is the home directory that the blocks' paths begin with; Layout is
	// what the cases need to find there.
	Home   string
	Layout []record.LayoutItem
	cases  []label
}

type label struct {
	id       string
	Expected record.Answer     `json:"expected"`
	Why      redact.Text       `json:"why"`
	Known    record.Identifier `json:"known"`
	Skip     redact.Text       `json:"skip"`
}

// ReadLabels reads a file of labels:
//
//	{"home":"/Users/x","layout":[...],"cases":{"2026-11-01-001":{"expected":"allow","why":"..."}}}
//
// The error names every label that cannot be used.
func ReadLabels(data []byte) (*Labels, error) {
	var file struct {
		Home   string              `json:"home"`
		Layout []record.LayoutItem `json:"layout"`
		Cases  ndjson.Raw          `json:"cases"`
	}
	if ndjson.Unmarshal(data, &file) != nil {
		return nil, errors.New("not a file of labels: want a JSON object with home, layout and cases")
	}
	members, ok := ndjson.Members(file.Cases)
	if !ok {
		return nil, errors.New(`"cases" must be an object of labels by id`)
	}
	l := &Labels{Home: strings.TrimRight(file.Home, "/"), Layout: file.Layout}
	var faults []error
	if !path.IsAbs(l.Home) {
		faults = append(faults, errors.New(`"home" must be the absolute path of a home directory`))
	}
	faults = append(faults, checkLayout(l.Layout, l.Home))
	seen := make(map[string]bool)
	for _, m := range members {
		c, err := readLabel(m)
		if seen[m.Key] {
			err = errors.New("labelled twice")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("label %s: %w", idOf(m.Key), err))
		}
		seen[m.Key] = true
		l.cases = append(l.cases, c)
	}
	return l, errors.Join(faults...)
}

func readLabel(m ndjson.Member) (label, error) {
	c := label{id: m.Key}
	switch err := ndjson.Unmarshal(m.Value, &c); {
	case err != nil:
		return c, errors.New(`want "expected": "allow" or "block", or "skip" with a reason`)
	case c.Skip.IsZero() == c.Expected.IsZero():
		return c, errors.New("want either an expected answer or a reason to skip it")
	case !c.Skip.IsZero() && !c.Known.IsZero():
		return c, errors.New("a skipped case has no known error")
	}
	return c, nil
}

// idOf is an id fit to be shown: a key of a file may be anything.
func idOf(key string) string {
	if id, ok := record.NewIdentifier(key); ok {
		return id.String()
	}
	return "with an unusable id"
}
