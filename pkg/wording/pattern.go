package wording

import (
	"fmt"
	"strings"
	"unicode"
)

// Anchors of a pattern.
const (
	anywhere      = iota
	sentenceStart // ^
	textStart     // ^^
)

// elementKind tells what an element of a pattern matches.
type elementKind uint8

const (
	literal elementKind = iota // one of the words, or of the marks
	prefix                     // a word that begins with one of the words
	gap                        // up to two words
	mark                       // any mark, or the end
	end                        // the end of a sentence
)

type element struct {
	kind     elementKind
	words    []string
	shortest int // of the words, in characters; 0 where they are no whole words
}

// pattern is one compiled pattern.
type pattern struct {
	kind     Kind
	bit      Set  // of the kind
	foreign  bool // of a language other than English
	anchor   int
	elements []element
	needles  []uint32 // hashes of words one of which must be in the text; nil when none must
	pairs    []uint32 // of pairs of neighbouring words, one of which must be, too
	piece    []byte   // of an unspaced script, or without letters: plain text
	unspaced bool
}

// expand replaces alternatives of several words (`does+not`, `peux-tu`) by
// patterns of their own.
func expand(raw string) []string {
	if !strings.ContainsAny(raw, "+-") {
		return []string{raw}
	}
	words := strings.Fields(raw)
	for i, w := range words {
		if !strings.ContainsAny(strings.Trim(w, "+"), "+-") || !strings.ContainsFunc(w, unicode.IsLetter) {
			continue
		}
		var plain, out []string
		for _, alternative := range strings.Split(w, "/") {
			if !strings.ContainsAny(alternative, "+-") {
				plain = append(plain, alternative)
				continue
			}
			out = append(out, expand(with(words, i, strings.Map(joint, alternative)))...)
		}
		if len(plain) > 0 {
			out = append(out, expand(with(words, i, strings.Join(plain, "/")))...)
		}
		return out
	}
	return []string{raw}
}

// joint turns what joins two words in a pattern into a blank.
func joint(r rune) rune {
	if r == '+' || r == '-' {
		return ' '
	}
	return r
}

// with is the words with another one at i, joined.
func with(words []string, i int, w string) string {
	return strings.Join(words[:i], " ") + " " + w + " " + strings.Join(words[i+1:], " ")
}

// compiler makes patterns of their texts. Its slices have room for many of them:
// half of the time that a process over one small session took went into making
// two thousand patterns of ten small pieces of memory each.
type compiler struct {
	patterns []pattern
	elements []element
	words    []string
	hashes   []uint32
}

// room is how many patterns, elements, words and hashes are made at a time.
const room = 256

// pattern is an empty one, which is never moved.
func (c *compiler) pattern() *pattern {
	if len(c.patterns) == cap(c.patterns) {
		c.patterns = make([]pattern, 0, room)
	}
	c.patterns = append(c.patterns, pattern{})
	return &c.patterns[len(c.patterns)-1]
}

// tail is what was appended to a slice behind its first n elements; who appends
// to it gets a copy.
func tail[T any](all []T, n int) []T {
	if len(all) == n {
		return nil
	}
	return all[n:len(all):len(all)]
}

// reserve makes room for some more elements, so that those there stay in one piece.
func reserve[T any](all []T, more int) []T {
	if cap(all)-len(all) < more {
		return make([]T, 0, max(room, more))
	}
	return all
}

// folded is a pattern's text folded; nearly all are written so.
func folded(raw string) string {
	for i := range len(raw) {
		if folds[raw[i]] != raw[i] {
			return string(fold(nil, []byte(raw)))
		}
	}
	return raw
}

