package phrase

import (
	"fmt"
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Border says at which ends of a phrase a word must end as well. An end of the
// phrase that is no word character itself (`what?`) asks for nothing.
type Border uint8

// The borders. The zero Border is for languages that are written without
// blanks.
const (
	Start Border = 1 << iota // no word character before: the phrase is a stem
	End                      // no word character after
	Word  = Start | End
)

// Phrase is one entry of a lexicon.
type Phrase struct {
	// Text is the phrase in the notation of the package comment.
	Text   string
	Border Border
}

// Options loosen how the runes of a phrase are compared. The zero Options are
// those of the original gate.
type Options struct {
	// Apostrophes makes ' in a phrase match the typographic forms too.
	Apostrophes bool
	// Spaces makes a blank in a phrase match any run of white space.
	Spaces bool
}

// Match is one place where a phrase was found.
type Match struct {
	// Phrase is the index of the phrase in the list given to Compile.
	Phrase int
	// Start and End are byte offsets into the text.
	Start, End int
}

// Set is a compiled lexicon. It may be used from several goroutines.
type Set struct {
	opt   Options
	folds [foldTableSize]uint16 // the common alphabets folded
	nodes []node                // a trie over folded runes; the first is the root
	roots [utf8.RuneSelf]int32  // the edges of the root that are ASCII

	headTable
}

type node struct {
	edges []edge // by rune
	ends  []ending
}

type edge struct {
	r    rune
	next int32
}

// ending is a form of a phrase that is complete at a node.
type ending struct {
	rank   int // place of the form in the list of all forms
	phrase int
	border Border
}

// Compile prepares a lexicon. The error names the phrase that is no phrase by
// its number, counted from 1.
func Compile(phrases []Phrase, opt Options) (*Set, error) {
	s := &Set{opt: opt, folds: *commonFolds(), nodes: make([]node, 1)}
	for r := range s.folds {
		s.folds[r] = uint16(s.loosen(rune(r), rune(s.folds[r])))
	}
	rank := 0
	var heads headPairs
	for i, p := range phrases {
		list, err := forms(p.Text)
		if err != nil {
			return nil, fmt.Errorf("%w (entry %d)", err, i+1)
		}
		for _, form := range list {
			s.add(form, ending{rank: rank, phrase: i, border: effective(p.Border, form)}, &heads)
			rank++
		}
	}
	s.headTable = heads.compress()
	for r := range s.roots {
		s.roots[r] = s.nodes[0].next(rune(r))
	}
	return s, nil
}

// MustCompile is Compile for lexicons that are part of the program.
func MustCompile(phrases []Phrase, opt Options) *Set {
	s, err := Compile(phrases, opt)
	if err != nil {
		panic(err)
	}
	return s
}

// effective drops the border at an end that is no word character.
func effective(b Border, form []rune) Border {
	if !IsWord(form[0]) {
		b &^= Start
	}
	if !IsWord(form[len(form)-1]) {
		b &^= End
	}
	return b
}

// add enters one form into the trie and its beginning into the heads.
func (s *Set) add(form []rune, end ending, heads *headPairs) {
	folded := make([]rune, len(form))
	for i, r := range form {
		folded[i] = s.fold(r)
	}
	at := int32(0)
	for _, r := range folded {
		at = s.child(at, r)
	}
	s.nodes[at].ends = append(s.nodes[at].ends, end)
	heads.add(s, folded, end.border)
}

// child returns the node behind the edge r, made if need be.
func (s *Set) child(at int32, r rune) int32 {
	edges := s.nodes[at].edges
	i, found := slices.BinarySearchFunc(edges, r, func(e edge, r rune) int { return int(e.r - r) })
	if found {
		return edges[i].next
	}
	next := int32(len(s.nodes))
	s.nodes = append(s.nodes, node{})
	s.nodes[at].edges = slices.Insert(edges, i, edge{r, next})
	return next
}

// fold maps runes that match each other to one.
func (s *Set) fold(r rune) rune {
	switch {
	case uint32(r) < foldTableSize:
		return rune(s.folds[r])
	case 0x2E80 <= r && r < 0xA640 && r != 0x3000, 0xAC00 <= r && r < 0xD7B0:
		return r // CJK and Hangul have no case
	}
	return s.loosen(r, slowFold(r))
}

// loosen applies the options to a rune and its fold.
func (s *Set) loosen(r, folded rune) rune {
	switch {
	case s.opt.Apostrophes && isApostrophe(r):
		return '\''
	case s.opt.Spaces && unicode.IsSpace(r):
		return ' '
	}
	return folded
}

// Next finds the first match at or after the offset from. What stands before
// from still counts for the border.
func (s *Set) Next(text []byte, from int) (Match, bool) {
	heads, mask := s.heads, maskBefore(text, from)
	for i := from; i+1 < len(text); i++ {
		if heads[s.row[text[i]]|s.column[text[i+1]]]&mask != 0 {
			if m, ok := s.match(text, i); ok {
				return m, true
			}
		}
		mask = maskAfter[text[i]]
	}
	if i := len(text) - 1; i >= from && heads[s.row[text[i]]]&mask != 0 {
		return s.match(text, i)
	}
	return Match{}, false
}

// NextString is Next on a string.
func (s *Set) NextString(text string, from int) (Match, bool) {
	return s.Next(bytesOf(text), from)
}

// All yields the matches from left to right; they do not overlap.
func (s *Set) All(text []byte) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		for from := 0; ; {
			m, ok := s.Next(text, from)
			if !ok || !yield(m) {
				return
			}
			from = m.End
		}
	}
}

