package wording

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// Kind says what a pattern is a sign of.
type Kind string

// The kinds of pattern. The first group is what people say to what went wrong,
// the second what speaks against that reading, the third what an agent says.
const (
	Negation         Kind = "negation"          // "no, ..." as an opening, "stop that"
	Contradiction    Kind = "contradiction"     // "that's wrong", "not what I asked"
	Complaint        Kind = "complaint"         // "you removed ...", "why did you"
	Failure          Kind = "failure"           // "still not", "doesn't work"
	Undo             Kind = "undo"              // "revert that"
	Expectation      Kind = "expectation"       // "should be", "I meant"
	NegativeQuestion Kind = "negative-question" // "isn't this ...?"
	Doubt            Kind = "doubt"             // "hmm", "are you sure"
	Annoyance        Kind = "annoyance"         // words, emoji, "???"
	Repeat           Kind = "repeat"            // "again", "still"

	Approval       Kind = "approval"
	Praise         Kind = "praise"
	NewRequest     Kind = "new-request"
	Question       Kind = "question"
	SelfCorrection Kind = "self-correction" // "I was wrong"
	Planning       Kind = "planning"        // "that approach won't work for ..."
	Excuse         Kind = "excuse"          // idioms that only look like one of the above
	Condition      Kind = "condition"       // "if", "when"
	Person         Kind = "person"          // words of somebody who speaks: "I", "you", "please"

	Concession       Kind = "concession"        // "good catch"
	StrongConcession Kind = "strong-concession" // "you're right", "my mistake"
	Retry            Kind = "retry"             // "that didn't work", "let me try again"
	Ask              Kind = "ask"               // "shall I", "which one"
)

// Kinds lists all kinds.
var Kinds = []Kind{Negation, Contradiction, Complaint, Failure, Undo, Expectation, NegativeQuestion, Doubt, Annoyance, Repeat,
	Approval, Praise, NewRequest, Question, SelfCorrection, Planning, Excuse, Condition, Person,
	Concession, StrongConcession, Retry, Ask}

// Set is a set of kinds.
type Set uint32

// SetOf is the set of the kinds.
func SetOf(kinds ...Kind) Set {
	var s Set
	for _, k := range kinds {
		s |= k.bit()
	}
	return s
}

// Has tells whether one of the kinds is in the set.
func (s Set) Has(kinds ...Kind) bool { return s&SetOf(kinds...) != 0 }

func (k Kind) bit() Set {
	for i, known := range Kinds {
		if k == known {
			return 1 << i
		}
	}
	return 0
}

// Options turn parts of the matching off, so that each can be measured.
type Options struct {
	EnglishOnly  bool // patterns of other languages match nothing
	NoExcuses    bool // idioms are not taken out first
	NoConditions bool // a condition leaves a failure a failure
}

// Patterns are the patterns of one kind in one language.
type Patterns struct {
	Kind     Kind     `json:"kind"`
	Language string   `json:"language"` // ISO 639 code; "any" for emoji and marks
	Entries  []string `json:"entries"`
}

// Lexicon is a compiled set of patterns. It is used by one goroutine at a time:
// it keeps its buffers.
type Lexicon struct {
	*compiled
	opt Options

	folded    []byte
	tokens    []token
	firstWord int // the first word, and the first behind fillers
	afterFill int
}

// compiled is the part of a Lexicon that does not change but for what is
// compiled on demand.
type compiled struct {
	lists      []Patterns
	conditions map[string]bool
	unspacedIf [][]byte

	mu    sync.Mutex
	parts map[partKey]*index
}

// partKey names the patterns that a text of some scripts is searched for.
type partKey struct {
	want    Set
	scripts scripts
}

// scripts are the scripts of a text that not every text has.
type scripts uint8

const (
	cyrillic scripts = 1 << iota
	unspaced
)

// scriptOf are the languages whose patterns are of no use without their script.
var scriptOf = map[string]scripts{"ru": cyrillic, "zh": unspaced, "ja": unspaced, "ko": unspaced}

// scriptsOf looks at the letters of a text.
func scriptsOf(text []byte) (s scripts) {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r >= 0x400 && r < 0x530:
			s |= cyrillic
		case isUnspaced(r):
			s |= unspaced
		}
		i += size
	}
	return s
}

// index finds the patterns of some kinds by how they begin.
type index struct {
	byWord   map[string][]*pattern
	prefixes []*pattern
	others   []*pattern // those that begin with a mark or a gap
	pieces   []*pattern // plain text without a character of an unspaced script
	unspaced []*pattern
}

// Compile checks patterns and makes a lexicon of them. The error names the
// pattern's kind and place.
func Compile(patterns []Patterns) (*Lexicon, error) {
	for _, list := range patterns {
		if list.Kind.bit() == 0 {
			return nil, fmt.Errorf("no such kind of pattern")
		}
		for i, raw := range list.Entries {
			for _, one := range expand(raw) {
				if _, err := compile(one, list.Kind, list.Language); err != nil {
					return nil, fmt.Errorf("%s %s, entry %d: %w", list.Language, list.Kind, i, err)
				}
			}
		}
	}
	return New(patterns), nil
}

