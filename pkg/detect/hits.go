package detect

import (
	"cmp"
	"slices"
	"time"

	"retro/pkg/record"
)

// hits are what the detectors of a session reported. All of them are kept until
// its end, because what is reported last may stand first; so they are kept small: a
// session with a hundred thousand of them takes a third of a kB for each, evidence
// included.
type hits struct {
	chunks [][]kept // never moved
	labels map[label]*label
}

// label is what many hits have in common.
type label struct {
	kind           record.Kind
	detector, rule string
	confidence     record.Confidence
}

// kept is a [Hit].
type kept struct {
	label      *label
	evidence   record.Evidence
	time       time.Time
	key        string
	file, line int32
}

const (
	firstChunk = 4
	maxChunk   = 512
)

func (h *hits) add(hit *Hit) {
	last := len(h.chunks) - 1
	if last < 0 || len(h.chunks[last]) == cap(h.chunks[last]) {
		size := firstChunk
		if last >= 0 {
			size = min(2*cap(h.chunks[last]), maxChunk)
		}
		h.chunks = append(h.chunks, make([]kept, 0, size))
		last++
	}
	h.chunks[last] = append(h.chunks[last], kept{
		label:    h.label(label{hit.Kind, hit.Detector, cmp.Or(hit.Rule, "none"), hit.Confidence}),
		evidence: hit.Evidence, time: hit.Time, key: hit.Key, file: int32(hit.File), line: int32(hit.Line),
	})
}

func (h *hits) label(l label) *label {
	known := h.labels[l]
	if known == nil {
		if h.labels == nil {
			h.labels = map[label]*label{}
		}
		known = &l
		h.labels[l] = known
	}
	return known
}

// sorted lists the hits in the order of their place.
func (h *hits) sorted() []*kept {
	var all []*kept
	for _, chunk := range h.chunks {
		for i := range chunk {
			all = append(all, &chunk[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *kept) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return all
}
