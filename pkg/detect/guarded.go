package detect

import (
	"time"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
	"retro/pkg/wording"
)

func init() {
	register(Detector{
		Name: "guarded",
		Doc:  "The signals of the gate with the faults of use mended: a turn is a message, a rejection follows something the agent did, a failure is one in earnest.",
		New:  newGuarded,
	})
}

// guarded holds what the observers of a profile that counts messages share: one
// walk over the session feeds all its signals. Between two prompts lies a span,
// what the agent did; a prompt is judged by its words, by the span before it
// and, at the next prompt, by the span behind it.
type guarded struct {
	report  Report
	profile *profile.Profile
	limits  profile.Limits
	on      func(profile.Guard) bool
	lexicon *wording.Lexicon
	cleaner *wording.Cleaner
	opt     *Options

	turns  int  // of the agent
	worked bool // the agent had a turn before
	span   span // since the last prompt
	pushes pushback
	fails  failures
	loops  loops
	terse  terse

	editTools [][]byte // of the profile

	refused bool // a call was refused and no turn followed
	order   int  // counts events, to place edits, failures and pushback
}

func newGuarded(opt *Options, report Report) *Observer {
	p := opt.profile()
	if p.Turns != profile.Messages {
		return nil
	}
	g := &guarded{report: report, profile: p, limits: p.Limits, on: p.Has, opt: opt}
	g.lexicon = opt.Buffers.lexiconOf(p.WordingLexicon(), wording.Options{
		EnglishOnly: !p.Has(profile.GuardLanguages), NoExcuses: !p.Has(profile.GuardIdioms), NoConditions: !p.Has(profile.GuardConditions)})
	g.cleaner = &opt.Buffers.cleaner
	g.cleaner.Keep = !p.Has(profile.GuardStrip)
	for _, tool := range p.EditTools {
		g.editTools = append(g.editTools, []byte(tool))
	}
	g.fails.init(g)
	g.loops.init(g)
	return &Observer{Block: g.block, Turn: g.turn, End: g.end}
}

// turn sees turns that left no block, such as one of thinking alone.
func (g *guarded) turn(t *transcript.Turn) {
	if t.File == 0 && t.Speaker == transcript.Agent && !t.Late {
		g.newTurn(t.Number)
	}
}

// newTurn begins a turn unless it has begun already.
func (g *guarded) newTurn(number int) {
	if number <= g.turns {
		return
	}
	g.turns, g.worked = number, true
	g.span.turns++
	g.refused = false
	g.terse.newTurn()
}

func (g *guarded) block(b *transcript.Block) {
	if b.Speaker == transcript.Subagent && !g.asMain(b) {
		g.fails.subagent(b)
		return
	}
	g.order++
	switch b.Kind {
	case transcript.Text:
		g.newTurn(b.Turn)
		g.text(b)
	case transcript.ToolCall:
		g.newTurn(b.Turn)
		g.call(b)
	case transcript.ToolResult:
		g.result(b)
	case transcript.Prompt:
		if !b.Prompt.Steering || g.on(profile.GuardSteering) {
			g.prompt(b)
		}
	case transcript.Notice:
		g.notice(b)
	}
}

// asMain tells whether a sub-agent's block is looked at all the same: only
// when the guard against it is off, and then only one inside the main
// transcript, as the versions that had none else wrote them.
func (g *guarded) asMain(b *transcript.Block) bool {
	return !g.on(profile.GuardSidechains) && b.File == 0
}

func (g *guarded) text(b *transcript.Block) {
	g.terse.text(b)
	g.pushes.answer(g, b.Text)
	g.span.said(b.Text)
	g.retry(b)
}

func (g *guarded) call(b *transcript.Block) {
	path := g.edited(b.Call)
	g.pushes.reaction(b.Call, path)
	g.span.did(b.Call, path)
	g.loops.call(b, path)
	g.fails.call(b.Call)
}

func (g *guarded) result(b *transcript.Block) {
	failure := g.fails.result(b)
	if b.Result.Status == transcript.Refused {
		g.refused = true
	}
	g.loops.result(b, failure)
}

func (g *guarded) notice(b *transcript.Block) {
	switch {
	case b.Notice == transcript.Interrupt:
		g.span.interrupted = true
		if g.on(profile.GuardInterrupts) && !g.refused {
			g.hit("interrupt", "interrupt", placeIn(b, g.turns), record.Deterministic, nil)
		}
	case !g.on(profile.GuardHarness) && len(b.Text) > 0,
		!g.on(profile.GuardSidechains) && b.Notice == transcript.SubagentPrompt:
		g.prompt(b)
	}
}

// prompt judges the prompt before, takes the new one, and begins a span.
func (g *guarded) prompt(b *transcript.Block) {
	g.judge()
	if b.Prompt.Refusal && g.on(profile.GuardRefusals) {
		g.hit("refusal", "refusal", placeIn(b, g.turns), record.Deterministic, nil)
	}
	g.fails.prompt(b.Time)
	g.terse.prompt(g, b)
	g.pushes.prompt(g, b)
	g.span.reset()
}

