package detect

import (
	"bytes"
	"hash/maphash"
	"slices"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
	"retro/pkg/wording"
)

// feature is a named reason for or against taking a prompt for pushback. What
// it weighs is in the profile.
type feature uint8

// The features. The first group is what is said, the second what was before,
// the third what the agent does next, the last what speaks against.
const (
	negation feature = iota
	contradiction
	complaint
	failureWords
	undo
	pastedError
	doubt
	expectation
	negativeQuestion
	annoyance
	repeatMarker
	repeatRequest

	afterChange
	interrupted
	refusal
	refusedEdit

	concedes
	concedesWeakly
	redo
	revertsChange

	nothingChanged
	approval
	praise
	answer
	newRequest
	question
	selfCorrection
	planning
	impersonal
	long
	numFeatures
)

var featureNames = [numFeatures]string{
	"negation", "contradiction", "complaint", "failure", "undo", "pasted-error", "doubt", "expectation", "negative-question", "annoyance",
	"repeat-marker", "repeat-request", "after-change", "interrupted", "refusal", "refused-edit", "concedes", "concedes-weakly", "redo", "reverts",
	"nothing-changed", "approval", "praise", "answer", "new-request", "question", "self-correction", "planning", "impersonal", "long",
}

// featureSet is a set of features.
type featureSet uint32

func setOf(features ...feature) (s featureSet) {
	for _, f := range features {
		s |= 1 << f
	}
	return s
}

func (s featureSet) has(f feature) bool { return s&(1<<f) != 0 }

func (s featureSet) names() (names []record.Identifier) {
	for f := range numFeatures {
		if s.has(f) {
			names = append(names, record.MustIdentifier(featureNames[f]))
		}
	}
	return names
}

// cues are the features without one of which nothing is pushback: what the
// agent changed or did next only adds to what a person says.
var cues = setOf(negation, contradiction, complaint, failureWords, undo, refusal, repeatRequest, pastedError, expectation,
	negativeQuestion, doubt, annoyance, repeatMarker, concedes)

// strongWords keep a question from being a plain one.
var strongWords = setOf(negation, contradiction, complaint, failureWords, undo, negativeQuestion, annoyance)

// featuresOfKind are the features that a kind of wording in the head stands for.
var featuresOfKind = []struct {
	kind wording.Kind
	is   feature
}{
	{wording.Negation, negation}, {wording.Contradiction, contradiction}, {wording.Complaint, complaint}, {wording.Failure, failureWords},
	{wording.Undo, undo}, {wording.Expectation, expectation}, {wording.NegativeQuestion, negativeQuestion}, {wording.Doubt, doubt},
	{wording.Annoyance, annoyance}, {wording.Repeat, repeatMarker}, {wording.Approval, approval}, {wording.Praise, praise},
	{wording.NewRequest, newRequest}, {wording.SelfCorrection, selfCorrection}, {wording.Planning, planning},
}

// promptKinds are the kinds of wording that are looked for in a prompt.
var promptKinds = func() wording.Set {
	set := wording.SetOf(wording.Person, wording.Question)
	for _, f := range featuresOfKind {
		set |= wording.SetOf(f.kind)
	}
	return set
}()

// guardedFeatures are the features that a guard takes away when it is off.
var guardedFeatures = []struct {
	guard    profile.Guard
	features featureSet
}{
	{profile.GuardReaction, setOf(concedes, concedesWeakly, redo, revertsChange)},
	{profile.GuardSimilarity, setOf(repeatRequest)},
	{profile.GuardPastedErrors, setOf(pastedError)},
	{profile.GuardAnswers, setOf(answer)},
	{profile.GuardApprovals, setOf(approval, praise)},
	{profile.GuardNewRequests, setOf(newRequest, question)},
	{profile.GuardImpersonal, setOf(impersonal)},
	{profile.GuardSelfCorrections, setOf(selfCorrection, planning)},
	{profile.GuardDoubts, setOf(doubt, negativeQuestion, expectation)},
	{profile.GuardChange, setOf(afterChange, nothingChanged)},
	{profile.GuardInterrupts, setOf(interrupted)},
	{profile.GuardRefusals, setOf(refusal, refusedEdit)},
}

