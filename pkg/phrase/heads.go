package phrase

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// The kinds of beginnings in a table of heads.
const (
	headBordered uint8 = 1 << iota // a phrase that wants a border before it
	headFree                       // a phrase that does not
)

// headTable tells of two neighbouring bytes whether a phrase may begin there.
//
// Note: it is stored by classes of bytes that behave alike, since 64 Ki entries
// would leave the first-level cache when several lexicons take turns.
type headTable struct {
	row, column [256]uint16
	heads       []uint8 // sets of headBordered and headFree, at row | column
}

// headPairs collects the first two bytes of everything that may begin a match.
type headPairs struct {
	pairs []headPair
	// whole has the beginnings of one byte after which anything may stand,
	// also the end of the text.
	whole [256]uint8
}

type headPair struct {
	first, second byte
	kind          uint8
}

// add enters the beginnings of a folded form in all spellings.
func (h *headPairs) add(s *Set, form []rune, border Border) {
	kind := headFree
	if border&Start != 0 {
		kind = headBordered
	}
	for _, r := range s.spellings(form[0]) {
		first := utf8.AppendRune(nil, r)
		switch {
		case len(first) > 1:
			h.pairs = append(h.pairs, headPair{first[0], first[1], kind})
		case len(form) == 1, s.opt.Spaces && form[0] == ' ':
			h.whole[first[0]] |= kind
		default:
			h.secondOf(s, first[0], form, kind)
		}
	}
}

// secondOf enters a beginning of one byte before the second rune of the form.
func (h *headPairs) secondOf(s *Set, first byte, form []rune, kind uint8) {
	for _, r := range s.spellings(form[1]) {
		h.pairs = append(h.pairs, headPair{first, utf8.AppendRune(nil, r)[0], kind})
	}
}

// spellings are the runes that fold to r under the options of the set.
func (s *Set) spellings(r rune) []rune {
	switch {
	case r == '\'' && s.opt.Apostrophes:
		return []rune{'\'', 0x2018, 0x2019, 0x02BC, 0xFF07}
	case r == ' ' && s.opt.Spaces:
		var out []rune
		for c := range rune(0x3001) {
			if unicode.IsSpace(c) {
				out = append(out, c)
			}
		}
		return out
	}
	return variants(r)
}

// compress gives the bytes classes and stores the table by them. Class 0
// stands for every byte without a part in the table and for the end of the
// text; since 0xFF is in no UTF-8 the other classes are at most 255.
func (h *headPairs) compress() headTable {
	var t headTable
	classes := uint16(1)
	classOf := func(c byte) {
		if t.column[c] == 0 {
			t.column[c] = classes
			classes++
		}
	}
	for _, p := range h.pairs {
		classOf(p.first)
		classOf(p.second)
	}
	for c, kind := range h.whole {
		if kind != 0 {
			classOf(byte(c))
		}
	}
	shift := bits.Len16(classes - 1)
	t.heads = make([]uint8, 1<<(2*shift))
	for c := range t.row {
		t.row[c] = t.column[c] << shift
		if h.whole[c] != 0 {
			row := t.heads[t.row[c]:][:1<<shift]
			for i := range row {
				row[i] |= h.whole[c]
			}
		}
	}
	for _, p := range h.pairs {
		t.heads[t.row[p.first]|t.column[p.second]] |= p.kind
	}
	return t
}
