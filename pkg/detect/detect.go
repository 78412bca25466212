package detect

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// Detector is one way of seeing something in a session.
type Detector struct {
	// Name is the `detector` of its signals.
	Name string
	// Doc says in one sentence what it sees.
	Doc string
	// New makes an observer of one session; nil when the options turn the
	// detector off.
	New func(opt *Options, report Report) *Observer
}

// Observer is given a session as it streams. Every field may be nil. What it
// is given is valid during the call only.
type Observer struct {
	Block func(*transcript.Block)
	Turn  func(*transcript.Turn)
	Line  func(*transcript.Line)
	// End is called once behind the last block, with the session as a whole.
	End func(*transcript.Summary)
}

// Hit is what a detector reports. The driver fills in the rest of the signal.
type Hit struct {
	Kind record.Kind
	// Detector is the name to report under when it is not the detector's own.
	Detector   string
	Rule       string // "" for none
	Confidence record.Confidence
	Time       time.Time
	Evidence   record.Evidence
	// Key tells hits of one detector in one session apart: the anchor or the
	// id of the tool call. It makes the signal's id.
	Key string
	// File and Line order the signals of a session.
	File, Line int
}

// Report takes a hit.
type Report func(Hit)

var (
	registryMu sync.Mutex
	registry   []Detector
)

// register adds a detector; each file of a detector calls it once, in init.
func register(d Detector) {
	registryMu.Lock()
	defer registryMu.Unlock()
	registry = append(registry, d)
	slices.SortFunc(registry, func(a, b Detector) int { return cmp.Compare(a.Name, b.Name) })
}

// Detectors lists all detectors by name.
func Detectors() []Detector {
	registryMu.Lock()
	defer registryMu.Unlock()
	return slices.Clone(registry)
}

// Session reads a session and emits its signals and, last, its session record;
// nothing when there is a period and no record of the session is in it.
// The error is that of reading the main transcript; it travels in the record
// too.
func Session(s *transcript.Session, opt *Options, emit func(*record.Signal)) error {
	opt = opt.forSession()
	defer opt.view.close()
	run := &run{opt: opt}
	if opt.rules != nil {
		run.observers = append(run.observers, opt.rules.observer())
	}
	for _, d := range Detectors() {
		if o := d.New(opt, run.reporter(d.Name)); o != nil {
			run.observers = append(run.observers, o)
		}
	}
	counter := newCounter(opt)
	run.observers = append(run.observers, counter.observer())
	handler := run.handler()
	handler.Message = counter.message
	if opt.cuts() {
		s.Date()
	}
	if p := opt.profile(); p.Turns == profile.Messages && !p.Has(profile.GuardDedupe) {
		own := *s
		own.KeepCopies = true
		s = &own
	}
	sum, err := s.ReadWith(&opt.Buffers.reading, handler)
	if err == nil && opt.profile().Turns == profile.Messages && unclaimed(sum) {
		err = transcript.ErrUnclaimed
	}
	for _, o := range run.observers {
		if o.End != nil {
			o.End(sum)
		}
	}
	if opt.cuts() && !counter.found && err == nil {
		return nil
	}
	run.emit(sum, emit)
	counter.e.Files = 1 + len(s.Subagents)
	end := counter.record(sum)
	if err != nil {
		end.Error = reason(err)
	}
	emit(end)
	return err
}

// unclaimed tells whether a file has lines but nothing in it is a transcript's:
// that is no calm session. The original gate took it for one, so the profile
// that counts lines still does.
func unclaimed(sum *transcript.Summary) bool {
	return sum.Tool == record.UnknownTool && sum.Totals.Messages == 0 && sum.Totals.Lines > 0
}

// run is one reading of one session.
type run struct {
	opt       *Options
	observers []*Observer
	hits      hits
}

func (r *run) reporter(detector string) Report {
	return func(h Hit) {
		if h.Detector == "" {
			h.Detector = detector
		}
		r.opt.rules.noteFriction(&h)
		r.hits.add(&h)
	}
}

// handler fans out to the observers; a kind of event that none of them wants
// is left nil, so that the reader need not prepare it.
func (r *run) handler() transcript.Handler {
	h := transcript.Handler{Fault: r.opt.Fault}
	var blocks []func(*transcript.Block)
	var turns []func(*transcript.Turn)
	var lines []func(*transcript.Line)
	for _, o := range r.observers {
		if o.Block != nil {
			blocks = append(blocks, o.Block)
		}
		if o.Turn != nil {
			turns = append(turns, o.Turn)
		}
		if o.Line != nil {
			lines = append(lines, o.Line)
		}
	}
	h.Block, h.Turn, h.Line = fan(blocks), fan(turns), fan(lines)
	return h
}

func fan[T any](to []func(*T)) func(*T) {
	if len(to) == 0 {
		return nil
	}
	return func(v *T) {
		for _, f := range to {
			f(v)
		}
	}
}

// emit sends the hits in the order of their place.
func (r *run) emit(sum *transcript.Summary, emit func(*record.Signal)) {
	session := record.NewSessionID(sum.ID)
	for _, h := range r.hits.sorted() {
		if r.opt.outside(h.time) {
			continue
		}
		l := h.label
		emit(&record.Signal{
			V: record.Version, TS: record.NewTimestamp(h.time), Tool: sum.Tool, SessionID: session, Kind: l.kind,
			Rule: record.NewName(l.rule), Detector: record.NewName(l.detector), Confidence: l.confidence,
			Origin: record.FromTranscript, Evidence: h.evidence,
			ID: record.HashOf(16, session.String(), l.detector, string(l.kind), h.key),
		})
	}
}