// judge decides about the prompt that waits for the agent's reaction.
func (g *guarded) judge() {
	p := &g.pushes.waiting
	if !p.open {
		return
	}
	p.open = false
	verdict := g.pushes.verdict(g, p)
	if verdict.pushback {
		g.loops.pushback(p.order)
		g.pushed(p, verdict)
	} else if g.opt.Candidates {
		g.candidate(p, verdict)
	}
}

func (g *guarded) end(sum *transcript.Summary) {
	g.judge()
	g.fails.end(sum)
	g.loops.end(sum.Facts.FirstDir)
}

// pushed reports a prompt that is pushback, under every signal that it is.
func (g *guarded) pushed(p *waiting, v judgement) {
	features := v.features.names()
	g.hit("S1", "explicit-reject", p.place, record.Heuristic, features)
	if v.features.has(concedes) {
		g.hit("concession", "concession", p.place, record.Heuristic, features)
	}
	if v.features.has(repeatRequest) {
		g.hit("repeat-request", "repeat-request", p.place, record.Heuristic, features)
	}
	if v.features.has(failureWords) || v.features.has(pastedError) {
		g.hit("failure-report", "failure-report", p.place, record.Heuristic, features)
	}
}

// hit reports friction.
func (g *guarded) hit(signal, detector string, at where, how record.Confidence, features []record.Identifier) {
	if g.counts(signal) {
		h := at.hit(signal, detector, how)
		h.Evidence.(*record.FrictionEvidence).Features = features
		g.report(h)
	}
}

// counts tells whether a signal is one of the profile's: one that it gives no
// weight is none.
func (g *guarded) counts(signal string) bool { return g.profile.Signal(signal) != nil }

// candidate reports a prompt that is no pushback, and why: what speaks against
// it, else that too little speaks for it. Every prompt is told, because who
// calibrates has to know also what other weights would make of it.
func (g *guarded) candidate(p *waiting, v judgement) {
	h := p.place.hit("S1", "explicit-reject", record.Heuristic)
	h.Kind = record.Candidate
	e := h.Evidence.(*record.FrictionEvidence)
	e.Features, e.SuppressedBy = v.features.names(), v.against
	if len(v.against) == 0 {
		e.SuppressedBy = []record.Identifier{record.MustIdentifier(tooLittle)}
	}
	g.report(h)
}

// tooLittle stands for the guards' names at a prompt that nothing holds back:
// the weights of what speaks for pushback do not reach the limit.
const tooLittle = "score"

// where is the place of a hit. Every edit has one, so what only a hit needs is
// made when there is a hit.
type where struct {
	id         record.Identifier // of the record, zero when it has none
	refusal    bool              // the words of a refusal: the result stands in the same record
	time       time.Time
	file, line int
	turn       int
}

// placeIn is the place of a block.
func placeIn(b *transcript.Block, turn int) where {
	w := where{time: b.Time, file: b.File, line: b.Line, turn: turn, refusal: b.Prompt.Refusal && b.Kind == transcript.Prompt}
	if len(b.UUID) > 0 {
		w.id, _ = record.NewIdentifier(string(b.UUID))
	}
	return w
}

// anchor is the id of the record; where it has none, or one that no agent would
// make and that could be any text, its line counted from 0.
func (w where) anchor() record.Anchor {
	if w.id.IsZero() {
		return record.LineAnchor(w.line - 1)
	}
	return record.NewAnchor(w.id.String())
}

func (w where) hit(signal, detector string, how record.Confidence) Hit {
	anchor := w.anchor()
	key := anchor.Key()
	if w.refusal {
		key += ".refusal"
	}
	return Hit{Kind: record.Friction, Detector: detector, Confidence: how, Time: w.time, Key: key, File: w.file, Line: w.line,
		Evidence: &record.FrictionEvidence{Signal: record.MustIdentifier(signal), Anchor: anchor, Turn: w.turn}}
}

// keptOfRetry is how much of an agent's text is looked at for words of a failed
// attempt, in cleaned bytes.
const keptOfRetry = 600

// retry reports an agent that says its attempt failed, once a record.
func (g *guarded) retry(b *transcript.Block) {
	if g.saysEarly(b.Text, keptOfRetry+keptOfRetry/4, 3*keptOfRetry, keptOfRetry, wording.SetOf(wording.Retry)) != 0 {
		g.hit("S4", "assistant-retry", placeIn(b, g.turns), record.Heuristic, nil)
	}
}

// saysEarly tells which of the wanted kinds are in the first kept bytes of an
// agent's text, of which limit bytes are cleaned at most. Cleaning costs more than
// looking, so the first look bytes are looked at as they stand before: nearly no
// text holds such words at all.
func (g *guarded) saysEarly(text []byte, look, limit, kept int, wanted wording.Set) wording.Set {
	if g.lexicon.Find(text[:min(len(text), look)], wanted) == 0 {
		return 0
	}
	prose := g.cleaner.Clean(text, limit).Text
	return g.lexicon.Find(prose[:min(len(prose), kept)], wanted)
}
