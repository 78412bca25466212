package corpus

import (
	"bytes"
	"errors"
	"fmt"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Build makes the segment that the blocks and their labels are. It fails, with
// every fault named, when a block has no label, a label no block, or when an id
// is in the corpus already.
func Build(corpus *Corpus, blocks []record.Block, labels *Labels) ([]byte, error) {
	byID := make(map[string]*label)
	for i := range labels.cases {
		byID[labels.cases[i].id] = &labels.cases[i]
	}
	var faults []error
	var out bytes.Buffer
	w := ndjson.NewWriter(&out)
	head := record.Segment{V: record.Version, Kind: record.KindSegment, Home: labels.Home, Layout: labels.Layout}
	if head.Layout == nil {
		head.Layout = []record.LayoutItem{}
	}
	faults = append(faults, w.Encode(head))
	exported := make(map[string]bool)
	for _, b := range blocks {
		id := b.ID.String()
		c, err := caseOf(b, byID[id], labels.Home)
		switch {
		case exported[id]:
			err = errors.New("exported twice")
		case corpus.has(id):
			err = errors.New("is in the corpus already")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("block %s: %w", b.ID, err))
		}
		exported[id] = true
		faults = append(faults, w.Encode(c))
	}
	for _, l := range labels.cases {
		if !exported[l.id] {
			faults = append(faults, fmt.Errorf("label %s: no such block was exported", idOf(l.id)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func caseOf(b record.Block, l *label, home string) (record.Case, error) {
	c := record.Case{V: record.Version, Kind: record.KindCase, ID: b.ID, Hook: b.Hook, ToolName: b.ToolName, ToolInput: b.ToolInput, Cwd: b.Cwd}
	if l == nil {
		return c, errors.New("has no label")
	}
	c.Expected, c.Why, c.Known, c.Skip = l.Expected, l.Why, l.Known, l.Skip
	if c.Skip.IsZero() && !inside(b.Cwd.String(), home) {
		return c, errors.New("ran outside the home of the labels and can only be skipped")
	}
	return c, nil
}

// Append is the corpus with a segment at its end; what was there stays byte for
// byte, a missing last line end is added.
func (c *Corpus) Append(segment []byte) []byte {
	out := bytes.Clone(c.text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, segment...)
}
