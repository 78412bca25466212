package transcript

import (
	"math/rand/v2"
	"testing"
)

// TestIDSet compares the set with a map, with hashes that fall on one place.
func TestIDSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s idSet
	for _, size := range []int{0, 1, 10, 600, 5000, 70000, 3} {
		s.reset()
		known := map[uint64]bool{}
		for range size {
			hash := uint64(random.IntN(max(1, size))) << (8 * random.IntN(4))
			if hash == 1 {
				continue // stands for 0, too
			}
			if again := s.add(hash); again != known[hash] {
				t.Fatalf("hash %x of %d: %v, want %v", hash, size, again, known[hash])
			}
			known[hash] = true
		}
		if s.count != len(known) || 2*s.count > len(s.table) && s.count > 0 {
			t.Errorf("%d of %d hashes in a table of %d", s.count, len(known), len(s.table))
		}
	}
}
