package wording

import (
	"fmt"
	"sync"
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
	ascii     bool    // the text at hand is ASCII
	scripts   scripts // of it, folded
	tokens    []token
	own       map[partKey]*index // the parts that were used, to be found without a lock
	seen      wordBits           // the words of the text
	tried     []*pattern         // those tried at every word
	firstWord int                // the first word, and the first behind fillers
	afterFill int
}

// compiled is the part of a Lexicon that does not change but for what is
// compiled on demand.
type compiled struct {
	lists      []Patterns
	conditions map[string]bool
	unspacedIf [][]byte

	mu sync.Mutex
	compiler
	ofList map[int][]*pattern // of the lists, by their number
	parts  map[partKey]*index
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
	for _, r := range runes(text[asciiLength(text):]) {
		switch {
		case r >= 0x400 && r < 0x530:
			s |= cyrillic
		case isUnspaced(r):
			s |= unspaced
		}
	}
	return s
}

// index finds the patterns of some kinds by how they begin.
type index struct {
	byWord    map[uint32]int32 // by the hash of the first word, where in begun its patterns start; others of the same hash do no harm
	begun     []begun
	begins    wordBits // the words of byWord
	needles   needles
	prefixes  []*pattern
	others    []*pattern // those that begin with a mark or a gap
	ascii     []*pattern // plain text of ASCII characters
	pieces    []*pattern // and of others, none of an unspaced script
	allPieces []*pattern // those of unspaced scripts, and then the pieces
}

// begun is a pattern by its first word, and the place of the next one; 0 for none.
type begun struct {
	*pattern
	next int32
}

// Compile checks patterns and makes a lexicon of them. The error names the
// pattern's kind and place.
func Compile(patterns []Patterns) (*Lexicon, error) {
	var c compiler
	for _, list := range patterns {
		if list.Kind.bit() == 0 {
			return nil, fmt.Errorf("no such kind of pattern")
		}
		for i, raw := range list.Entries {
			for _, one := range expand(raw) {
				if _, err := c.compile(one, list.Kind, list.Language); err != nil {
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
	c := &compiled{lists: patterns, conditions: map[string]bool{}, ofList: map[int][]*pattern{}, parts: map[partKey]*index{}}
	for _, list := range patterns {
		if list.Kind != Condition {
			continue
		}
		c.each(&list, func(p *pattern) {
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
func (c *compiler) each(list *Patterns, add func(*pattern)) {
	for _, raw := range list.Entries {
		for _, one := range expand(raw) {
			if p, err := c.compile(one, list.Kind, list.Language); err == nil {
				add(p)
			}
		}
	}
}

// part is the index of the wanted kinds for a text of the scripts at hand.
func (l *Lexicon) part(want Set) *index {
	key := partKey{want, l.scripts}
	x := l.own[key]
	if x == nil {
		if x = l.compiled.part(key); l.own == nil {
			l.own = map[partKey]*index{}
		}
		l.own[key] = x
	}
	return x
}

// part makes an index once. There are few different ones.
func (c *compiled) part(key partKey) *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.parts[key]
	if x == nil {
		x = newIndex()
		for i := range c.lists {
			list := &c.lists[i]
			needs := scriptOf[list.Language]
			if list.Kind != Condition && list.Kind.bit()&key.want != 0 && needs&^key.scripts == 0 {
				for _, p := range c.patternsOf(i) {
					x.add(p)
				}
			}
		}
		x.allPieces = append(x.allPieces, x.pieces...)
		c.parts[key] = x
	}
	return x
}

// patternsOf compiles a list once: most texts of other scripts are searched for
// the same patterns, too.
func (c *compiled) patternsOf(list int) []*pattern {
	if c.ofList[list] == nil {
		all := make([]*pattern, 0, len(c.lists[list].Entries))
		c.each(&c.lists[list], func(p *pattern) { all = append(all, p) })
		c.ofList[list] = all
	}
	return c.ofList[list]
}

func (x *index) add(p *pattern) {
	if p.piece == nil {
		x.needles.add(p)
	}
	switch {
	case p.unspaced:
		x.allPieces = append(x.allPieces, p)
	case p.piece != nil:
		x.pieces = append(x.pieces, p)
		if isASCII(p.piece) {
			x.ascii = append(x.ascii, p)
		}
	case p.elements[0].kind == literal && isWordRune([]rune(p.elements[0].words[0])[0]):
		for _, w := range p.elements[0].words {
			h := hashOf(w)
			x.begun = append(x.begun, begun{p, x.byWord[h]})
			x.byWord[h] = int32(len(x.begun) - 1)
			x.begins.set(h)
		}
	case p.elements[0].kind == prefix:
		x.prefixes = append(x.prefixes, p)
	default:
		x.others = append(x.others, p)
	}
}

func newIndex() *index {
	return &index{byWord: map[uint32]int32{}, begun: make([]begun, 1, room)}
}

// first is the place in begun of a pattern that may begin with a word of the hash;
// 0 for none.
func (x *index) first(h uint32) int32 {
	if !x.begins.has(h) {
		return 0
	}
	return x.byWord[h]
}

// With returns a lexicon of the same patterns with buffers of its own.
func (l *Lexicon) With(opt Options) *Lexicon { return &Lexicon{compiled: l.compiled, opt: opt} }

// Is tells whether the lexicon is one With these patterns and options.
func (l *Lexicon) Is(patterns *Lexicon, opt Options) bool {
	return l.compiled == patterns.compiled && l.opt == opt
}
