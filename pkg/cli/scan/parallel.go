package scan

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// fault is a damaged place.
type fault struct {
	kind, file string
	line       int
}

// scanned is what came of one session besides its records: what to say on stderr,
// and what the state remembers. It is small whatever the size of the session.
type scanned struct {
	session *transcript.Session
	lines   bytes.Buffer // the records, for the state; empty without one
	faults  []fault
	more    []fault // kinds with more faults than are shown: line is their number
	err     error

	files  []transcript.Identity // nil for a session that is not to be remembered
	live   bool
	asked  []string       // sessions that the ledger was asked for
	looked *detect.Looked // what was looked at of the project; nil without --root
	kept   []byte         // its part of the state when it was answered from there
}

// fault keeps as many faults of a kind as are ever printed and counts the rest.
func (s *scanned) fault(f fault) {
	n := 0
	for _, seen := range s.faults {
		if seen.kind == f.kind {
			n++
		}
	}
	if n < cli.MaxOfKind {
		s.faults = append(s.faults, f)
		return
	}
	for i := range s.more {
		if s.more[i].kind == f.kind {
			s.more[i].line++
			return
		}
	}
	s.more = append(s.more, fault{kind: f.kind, line: 1})
}

// gcPercent trades a tenth of the time for memory: with the default of 100 a
// 500 MB transcript takes 85 MB at its peak, with 50 less than 64.
const gcPercent = 50

// ballastSize is memory that is never touched, and so takes none, but counts when
// the collector asks how much garbage is worth its while. Without it the heap of a
// scan over small sessions is so small that it is looked through every other MB: 120
// times for 300 MB of transcripts, a sixth of the time.
const ballastSize = 8 << 20

// scanAll writes the signals of the sessions in their order and returns those
// that could be read. Workers read aheadSessions ahead at most, so memory
// is bounded; what they find, faults included, is told in the order of the
// sessions, so the output does not depend on their number.
func (c *scanCommand) scanAll(env *cli.Env, sessions []*transcript.Session, opt *detect.Options) (read []*transcript.Session, err error) {
	shared := *opt
	shared.Facts = detect.NewFacts(opt)
	work := &work{opt: &shared, decisions: detect.DecisionsOf(opt.Decisions)}
	memory := c.openState(env, work)
	work.memory = memory
	defer memory.close()
	bar := c.startProgress(env, sessions)
	defer bar.stop()
	jobs := c.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)
	stop := make(chan struct{})
	defer close(stop)
	if len(sessions) < jobs {
		for _, s := range sessions {
			s.Pace.Parsers = jobs
		}
	}
	for promise := range work.ahead(sessions, min(jobs, len(sessions)), stop) {
		for piece := range promise.pieces {
			if err := bar.print(env.Stdout, piece); err != nil {
				return read, cli.Failf("write error on standard output")
			}
		}
		done := promise.done
		for _, f := range done.faults {
			c.say(env, f)
		}
		for _, f := range done.more {
			env.Diagnostics().More(f.kind, f.line)
		}
		memory.remember(done)
		bar.done(done)
		if done.err != nil {
			env.Diagnostics().Fail("unreadable file", done.session.Main.Path, 0, why(done.err))
			continue
		}
		read = append(read, done.session)
	}
	return read, memory.save(env)
}

// work is what the workers of a scan share.
type work struct {
	opt *detect.Options
	// decisions are those that the outcomes of a session depend on.
	decisions func(session string) []record.Signal
	memory    *state
}

// one reads one session, unless the state knows what comes of it, and writes its
// records.
func (w *work) one(s *transcript.Session, buffers *detect.Buffers, out *output) *scanned {
	if done := w.memory.answer(s); done != nil {
		out.send(done.lines.Bytes())
		return done
	}
	done := &scanned{session: s, files: w.memory.identify(s)}
	own := *optionsFor(s, w.opt)
	own.Buffers = buffers
	own.Decisions = w.decisions(s.ID)
	own.Fault = func(kind, file string, line int) { done.fault(fault{kind, file, line}) }
	if w.memory != nil {
		own.Ledger = w.opt.Ledger.Watched(func(id string) {
			if !slices.Contains(done.asked, id) {
				done.asked = append(done.asked, id)
			}
		})
	}
	if w.memory != nil && w.opt.Facts != nil {
		done.looked = new(detect.Looked)
		own.Looked = done.looked
	}
	records := ndjson.NewWriter(out)
	if w.memory != nil {
		records = ndjson.NewWriter(&done.lines)
	}
	done.err = detect.Session(s, &own, func(sig *record.Signal) {
		done.live = done.live || isLive(sig)
		records.Encode(sig)
	})
	if w.memory != nil {
		out.send(done.lines.Bytes())
	}
	return done
}
