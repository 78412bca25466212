package wording

import "unicode/utf8"

// needles tell quickly that none of an index's patterns of words is in a text:
// each pattern is entered with its rarest word, which is taken to be its longest
// one, and a text without any of these words is not looked at further. Three
// of four texts of agents end here, at a third of the cost of a search.
type needles struct {
	bits   [256]uint64 // two bits for every needle (a Bloom filter)
	always bool        // there is a pattern without a needle
}

// add enters a pattern.
func (n *needles) add(p *pattern) {
	best, longest := -1, 0
	for i := range p.elements {
		if shortest := p.elements[i].shortest(); shortest >= max(1, longest) {
			best, longest = i, shortest // of two, the later: many patterns begin with "let" or "that"
		}
	}
	if best < 0 {
		n.always = true
		return
	}
	for _, w := range p.elements[best].words {
		h := uint32(0)
		for _, c := range []byte(w) {
			h = h*hashStep + uint32(c)
		}
		n.set(h)
	}
}

// shortest is the length of the shortest of the element's words, 0 when it is
// not made of whole ASCII words.
func (e *element) shortest() int {
	if e.kind != literal {
		return 0
	}
	shortest := 1 << 10
	for _, w := range e.words {
		for _, c := range []byte(w) {
			if c >= utf8.RuneSelf || !isWordRune(rune(c)) {
				return 0
			}
		}
		shortest = min(shortest, len(w))
	}
	return shortest
}

const hashStep = 31

// places are the two bits of a word's hash: 200 needles fill a fiftieth of the
// table, so one word of 2,000 is taken for one wrongly.
func (n *needles) places(h uint32) (first, second uint32) {
	h *= 0x9E3779B1
	return h >> 18, h & (1<<14 - 1)
}

func (n *needles) set(h uint32) {
	first, second := n.places(h)
	n.bits[first/64] |= 1 << (first % 64)
	n.bits[second/64] |= 1 << (second % 64)
}

func (n *needles) has(h uint32) bool {
	first, second := n.places(h)
	return n.bits[first/64]>>(first%64)&1 == 1 && n.bits[second/64]>>(second%64)&1 == 1
}

// in tells whether a needle may be in folded text. Text with other letters than
// ASCII ones is not judged.
func (n *needles) in(folded []byte) bool {
	if n.always {
		return true
	}
	h, length := uint32(0), 0
	for _, c := range folded {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_':
			h = h*hashStep + uint32(c)
			length++
		case c >= utf8.RuneSelf:
			return true
		case length > 0:
			if n.has(h) {
				return true
			}
			h, length = 0, 0
		}
	}
	return length > 0 && n.has(h)
}