// New makes a lexicon of patterns that were checked before. Patterns are
// compiled when the first text needs them: all of them take 5 ms, which a
// process that reads one session would pay for nothing.
func New(patterns []Patterns) *Lexicon {
	c := &compiled{lists: patterns, conditions: map[string]bool{}, parts: map[partKey]*index{}}
	for _, list := range patterns {
		if list.Kind != Condition {
			continue
		}
		each(&list, func(p *pattern) {
			if p.piece != nil {
				c.unspacedIf = append(c.unspacedIf, p.piece)
			} else {
				c.conditions[p.elements[0].words[0]] = true
			}
		})
	}
	return &Lexicon{compiled: c}
}

// each compiles the patterns of a list.
func each(list *Patterns, add func(*pattern)) {
	for _, raw := range list.Entries {
		for _, one := range expand(raw) {
			if p, err := compile(one, list.Kind, list.Language); err == nil {
				add(p)
			}
		}
	}
}

// part is the index of the wanted kinds for a text. There are few different
// ones, and each is made once.
func (c *compiled) part(want Set, text []byte) *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := partKey{want, scriptsOf(text)}
	x := c.parts[key]
	if x == nil {
		x = &index{byWord: map[string][]*pattern{}}
		for i := range c.lists {
			list := &c.lists[i]
			needs := scriptOf[list.Language]
			if list.Kind != Condition && list.Kind.bit()&want != 0 && needs&^key.scripts == 0 {
				each(list, x.add)
			}
		}
		c.parts[key] = x
	}
	return x
}

func (x *index) add(p *pattern) {
	switch {
	case p.unspaced:
		x.unspaced = append(x.unspaced, p)
	case p.piece != nil:
		x.pieces = append(x.pieces, p)
	case p.elements[0].kind == literal && isWordRune([]rune(p.elements[0].words[0])[0]):
		for _, w := range p.elements[0].words {
			x.byWord[w] = append(x.byWord[w], p)
		}
	case p.elements[0].kind == prefix:
		x.prefixes = append(x.prefixes, p)
	default:
		x.others = append(x.others, p)
	}
}

// With returns a lexicon of the same patterns with buffers of its own.
func (l *Lexicon) With(opt Options) *Lexicon { return &Lexicon{compiled: l.compiled, opt: opt} }

// Find tells which of the wanted kinds are in the text. Nearly all texts hold
// nothing, so idioms are looked for only where something was found.
func (l *Lexicon) Find(text []byte, want Set) Set {
	l.folded = fold(l.folded[:0], text)
	l.tokens = tokenize(l.tokens[:0], l.folded)
	l.openings()
	x := l.part(want, l.folded)
	found := l.pieceKinds(x) | l.wordKinds(x)
	if found == 0 || l.opt.NoExcuses || !l.excuse() {
		return found
	}
	return l.pieceKinds(x) | l.wordKinds(x)
}

// fillers open a text without saying anything.
var fillers = wordSet("hmm hm mh mmh mm eh ehh em emm um umm uh uhm oh ah aha well so ok okay hey hi na also naja bon ben bueno pues beh allora entao ну а ой эм хм and yeah")

// unspacedFillers are those of unspaced scripts.
var unspacedFillers = []string{"嗯", "啊", "呃", "额", "哦", "那个", "えっと", "えーと", "あの", "あ,", "うーん", "음", "아 ", "어 ", "흠"}

// firstPersons behind a word of condition make a report of it: "if I run it, it
// fails".
var firstPersons = wordSet("i we im ich wir je j on nous jai yo eu io noi я мы")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// openings finds the first word and the first word behind fillers.
func (l *Lexicon) openings() {
	i := 0
	for i < len(l.tokens) && !l.tokens[i].word {
		i++
	}
	l.firstWord = i
	for i < len(l.tokens) && (!l.tokens[i].word || fillers[string(l.tokens[i].text)]) {
		i++
	}
	l.afterFill = i
}

// head is the folded text behind opening fillers and marks of unspaced scripts.
func (l *Lexicon) head() []byte {
	h := bytes.TrimLeft(l.folded, " \n,.")
	for again := true; again; {
		again = false
		for _, f := range unspacedFillers {
			if bytes.HasPrefix(h, []byte(f)) {
				h, again = bytes.TrimLeft(h[len(f):], " \n,.~"), true
			}
		}
	}
	return h
}

// covered stands for text that an excuse covers.
const covered = '\x01'

// excuse finds the idioms and covers what they stand on.
func (l *Lexicon) excuse() (found bool) {
	x := l.part(Excuse.bit(), l.folded)
	for _, p := range l.piecesOf(x) {
		if !l.pieceIn(p) {
			continue
		}
		found = true
		for i := bytes.Index(l.folded, p.piece); i >= 0; i = bytes.Index(l.folded, p.piece) {
			for j := range p.piece {
				l.folded[i+j] = covered
			}
		}
	}
	var spans [][2]int
	l.words(x, func(_ *pattern, from, to int) { spans = append(spans, [2]int{from, to}) })
	for _, s := range spans {
		for i := s[0]; i < s[1]; i++ {
			l.tokens[i].blank = true
		}
	}
	return found || len(spans) > 0
}

