package wording

import (
	"slices"
	"unicode/utf8"
)

// needles tell quickly that none of an index's patterns of words is in a text.
// Three of four texts of agents end here, at a third of the cost of a search.
type needles struct {
	wordBits
	always bool // there is a pattern without a needle
}

// wordBits is a set of words, two bits each (a Bloom filter): 200 words fill a
// fortieth of it, so one word of 1,600 is taken for one of them wrongly.
type wordBits [256]uint64

// add enters a pattern.
func (n *needles) add(p *pattern) {
	for _, h := range p.needles {
		n.set(h)
	}
	n.always = n.always || p.needles == nil
}

// needle is the hashes of the pattern's rarest word, which is taken to be its
// longest one: a text without it does not match. Where the word has alternatives
// there are several; a pattern without a whole word has none.
func (p *pattern) needle() (hashes []uint32) {
	best, longest := -1, 0
	for i := range p.elements {
		if shortest := p.elements[i].shortest(); shortest >= max(1, longest) {
			best, longest = i, shortest // of two, the later: many patterns begin with "let" or "that"
		}
	}
	if best < 0 {
		return nil
	}
	for _, w := range p.elements[best].words {
		hashes = append(hashes, hashOf([]byte(w)))
	}
	return hashes
}

const hashStep = 31

func hashOf(word []byte) (h uint32) {
	for _, c := range word {
		h = h*hashStep + uint32(c)
	}
	return h
}

// shortest is the length of the shortest of the element's words, 0 when it is
// not made of whole words.
func (e *element) shortest() int {
	if e.kind != literal {
		return 0
	}
	shortest := 1 << 10
	for _, w := range e.words {
		for _, r := range w {
			if !isWordRune(r) || isUnspaced(r) {
				return 0
			}
		}
		shortest = min(shortest, utf8.RuneCountInString(w))
	}
	return shortest
}

func places(h uint32) (first, second uint32) {
	h *= 0x9E3779B1
	return h >> 18, h & (1<<14 - 1)
}

func (b *wordBits) set(h uint32) {
	first, second := places(h)
	b[first/64] |= 1 << (first % 64)
	b[second/64] |= 1 << (second % 64)
}

func (b *wordBits) has(h uint32) bool {
	first, second := places(h)
	return b[first/64]>>(first%64)&1 == 1 && b[second/64]>>(second%64)&1 == 1
}

// in tells whether a needle may be in folded text. Words are cut as the
// tokenizer cuts them.
func (n *needles) in(folded []byte) bool {
	if n.always {
		return true
	}
	h := uint32(0)
	for i := 0; i < len(folded); {
		c, size := folded[i], 1
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' {
			h = h*hashStep + uint32(c)
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(folded[i:]); isWordRune(r) && !isUnspaced(r) {
				for _, c := range folded[i : i+size] {
					h = h*hashStep + uint32(c)
				}
				i += size
				continue
			}
		}
		if h != 0 && n.has(h) {
			return true
		}
		h = 0
		i += size
	}
	return h != 0 && n.has(h)
}

// inASCII is in for an ASCII text before it is folded.
func (n *needles) inASCII(text []byte) bool {
	if n.always {
		return true
	}
	h := uint32(0)
	for _, c := range text {
		switch c = folds[c]; {
		case wordByte.is(c):
			h = h*hashStep + uint32(c)
		case c == dropped:
		case h != 0:
			if n.has(h) {
				return true
			}
			h = 0
		}
	}
	return h != 0 && n.has(h)
}

// active leaves of the patterns that are tried at every word those that can be
// in the text at all: nearly always none of forty.
func (l *Lexicon) active(x *index) (prefixes, others []*pattern) {
	clear(l.seen[:])
	for i := range l.tokens {
		if l.tokens[i].word {
			l.seen.set(l.tokens[i].hash)
		}
	}
	l.tried = l.tried[:0]
	l.tried = l.appendActive(l.tried, x.prefixes)
	n := len(l.tried)
	l.tried = l.appendActive(l.tried, x.others)
	return l.tried[:n], l.tried[n:]
}

func (l *Lexicon) appendActive(dst, patterns []*pattern) []*pattern {
	for _, p := range patterns {
		if l.may(p) {
			dst = append(dst, p)
		}
	}
	return dst
}

// may tells whether the pattern can be in the text at all, by its rarest word.
func (l *Lexicon) may(p *pattern) bool {
	return p.needles == nil || slices.ContainsFunc(p.needles, l.seen.has)
}
