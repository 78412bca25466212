package wording

import (
	"slices"
	"strings"
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

// add enters a pattern: its pairs of words, else its needles.
func (n *needles) add(p *pattern) {
	hashes := p.pairs
	if hashes == nil {
		hashes = p.needles
	}
	for _, h := range hashes {
		n.set(h)
	}
	n.always = n.always || hashes == nil
}

// maxPairs is how many pairs a pattern may have before it is looked for by a
// single word.
const maxPairs = 32

// appendPairs appends the hashes of two neighbouring words of a pattern in all their
// alternatives, of the longest words: two common ones seldom stand side by side.
// With pairs, a text of an agent is searched in vain one time in ten instead of four.
func appendPairs(hashes []uint32, elements []element) []uint32 {
	best, longest := -1, 0
	for i := range elements[1:] {
		a, b := &elements[i], &elements[i+1]
		if a.shortest == 0 || b.shortest == 0 || len(a.words)*len(b.words) > maxPairs {
			continue
		}
		if length := a.mean() + b.mean(); length >= longest {
			best, longest = i, length
		}
	}
	if best < 0 {
		return hashes
	}
	for _, first := range elements[best].words {
		for _, second := range elements[best+1].words {
			hashes = append(hashes, pairOf(hashOf(first), hashOf(second)))
		}
	}
	return hashes
}

func pairOf(first, second uint32) uint32 { return first*0x85EBCA6B ^ second }

// word tells whether a needle may end with the word of hash h that follows the
// one of hash before.
func (n *needles) word(before, h uint32) bool { return n.has(h) || n.has(pairOf(before, h)) }

// appendNeedles appends the hashes of a pattern's rarest word, which is taken to be
// its longest one: a text without it does not match. Where the word has alternatives
// there are several; a pattern without a whole word has none.
func appendNeedles(hashes []uint32, elements []element) []uint32 {
	best, longest := -1, 0
	for i := range elements {
		if shortest := elements[i].shortest; shortest >= max(1, longest) {
			best, longest = i, shortest // of two, the later: many patterns begin with "let" or "that"
		}
	}
	if best < 0 {
		return hashes
	}
	for _, w := range elements[best].words {
		hashes = append(hashes, hashOf(w))
	}
	return hashes
}

const hashStep = 31

func hashOf[T ~string | ~[]byte](word T) (h uint32) {
	for i := range len(word) {
		h = h*hashStep + uint32(word[i])
	}
	return h
}

// shortestOf is the length of the shortest of some words, in characters; 0 when
// they are not all made of letters that stand in words.
func shortestOf(words []string) int {
	shortest := 1 << 10
	for _, w := range words {
		for _, r := range w {
			if !isWordRune(r) || isUnspaced(r) {
				return 0
			}
		}
		shortest = min(shortest, utf8.RuneCountInString(w))
	}
	return shortest
}

// mean is the mean length of the element's words, in bytes.
func (e *element) mean() int {
	sum := 0
	for _, w := range e.words {
		sum += len(w)
	}
	return sum / len(e.words)
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
	before := uint32(0)
	for i := 0; i < len(folded); {
		end, h := wordEnd(folded, i)
		if end > i {
			if n.word(before, h) {
				return true
			}
			i, before = end, h
			continue
		}
		i++
		for i < len(folded) && !utf8.RuneStart(folded[i]) {
			i++
		}
	}
	return false
}

// inRaw is in for a text before it is folded. sure is false when only folding
// tells: a letter that is not ASCII comes before the first needle.
func (n *needles) inRaw(text []byte) (found, sure bool) {
	if n.always {
		return true, true
	}
	before, h := uint32(0), uint32(0)
	for i := 0; i < len(text); {
		c, size := folds[text[i]], 1
		if wordByte.is(c) {
			h = h*hashStep + uint32(c)
			i++
			continue
		}
		if text[i] >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); !isPunctuation(r) && isWordRune(r) {
				return false, false
			}
			c = 0
			if isDropped(r) {
				c = dropped
			}
		}
		if i += size; c == dropped || h == 0 {
			continue
		}
		if n.word(before, h) {
			return true, true
		}
		before, h = h, 0
	}
	return h != 0 && n.word(before, h), true
}

// isPunctuation knows the marks that are most common beside ASCII, all of one
// block of Unicode, without a look into its tables.
func isPunctuation(r rune) bool { return r >= 0x2000 && r < 0x2070 }

// isDropped tells whether folding leaves out a mark that is not ASCII.
func isDropped(r rune) bool { return r == '\u200b' || strings.ContainsRune(apostrophes, r) }

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
