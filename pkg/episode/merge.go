package episode

import (
	"cmp"

	"retro/pkg/record"
)

// merge is the one of two episodes of the same session and day that stands:
// for what was read off the transcript the one with more source bytes, for what
// hooks wrote the one with more signals (their file only grows). Both are the
// greater in a total order, so the result does not depend on which came first
// or how many others were merged before.
func merge(a, b *record.Episode) *record.Episode {
	out := *a
	if compareTranscripts(a, b) < 0 {
		out = *b
	}
	out.Hook = a.Hook
	if compareFacts(a.Hook, b.Hook) < 0 {
		out.Hook = b.Hook
	}
	return &out
}

func compareTranscripts(a, b *record.Episode) int {
	if c := cmp.Or(cmp.Compare(a.SourceBytes, b.SourceBytes), compareBool(a.Verdict != nil, b.Verdict != nil)); c != 0 {
		return c
	}
	x, y := *a, *b
	x.Hook, y.Hook = record.EpisodeFacts{}, record.EpisodeFacts{}
	return cmp.Compare(text(x), text(y))
}

func compareFacts(a, b record.EpisodeFacts) int {
	if c := cmp.Compare(a.Signals, b.Signals); c != 0 || a.Signals == 0 {
		return c
	}
	return cmp.Compare(text(a), text(b))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