// AllString is All on a string.
func (s *Set) AllString(text string) iter.Seq[Match] { return s.All(bytesOf(text)) }

// bytesOf is the text without a copy; nothing here writes to it.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// maskAfter tells by the byte before a place which heads may count there. A
// byte outside ASCII lets all pass; match looks at the whole rune.
var maskAfter = func() (t [256]uint8) {
	for c := range 256 {
		t[c] = headBordered | headFree
		if c < utf8.RuneSelf && asciiWord[c] {
			t[c] = headFree
		}
	}
	return t
}()

func maskBefore(text []byte, i int) uint8 {
	if i == 0 {
		return headBordered | headFree
	}
	return maskAfter[text[i-1]]
}

// match compares what stands at i with all phrases.
func (s *Set) match(text []byte, i int) (Match, bool) {
	startOpen := wordBefore(text, i) // a word runs into the place: no border there
	best, end := ending{}, -1
	for at, pos := int32(0), i; pos < len(text); {
		r, size := s.decode(text[pos:])
		if at = s.next(at, r); at == 0 {
			break
		}
		pos += size
		for _, e := range s.nodes[at].ends {
			switch {
			case end >= 0 && e.rank > best.rank,
				e.border&Start != 0 && startOpen,
				e.border&End != 0 && wordAt(text, pos):
				continue
			}
			best, end = e, pos
		}
	}
	return Match{Phrase: best.phrase, Start: i, End: end}, end >= 0
}

// decode reads one rune folded, or, with Options.Spaces, a run of white space.
// A byte that is no UTF-8 is -1, which is on no edge.
func (s *Set) decode(text []byte) (r rune, size int) {
	if c := text[0]; c < utf8.RuneSelf && (c > ' ' || !s.opt.Spaces) {
		return rune(s.folds[c]), 1
	}
	r, size = utf8.DecodeRune(text)
	if r == utf8.RuneError && size == 1 {
		return -1, 1
	}
	r = s.fold(r)
	for r == ' ' && s.opt.Spaces && size < len(text) {
		following, n := utf8.DecodeRune(text[size:])
		if !unicode.IsSpace(following) {
			break
		}
		size += n
	}
	return r, size
}

func wordBefore(text []byte, i int) bool {
	r, _ := utf8.DecodeLastRune(text[:i])
	return IsWord(r)
}

func wordAt(text []byte, i int) bool {
	r, _ := utf8.DecodeRune(text[i:])
	return IsWord(r)
}

// next is the node behind the edge r of a node, 0 when there is none.
func (s *Set) next(at int32, r rune) int32 {
	if at == 0 && uint32(r) < utf8.RuneSelf {
		return s.roots[r]
	}
	return s.nodes[at].next(r)
}

func (n *node) next(r rune) int32 {
	edges := n.edges
	for len(edges) > 8 {
		if mid := len(edges) / 2; edges[mid].r <= r {
			edges = edges[mid:]
		} else {
			edges = edges[:mid]
		}
	}
	for _, e := range edges {
		if e.r == r {
			return e.next
		}
	}
	return 0
}