// waiting is a prompt that waits for the agent's reaction.
type waiting struct {
	open     bool
	place    where
	order    int
	features featureSet
	opening  bool     // no turn came before it
	copied   bool     // the prompt before, word for word
	edits    []string // what the agent edited before it
	answered bool     // the agent said something since
}

// pushback judges prompts.
type pushback struct {
	waiting    waiting
	anyChange  bool     // the agent changed something in an earlier span
	olderEdits []string // of the span before the span before
	lastText   []byte   // of the last prompt
	any        bool     // there was a prompt
	recent     [remembered][]uint64
	units      []uint64 // room for the next prompt's
	next       int
	seed       maphash.Seed
	weights    [numFeatures]float64
	ready      bool
	off        featureSet
}

// remembered is how many prompts a repeated request is looked for in.
const remembered = 10

func (p *pushback) init(g *guarded) {
	p.seed, p.ready = maphash.MakeSeed(), true
	for f := range numFeatures {
		p.weights[f] = g.profile.Weight("S1", featureNames[f])
	}
	for _, guarded := range guardedFeatures {
		if !g.on(guarded.guard) {
			p.off |= guarded.features
		}
	}
}

// limits of length, in characters of prose.
const (
	longPrompt       = 1500
	impersonalPrompt = 200
)

// prompt takes a prompt with all that is known of it before the agent reacts.
func (p *pushback) prompt(g *guarded, b *transcript.Block) {
	if !p.ready {
		p.init(g)
	}
	prose := g.cleaner.Clean(b.Text, 0)
	kinds := g.lexicon.Find(prose.Head, promptKinds)
	f := p.said(g, b, &prose, kinds) | p.context(g, b)
	if (f.has(failureWords) || f.has(pastedError)) && !g.span.changed && !p.anyChange {
		f |= setOf(nothingChanged)
	}
	if kinds.Has(wording.Question) && slices.Contains(prose.Head, '?') && f&strongWords == 0 {
		f |= setOf(question)
	}
	if len(b.Prompt.Command) == 0 && p.repeats(g, prose.Text) {
		f |= setOf(repeatRequest)
	}
	w := &p.waiting
	*w = waiting{open: true, place: placeIn(b, g.turns), order: g.order, features: f &^ p.off, opening: !g.worked, edits: w.edits[:0]}
	w.copied = p.any && g.span.turns == 0 && sameWords(b.Text, p.lastText)
	w.edits = append(w.edits, g.span.edits...)
	if g.span.turns == 0 {
		w.edits = append(w.edits, p.olderEdits...)
	}
	p.olderEdits = append(p.olderEdits[:0], g.span.edits...)
	p.lastText, p.any = append(p.lastText[:0], b.Text...), true
	p.anyChange = p.anyChange || g.span.changed
}

// said are the features of the words.
func (p *pushback) said(g *guarded, b *transcript.Block, prose *wording.Prose, kinds wording.Set) (f featureSet) {
	for _, k := range featuresOfKind {
		if kinds.Has(k.kind) {
			f |= setOf(k.is)
		}
	}
	if prose.PastedError {
		f |= setOf(pastedError)
	}
	if prose.Chars > longPrompt {
		f |= setOf(long)
	}
	if prose.Chars > impersonalPrompt && !kinds.Has(wording.Person) && wording.Latin(prose.Text) {
		f |= setOf(impersonal)
	}
	return f
}

// context are the features of what was before.
func (p *pushback) context(g *guarded, b *transcript.Block) (f featureSet) {
	if g.span.interrupted {
		f |= setOf(interrupted)
	}
	if b.Prompt.Refusal {
		f |= setOf(refusal)
		if b.Call != nil && g.edited(b.Call) != nil {
			f |= setOf(refusedEdit)
		}
	}
	if g.span.changed {
		f |= setOf(afterChange)
	}
	if g.span.asks(g.lexicon) {
		f |= setOf(answer)
	}
	return f
}

