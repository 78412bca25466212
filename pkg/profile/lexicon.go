package profile

import (
	"sync"

	"retro/pkg/phrase"
)

// Lexicon is a list of phrases or words of one kind in one language.
type Lexicon struct {
	// Kind says what its entries are signs of.
	Kind LexiconKind `json:"kind"`
	// Language is an ISO 639 code.
	Language string `json:"language"`
	// Border says where the entries must stand apart from words; see the
	// package phrase for it and for the notation of the entries.
	Border  BorderName `json:"border"`
	Entries []string   `json:"entries"`
}

// LexiconKind says what the entries of a lexicon are signs of.
type LexiconKind string

// The kinds of lexicon.
const (
	// Rejections are what people say to what went wrong.
	Rejections LexiconKind = "rejection"
	// Retries are what an agent says when it tries again.
	Retries LexiconKind = "retry"
	// Approvals are single words that agree; they are compared as words.
	Approvals LexiconKind = "approval"
)

var lexiconKinds = []LexiconKind{Rejections, Retries, Approvals}

// BorderName names a phrase.Border in a document.
type BorderName string

var borders = []struct {
	name   BorderName
	border phrase.Border
}{
	{"word", phrase.Word}, {"start", phrase.Start}, {"end", phrase.End}, {"none", 0},
}

func (b BorderName) border() (phrase.Border, bool) {
	for _, known := range borders {
		if known.name == b {
			return known.border, true
		}
	}
	return 0, false
}

// phrases keeps compiled lexicons: one profile serves many sessions.
type phrases struct {
	mu   sync.Mutex
	sets map[phraseKey]*phrase.Set
}

type phraseKey struct {
	kind LexiconKind
	opt  phrase.Options
}

// Phrases compiles all lexicons of the kind into one set, in their order. It
// does so once; the set may be used from several goroutines.
func (p *Profile) Phrases(kind LexiconKind, opt phrase.Options) *phrase.Set {
	p.compiled.mu.Lock()
	defer p.compiled.mu.Unlock()
	key := phraseKey{kind, opt}
	if set := p.compiled.sets[key]; set != nil {
		return set
	}
	if p.compiled.sets == nil {
		p.compiled.sets = make(map[phraseKey]*phrase.Set)
	}
	set := phrase.MustCompile(p.phrases(kind), opt) // every entry was checked when the document was read
	p.compiled.sets[key] = set
	return set
}

func (p *Profile) phrases(kind LexiconKind) []phrase.Phrase {
	var list []phrase.Phrase
	for _, l := range p.Lexicons {
		if l.Kind != kind {
			continue
		}
		border, _ := l.Border.border()
		for _, entry := range l.Entries {
			list = append(list, phrase.Phrase{Text: entry, Border: border})
		}
	}
	return list
}

// Words lists the entries of all lexicons of the kind.
func (p *Profile) Words(kind LexiconKind) []string {
	var out []string
	for _, l := range p.Lexicons {
		if l.Kind == kind {
			out = append(out, l.Entries...)
		}
	}
	return out
}
