package report

import (
	"fmt"
	"slices"

	"retro/pkg/record"
)

// entryTokens is the most that an entry may have: 800 bytes. It is shown on
// demand, so it does not count as an instruction.
const entryTokens = 200

// gotchas are the changes of the gotcha files.
func (p *Proposal) gotchas() {
	if p.figures.Layout != nil { // else nobody knows which entries there are
		for _, r := range p.figures.Retries {
			p.addGotcha(r)
		}
	}
	for _, e := range p.figures.Entries {
		p.pruneGotcha(e)
	}
	for _, g := range p.figures.Gotchas {
		p.escalateGotcha(g)
	}
}

// addGotcha proposes an entry for a command that failed over and over in
// several sessions and that no entry is about.
func (p *Proposal) addGotcha(r *record.BuildRetry) {
	program := r.Program.String()
	if r.Sessions < max(1, p.thresholds().DeterministicSessions) || len(r.Gotchas) > 0 || slices.Contains(notPrograms, program) || p.isCovered(r.Program) || p.took[program] {
		return
	}
	first, last := p.window()
	c := &planned{Change: record.Change{
		Type: record.AddGotcha, Target: program, Stub: true,
		Happened: fmt.Sprintf("One command of %s was run %s and failed %s in %s.", span(program), count(r.Runs, "time"), count(r.Errors, "time"), count(r.Sessions, "session")),
		Matters:  "Several sessions paid for the same trap, and none told the next.",
		Changes:  "An entry of `GOTCHAS.md` is shown when the command is about to run.",
		Evidence: record.ChangeEvidence{
			Events: r.Errors, Sessions: r.Sessions, First: first, Last: last, Detector: "build-retry", Confidence: record.Deterministic,
			Source: record.RuleSource{File: "GOTCHAS.md", Anchor: program}, Proposed: "an entry for command " + r.Hash.String(), Hooks: entryTokens,
		},
	}}
	c.patch = fmt.Sprintf("At the end of `GOTCHAS.md`, at most 800 bytes. What the command was and why it fails is in the sessions, not in the records:\n\n```markdown\n"+
		"## %s\n\n- **Symptom:** a command of %s fails and is run again (%d errors in %d runs)\n- **Cause:** %s\n- **Fix / rule:** %s\n- **paths:** %s\n- **commands:** %s\n- **confirmed:** %s\n```\n",
		program, program, r.Errors, r.Runs, stub, stub, stub, stub, stub)
	c.task = fmt.Sprintf("write the entry in `GOTCHAS.md`; `retro-episode layout` refuses it while %s stands there", stub)
	c.undo = fmt.Sprintf("delete the entry %s in `GOTCHAS.md`", span(program))
	c.requirement = fmt.Sprintf("A gotcha SHALL warn of the trap of %s.", span(program))
	c.then = fmt.Sprintf("the command was retried in fewer than %s", count(r.Sessions, "session"))
	p.add(c)
}

// pruneGotcha proposes to delete an entry whose paths are gone, unless it is
// still shown for its commands.
func (p *Proposal) pruneGotcha(e *record.GotchaEntry) {
	if !e.Stale || len(e.Missing) > 0 {
		return
	}
	for _, g := range p.figures.Gotchas {
		if g.Gotcha == record.NewName(e.Gotcha) && g.Surfaced > 0 {
			p.leave("%s %s: its paths are gone, but it was shown %s", record.PruneGotcha, name(e.Gotcha), count(g.Surfaced, "time"))
			return
		}
	}
	first, last := p.window()
	c := &planned{Change: record.Change{
		Type: record.PruneGotcha, Target: e.Gotcha,
		Happened: fmt.Sprintf("The entry %s names %s, and no file of the project matches.", name(e.Gotcha), counted(e.Paths, "path", "paths")),
		Matters:  "An entry about files that are gone is shown to nobody and hides those that count.",
		Changes:  "The entry goes.",
		Evidence: record.ChangeEvidence{
			Events: 1, Sessions: p.figures.Summary.Sessions, First: first, Last: last, Detector: "gotcha paths", Confidence: record.Deterministic,
			Source: record.RuleSource{File: e.File.String(), Anchor: e.Gotcha}, Proposed: "delete the entry", Hooks: -e.Bytes / 4,
		},
	}}
	c.patch = fmt.Sprintf("In %s, delete the entry %s that begins on line %d (%s).\n", span(e.File.String()), span(e.Gotcha), e.Line, counted(e.Bytes, "byte", "bytes"))
	c.task = fmt.Sprintf("delete the entry in %s", span(e.File.String()))
	c.undo = "restore the entry in " + span(e.File.String())
	c.requirement = fmt.Sprintf("The gotchas SHALL NOT hold the entry %s.", name(e.Gotcha))
	c.then = "no entry is stale"
	p.add(c)
}

// escalateGotcha proposes something better than a text for an entry that is
// shown while its command is still retried.
func (p *Proposal) escalateGotcha(g *record.Gotcha) {
	id := g.Gotcha.String()
	if g.RetrySessions < max(1, p.thresholds().DeterministicSessions) || p.figures.Layout != nil && p.figures.entry(id) == nil {
		return
	}
	first, last := p.window()
	file := "GOTCHAS.md"
	if e := p.figures.entry(id); e != nil {
		file = e.File.String()
	}
	p.add(&planned{
		Change: record.Change{
			Type: record.EscalateGotcha, Target: id, Stub: true,
			Happened: fmt.Sprintf("The entry %s was shown %s, and in %s its command was retried all the same.", name(id), count(g.Surfaced, "time"), count(g.RetrySessions, "session")),
			Matters:  "A text that is shown and does not help is read for nothing.",
			Changes:  "A person mends the command itself, or puts a hook before it; the text gets no louder.",
			Evidence: record.ChangeEvidence{
				Events: g.Surfaced, Sessions: g.RetrySessions, First: first, Last: last, Detector: "build-retry", Confidence: record.Deterministic,
				Source: record.RuleSource{File: file, Anchor: id}, Proposed: "a mended command or a hook instead of the text",
			},
		},
		task: stub + ": mend the command, or put a hook before it", undo: "take the mended command or the hook back",
		requirement: fmt.Sprintf("The trap of %s SHALL be closed and not only described.", name(id)),
		then:        fmt.Sprintf("its command was retried in fewer than %s in which it was shown", count(g.RetrySessions, "session")),
	})
}
