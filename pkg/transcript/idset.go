package transcript

// idSet is a set of hashes of ids: an open table, half empty, that is searched
// from the place that the hash names. Every record of a session is looked up in
// it, for a third of what a map costs.
type idSet struct {
	table []uint64 // 0 is a free place
	count int
}

const minIDs = 1 << 10

// add puts a hash into the set and tells whether it was there.
func (s *idSet) add(hash uint64) (again bool) {
	if hash == 0 {
		hash = 1
	}
	if 2*s.count >= len(s.table) {
		s.grow()
	}
	at := s.place(hash)
	if s.table[at] == hash {
		return true
	}
	s.table[at] = hash
	s.count++
	return false
}

// place is where the hash is, or the free place where it belongs.
func (s *idSet) place(hash uint64) int {
	mask := len(s.table) - 1
	at := int(hash) & mask
	for s.table[at] != 0 && s.table[at] != hash {
		at = (at + 1) & mask
	}
	return at
}

func (s *idSet) grow() {
	old := s.table
	s.table = make([]uint64, max(minIDs, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			s.table[s.place(hash)] = hash
		}
	}
}

// reset empties the set. A table that a long session made large is given up, or
// emptying it would cost each short one as much.
func (s *idSet) reset() {
	if s.count > 0 {
		if len(s.table) > 64*minIDs {
			s.table = nil
		}
		clear(s.table)
	}
	s.count = 0
}
