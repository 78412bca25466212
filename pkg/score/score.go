package score

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"retro/pkg/profile"
	"retro/pkg/record"
)

// Options are what a caller may set against the stream.
type Options struct {
	// Threshold replaces the profile's; nil leaves it.
	Threshold *float64
	// Weights replaces weights, caps and threshold of the profile under which
	// the stream was scanned; nil leaves them.
	Weights *profile.Profile
	// Warning goes into every verdict.
	Warning string
}

// Scorer turns a stream of signals into verdicts. The zero Scorer is not
// usable; see New.
type Scorer struct {
	opt     Options
	stream  *profile.Profile // under which the stream was scanned; nil until a session record says so
	name    string           // of the stream's profile
	hash    string           // its configuration
	warning string           // about it

	line   line // the one at hand
	last   *session
	lastID string // of last, as it stood in its line

	open   map[string]*session
	closed map[string]int64 // source bytes of the sessions that have a verdict
	seen   int              // sessions opened so far
}

// session is what has come of a session before its record.
type session struct {
	number int // in order of first sight
	id     record.SessionID
	tool   record.Tool
	ids    idSet // of the signals counted
	hits   []hits
}

// hits are the hits of one signal of a session.
type hits struct {
	signal  string
	count   int
	anchors []record.Anchor // of the first ones, profile.MaxShown at most
}

// New returns a Scorer of an empty stream.
func New(opt Options) *Scorer {
	return &Scorer{opt: opt, open: make(map[string]*session), closed: make(map[string]int64)}
}

// ErrMixed is the answer to a stream in which two sessions were scanned under
// different configurations.
var ErrMixed = errors.New("session scanned under another configuration than those before it; score the two apart")

// Add takes the next signal of the stream. A session record gives the verdict
// of its session; everything else, and a session record that says nothing new,
// gives nil. An error means that no verdict can be relied on.
func (s *Scorer) Add(sig *record.Signal) (*record.Verdict, error) {
	switch evidence := sig.Evidence.(type) {
	case *record.FrictionEvidence:
		if sig.Kind == record.Friction {
			if h := s.session(sig.SessionID, sig.Tool).add(evidence.Signal.String(), []byte(sig.ID.String())); h.shows() {
				h.anchors = append(h.anchors, evidence.Anchor)
			}
		}
	case *record.SessionEvidence:
		if err := s.configure(evidence); err != nil {
			return nil, err
		}
		return s.close(sig, evidence), nil
	}
	return nil, nil
}

// session finds the open session of the id.
func (s *Scorer) session(id record.SessionID, tool record.Tool) *session {
	key := id.String()
	found := s.open[key]
	if found == nil {
		s.seen++
		found = &session{number: s.seen, id: id, tool: tool}
		s.open[key] = found
	}
	return found
}

// add counts a hit under its id that was not counted yet, and returns the hits of
// its signal; nil for one that was.
func (s *session) add(signal string, id []byte) *hits {
	if len(id) > 0 && s.ids.add(id) {
		return nil
	}
	h := s.signal(signal)
	h.count++
	return h
}

// shows tells whether the anchor of the hit just counted is one of the first.
func (h *hits) shows() bool { return h != nil && len(h.anchors) < profile.MaxShown }

// signal finds the hits of the signal.
func (s *session) signal(name string) *hits {
	for i := range s.hits {
		if s.hits[i].signal == name {
			return &s.hits[i]
		}
	}
	s.hits = append(s.hits, hits{signal: name})
	return &s.hits[len(s.hits)-1]
}

// configure holds the configuration of a session against that of the stream.
func (s *Scorer) configure(evidence *record.SessionEvidence) error {
	name, hash := evidence.Profile.String(), evidence.ConfigHash.String()
	if name == "" {
		return nil
	}
	if s.name != "" {
		if s.hash != hash || s.name != name {
			return ErrMixed
		}
		return nil
	}
	s.name, s.hash = name, hash
	p, ok := profile.Named(name)
	switch {
	case ok && hash != "" && !strings.HasPrefix(hash, p.ConfigHash()): // the rest is of other settings
		s.warning = "scanned under another version of the profile"
	case !ok && s.opt.Weights == nil:
		return fmt.Errorf("profile %s is not built in; name its document with --profile", name)
	}
	s.stream = p
	return nil
}

// weights is the profile that scores.
func (s *Scorer) weights() *profile.Profile {
	if s.opt.Weights != nil {
		return s.opt.Weights
	}
	if s.stream == nil {
		p, _ := profile.Named(profile.Default)
		return p
	}
	return s.stream
}

// close makes the verdict of the session that the record is the trailer of.
func (s *Scorer) close(sig *record.Signal, evidence *record.SessionEvidence) *record.Verdict {
	key := sig.SessionID.String()
	session := s.session(sig.SessionID, sig.Tool)
	delete(s.open, key)
	s.last = nil
	if bytes, again := s.closed[key]; again && evidence.SourceBytes <= bytes {
		return nil
	}
	s.closed[key] = evidence.SourceBytes
	v := s.verdict(session, evidence.Turns)
	v.TS, v.Tool, v.Error = sig.TS, sig.Tool, sig.Error
	v.Prompts, v.Started, v.Ended = evidence.Prompts, evidence.Started, evidence.Ended
	return v
}

// errNoTrailer is the error in the verdict of a session whose record never
// came.
const errNoTrailer = "no session record"

// Finish ends the stream and gives the verdicts of the sessions that have no
// session record, in order of first sight, each with an error in it: more may
// have happened in them.
func (s *Scorer) Finish() []*record.Verdict {
	var rest []*session
	for key, session := range s.open {
		if _, scored := s.closed[key]; !scored {
			rest = append(rest, session)
		}
	}
	slices.SortFunc(rest, func(a, b *session) int { return a.number - b.number })
	var out []*record.Verdict
	for _, session := range rest {
		v := s.verdict(session, 0)
		v.Tool, v.Error = session.tool, errNoTrailer
		out = append(out, v)
	}
	return out
}

// verdict adds up what the hits of a session are worth.
func (s *Scorer) verdict(session *session, turns int) *record.Verdict {
	weights := s.weights()
	v := &record.Verdict{
		V: record.Version, Kind: record.KindVerdict, SessionID: session.id,
		Threshold: record.Score(weights.Threshold), Signals: []record.VerdictSignal{},
		Profile: record.NewName(weights.Name), Turns: turns, Warning: join(s.opt.Warning, s.warning),
	}
	if s.opt.Threshold != nil {
		v.Threshold = record.Score(*s.opt.Threshold)
	}
	if s.name != "" && s.name != weights.Name {
		v.Profile, v.Weights = record.NewName(s.name), record.NewName(weights.Name)
	}
	for i := range weights.Signals {
		signal := &weights.Signals[i]
		h := session.signal(signal.Name)
		if h.count == 0 {
			continue
		}
		counted := signal.Counted(h.count)
		v.Score += record.Score(signal.Worth(counted, turns))
		v.Signals = append(v.Signals, record.VerdictSignal{
			Name:  record.MustIdentifier(signal.Name),
			Count: counted,
			IDs:   h.anchors[:min(len(h.anchors), signal.Shown)],
		})
	}
	v.Score = record.Score(math.Round(float64(v.Score)*100) / 100)
	v.Passed = v.Score >= v.Threshold
	return v
}

// join puts two remarks into one; either may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
