package detect

import (
	"math/rand/v2"
	"slices"
	"testing"

	"retro/pkg/record"
)

// TestHitsKeepTheirOrder compares the kept hits with a plain list of them.
func TestHitsKeepTheirOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, firstChunk, firstChunk + 1, 3*maxChunk + 5} {
		var kept hits
		var plain []Hit
		for range n {
			hit := Hit{Kind: record.Friction, Detector: []string{"a", "b"}[random.IntN(2)], Key: string(rune('a' + random.IntN(26))),
				File: random.IntN(2), Line: random.IntN(50), Evidence: &record.FrictionEvidence{Turn: random.IntN(9)}}
			plain = append(plain, hit)
			kept.add(&hit)
		}
		slices.SortStableFunc(plain, func(a, b Hit) int { return a.File*1000 + a.Line - b.File*1000 - b.Line })
		got := kept.sorted()
		if len(got) != n || len(kept.labels) > 2 {
			t.Fatalf("%d hits under %d labels, want %d", len(got), len(kept.labels), n)
		}
		for i, h := range got {
			if want := plain[i]; h.evidence != want.Evidence || h.key != want.Key || h.label.detector != want.Detector || h.label.rule != "none" {
				t.Errorf("hit %d of %d: %+v, want %+v", i, n, h, want)
			}
		}
	}
}
