package score

// idSet is a set of the ids of signals. Those of this program have 16 digits and
// are kept as the number that they are, which takes no memory of its own.
type idSet struct {
	numbers map[uint64]struct{}
	texts   map[string]struct{}
}

// add puts an id into the set and tells whether it was there.
func (s *idSet) add(id []byte) (again bool) {
	if n, ok := number(id); ok {
		if _, again = s.numbers[n]; !again {
			if s.numbers == nil {
				s.numbers = map[uint64]struct{}{}
			}
			s.numbers[n] = struct{}{}
		}
		return again
	}
	if _, again = s.texts[string(id)]; !again {
		if s.texts == nil {
			s.texts = map[string]struct{}{}
		}
		s.texts[string(id)] = struct{}{}
	}
	return again
}

// number reads an id of 16 hexadecimal digits in lower case.
func number(id []byte) (n uint64, ok bool) {
	if len(id) != 16 {
		return 0, false
	}
	for _, c := range id {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, true
}