// piecesOf are the plain pieces that can be in the text at all.
func (l *Lexicon) piecesOf(x *index) []*pattern {
	if HasUnspaced(l.folded) {
		return append(x.unspaced[:len(x.unspaced):len(x.unspaced)], x.pieces...)
	}
	return x.pieces
}

func (l *Lexicon) pieceKinds(x *index) (found Set) {
	for _, p := range l.piecesOf(x) {
		if p.bit&found == 0 && l.pieceIn(p) {
			found |= p.bit
		}
	}
	return found
}

func (l *Lexicon) pieceIn(p *pattern) bool {
	switch {
	case p.foreign && l.opt.EnglishOnly:
		return false
	case p.anchor != anywhere:
		return bytes.HasPrefix(l.head(), p.piece)
	case p.kind == Failure:
		return l.failureIn(p.piece)
	}
	return bytes.Contains(l.folded, p.piece)
}

// failureIn tells whether the piece is in a sentence without a word of condition.
func (l *Lexicon) failureIn(piece []byte) bool {
	if !bytes.Contains(l.folded, piece) {
		return false
	}
	for _, sentence := range bytes.FieldsFunc(l.folded, func(r rune) bool { return strings.ContainsRune(".!?\n", r) }) {
		if bytes.Contains(sentence, piece) && (l.opt.NoConditions || !containsAny(sentence, l.unspacedIf)) {
			return true
		}
	}
	return false
}

func containsAny(b []byte, pieces [][]byte) bool {
	for _, p := range pieces {
		if bytes.Contains(b, p) {
			return true
		}
	}
	return false
}

func (l *Lexicon) wordKinds(x *index) (found Set) {
	l.words(x, func(p *pattern, _, _ int) { found |= p.bit })
	return found
}

// words reports every match of a pattern of words.
func (l *Lexicon) words(x *index, report func(p *pattern, from, to int)) {
	for i := range l.tokens {
		if !l.tokens[i].word {
			continue
		}
		for _, p := range x.byWord[string(l.tokens[i].text)] {
			l.try(p, 0, i, report)
		}
		for _, p := range x.prefixes {
			l.try(p, 0, i, report)
		}
		for _, p := range x.others {
			l.tryOther(p, i, report)
		}
	}
}

// tryOther tries a pattern that begins with a gap or a mark at the word i.
func (l *Lexicon) tryOther(p *pattern, i int, report func(*pattern, int, int)) {
	first := &p.elements[0]
	switch {
	case first.kind == gap:
		l.try(p, 0, i, report)
	case i == 0:
		if first.kind == mark {
			l.try(p, 1, i, report)
		}
	case !l.tokens[i-1].word && (first.kind == mark || first.has(l.tokens[i-1].text)):
		l.try(p, 1, i, report)
	}
}

func (l *Lexicon) try(p *pattern, from, i int, report func(*pattern, int, int)) {
	if p.foreign && l.opt.EnglishOnly || !l.anchored(p, i) {
		return
	}
	j, ok := match(p.elements[from:], l.tokens, i)
	if !ok {
		return
	}
	for k := i; k < j; k++ {
		if l.tokens[k].blank {
			return
		}
	}
	if p.kind == Failure && !l.opt.NoConditions && l.conditional(i) {
		return
	}
	report(p, i, j)
}

func (l *Lexicon) anchored(p *pattern, i int) bool {
	switch p.anchor {
	case textStart:
		return i == l.firstWord || i == l.afterFill
	case sentenceStart:
		return l.tokens[i].first || i == l.afterFill || i > 0 && !l.tokens[i-1].word
	}
	return true
}

// conditional tells whether the sentence of token i begins with a word of
// condition that no first person follows.
func (l *Lexicon) conditional(i int) bool {
	for i > 0 && !l.tokens[i].first {
		i--
	}
	return l.conditions[string(l.tokens[i].text)] && !(i+1 < len(l.tokens) && firstPersons[string(l.tokens[i+1].text)])
}

// Tokens lists the folded words of a text, marks left out; single characters
// of unspaced scripts are words here.
func (l *Lexicon) Tokens(text []byte) [][]byte {
	l.folded = fold(l.folded[:0], text)
	l.tokens = tokenize(l.tokens[:0], l.folded)
	var out [][]byte
	for i := range l.tokens {
		if l.tokens[i].word {
			out = append(out, l.tokens[i].text)
		}
	}
	return out
}

// Units calls add for every word of the text and every pair of neighbouring
// characters of unspaced scripts: what two texts are compared by.
func (l *Lexicon) Units(text []byte, add func([]byte)) {
	l.folded = fold(l.folded[:0], text)
	l.tokens = tokenize(l.tokens[:0], l.folded)
	var pair [2 * utf8.UTFMax]byte
	var before []byte
	for i := range l.tokens {
		t := &l.tokens[i]
		switch {
		case !t.word:
			before = nil
		case t.unspaced:
			if before != nil {
				add(append(append(pair[:0], before...), t.text...))
			}
			before = t.text
		default:
			add(t.text)
			before = nil
		}
	}
}
