package wording

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Find tells which of the wanted kinds are in the text. Nearly all texts hold
// nothing, so idioms are looked for only where something was found.
func (l *Lexicon) Find(text []byte, want Set) Set {
	l.scripts, l.ascii = 0, isASCII(text)
	if x := l.part(want); len(x.pieces) == 0 || l.ascii && len(x.ascii) == 0 {
		if found, sure := x.needles.inRaw(text); sure && !found {
			return 0
		}
	}
	l.folded = fold(l.folded[:0], text)
	if !l.ascii {
		l.scripts = scriptsOf(l.folded)
	}
	x := l.part(want)
	found := l.pieceKinds(x)
	if found == 0 && !x.needles.in(l.folded) {
		return 0
	}
	l.tokens = tokenize(l.tokens[:0], l.folded)
	l.openings()
	found |= l.wordKinds(x)
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
	x := l.part(Excuse.bit())
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
	switch {
	case l.ascii:
		return x.ascii
	case l.scripts&unspaced != 0:
		return x.allPieces
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
	prefixes, others := l.active(x)
	for i := range l.tokens {
		if !l.tokens[i].word {
			continue
		}
		for at := x.first(l.tokens[i].hash); at != 0; at = x.begun[at].next {
			if p := x.begun[at].pattern; l.may(p) {
				l.try(p, 0, i, report)
			}
		}
		for _, p := range prefixes {
			l.try(p, 0, i, report)
		}
		for _, p := range others {
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