// sameWords tells whether two texts have the same words, however blanks stand
// between them.
func sameWords(a, b []byte) bool {
	for {
		wordA, restA := nextWord(a)
		wordB, restB := nextWord(b)
		if !bytes.Equal(wordA, wordB) {
			return false
		}
		if len(wordA) == 0 {
			return true
		}
		a, b = restA, restB
	}
}

// nextWord cuts the first word off a text; none is left behind the last.
func nextWord(text []byte) (word, rest []byte) {
	blank := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
	from := 0
	for from < len(text) && blank(text[from]) {
		from++
	}
	to := from
	for to < len(text) && !blank(text[to]) {
		to++
	}
	return text[from:to], text[to:]
}

const (
	// minUnits is how many different words two prompts must have to be compared.
	minUnits = 6
	// alike is the share of common words, in hundredths, at which two prompts
	// are the same request.
	alike = 50
)

// repeats tells whether one of the last prompts asked for much the same, and
// remembers this one.
func (p *pushback) repeats(g *guarded, prose []byte) (found bool) {
	units := p.units[:0]
	g.lexicon.Units(prose, func(unit []byte) { units = append(units, maphash.Bytes(p.seed, unit)) })
	slices.Sort(units)
	units = slices.Compact(units)
	if len(units) >= minUnits {
		for _, other := range p.recent {
			found = found || len(other) >= minUnits && similarity(units, other) >= alike
		}
	}
	p.recent[p.next], p.units = units, p.recent[p.next]
	p.next = (p.next + 1) % remembered
	return found
}

// similarity is the Jaccard index of two sorted sets, in hundredths.
func similarity(a, b []uint64) int {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 100 * common / (len(a) + len(b) - common)
}

// keptOfAnswer is how much of the agent's answer is looked at for a concession,
// in cleaned bytes.
const keptOfAnswer = 160

// answer looks at the agent's first words behind the prompt.
func (p *pushback) answer(g *guarded, text []byte) {
	w := &p.waiting
	if !w.open || w.answered {
		return
	}
	w.answered = true
	kinds := g.saysEarly(text, 8*keptOfAnswer, 8*keptOfAnswer, keptOfAnswer, wording.SetOf(wording.Concession, wording.StrongConcession))
	switch {
	case kinds.Has(wording.StrongConcession):
		w.features |= setOf(concedes) &^ p.off
	case kinds.Has(wording.Concession):
		w.features |= setOf(concedesWeakly) &^ p.off
	}
}

// reaction looks at what the agent does behind the prompt.
func (p *pushback) reaction(call *transcript.Call, path []byte) {
	w := &p.waiting
	if !w.open {
		return
	}
	if len(path) > 0 && hasPath(w.edits, path) {
		w.features |= setOf(redo) &^ p.off
	}
	if string(call.Name) == "Bash" && reverts(call.Command) {
		w.features |= setOf(revertsChange) &^ p.off
	}
}

// judgement is what a prompt is taken for.
type judgement struct {
	features featureSet
	pushback bool
	against  []record.Identifier // what kept it from being pushback
}

// verdict adds up the weights.
func (p *pushback) verdict(g *guarded, w *waiting) judgement {
	j := judgement{features: w.features}
	if w.features&cues == 0 {
		return j
	}
	sum, favour := 0.0, 0.0
	var negative featureSet
	for f := range numFeatures {
		if !w.features.has(f) {
			continue
		}
		sum += p.weights[f]
		if p.weights[f] < 0 {
			negative |= setOf(f)
		} else {
			favour += p.weights[f]
		}
	}
	enough := favour >= g.limits.Pushback
	if enough && sum < g.limits.Pushback {
		j.against = negative.names()
	}
	if w.opening && g.on(profile.GuardOpening) {
		j.against = append(j.against, record.MustIdentifier("opening"))
	}
	if w.copied && g.on(profile.GuardCopies) {
		j.against = append(j.against, record.MustIdentifier("copies"))
	}
	j.pushback = enough && len(j.against) == 0
	return j
}