// compile makes a pattern of its text.
func (c *compiler) compile(raw string, kind Kind, language string) (*pattern, error) {
	s := folded(raw)
	p := c.pattern()
	*p = pattern{kind: kind, bit: kind.bit(), foreign: language != "en" && language != "any"}
	switch {
	case strings.HasPrefix(s, "^^"):
		p.anchor, s = textStart, s[2:]
	case strings.HasPrefix(s, "^"):
		p.anchor, s = sentenceStart, s[1:]
	}
	if p.anchor != anywhere {
		s = strings.TrimLeft(s, " ")
	}
	p.unspaced = strings.ContainsFunc(s, isUnspaced)
	if p.unspaced || !strings.ContainsFunc(s, isWordRune) {
		if language == "zh" || language == "ja" || language == "ko" {
			p.piece = []byte(s) // a blank at the end of a Korean word is part of it
		} else {
			p.piece = []byte(strings.TrimSpace(s))
		}
		if len(p.piece) == 0 {
			return nil, fmt.Errorf("empty pattern")
		}
		return p, nil
	}
	p.elements = c.split(s)
	p.needles = c.hashed(appendNeedles, p.elements)
	p.pairs = c.hashed(appendPairs, p.elements)
	return p, nil
}

// split cuts the text of a pattern into elements.
func (c *compiler) split(s string) []element {
	c.elements = reserve(c.elements, strings.Count(s, " ")+1)
	n := len(c.elements)
	for w := range strings.FieldsSeq(s) {
		c.elements = append(c.elements, c.element(w))
	}
	return tail(c.elements, n)
}

// hashed is what appends hashes of elements, appended to those at hand.
func (c *compiler) hashed(appendTo func([]uint32, []element) []uint32, elements []element) []uint32 {
	c.hashes = reserve(c.hashes, maxPairs)
	n := len(c.hashes)
	c.hashes = appendTo(c.hashes, elements)
	return tail(c.hashes, n)
}

// element is one element of a pattern.
func (c *compiler) element(w string) element {
	switch {
	case w == "_":
		return element{kind: gap}
	case w == "|":
		return element{kind: mark}
	case w == "$":
		return element{kind: end}
	case w == "?" || w == "," || w == "." || w == "!":
		return element{words: c.alternatives(w)} // a mark
	case strings.HasSuffix(w, "~"):
		return element{kind: prefix, words: c.alternatives(strings.TrimSuffix(w, "~"))}
	}
	words := c.alternatives(w)
	return element{words: words, shortest: shortestOf(words)}
}

// alternatives lists the words of an element.
func (c *compiler) alternatives(w string) []string {
	c.words = reserve(c.words, strings.Count(w, "/")+1)
	n := len(c.words)
	for one := range strings.SplitSeq(w, "/") {
		c.words = append(c.words, one)
	}
	return tail(c.words, n)
}

// match matches elements at token i and returns the token behind the match.
func match(elements []element, tokens []token, i int) (int, bool) {
	for k := 0; k < len(elements); k++ {
		e := &elements[k]
		switch e.kind {
		case gap:
			return matchGap(elements[k+1:], tokens, i)
		case mark:
			if i == len(tokens) {
				continue
			}
			if tokens[i].word {
				return 0, false
			}
			if k+1 < len(elements) {
				i++
			}
		case end:
			if i < len(tokens) && !strings.Contains(".!?\n", string(tokens[i].text)) {
				return 0, false
			}
		default:
			if i == len(tokens) || !e.has(tokens[i].text) {
				return 0, false
			}
			i++
		}
	}
	return i, true
}

// maxGap is how many words a gap spans at most.
const maxGap = 2

func matchGap(rest []element, tokens []token, i int) (int, bool) {
	for n := 0; n <= maxGap; n++ {
		if n > 0 && (i+n > len(tokens) || !tokens[i+n-1].word) {
			return 0, false
		}
		if j, ok := match(rest, tokens, i+n); ok {
			return j, true
		}
	}
	return 0, false
}

func (e *element) has(text []byte) bool {
	for _, w := range e.words {
		if e.kind == prefix && len(text) >= len(w) && string(text[:len(w)]) == w || string(text) == w {
			return true
		}
	}
	return false
}
