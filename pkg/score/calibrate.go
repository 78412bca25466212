package score

import (
	"cmp"
	"slices"

	"retro/pkg/profile"
	"retro/pkg/record"
)

// Calibration holds a stream of signals, scanned with all candidates, against
// labels.
type Calibration struct {
	labels  Labels
	profile *profile.Profile // whose weights are judged
	named   bool             // the caller named it
	hash    record.Hash
	samples map[string]*sample
	// Unlabelled counts sessions that no label speaks of.
	Unlabelled int

	done []*sample // the labelled sessions with a session record, by id
}

// sample is one session of the stream.
type sample struct {
	id      string
	label   *Label
	fold    string
	turns   int
	seen    map[string]bool
	counts  map[string]int
	told    []told
	prompts []prompt
}

// told is a prompt that the stream tells of, in its order.
type told struct {
	anchor   string
	pushback bool
	held     bool // a guard that is no weight held it back
	features []string
}

// prompt is a judged prompt with what the stream tells of it: by its own id,
// and with the prompts nobody judged since the judged one before it, which are
// refusals and what was typed while the agent worked.
type prompt struct {
	truth  Truth
	own    []*told
	window []*told
}

// NewCalibration starts with an empty stream. weights replace those of the
// profile under which the stream was scanned; nil leaves them.
func NewCalibration(labels Labels, weights *profile.Profile) *Calibration {
	return &Calibration{labels: labels, profile: weights, named: weights != nil, samples: map[string]*sample{}}
}

// Add takes the next signal of the stream. The error tells a stream that
// cannot be judged.
func (c *Calibration) Add(sig *record.Signal) error {
	id := sig.SessionID.String()
	s := c.samples[id]
	if s == nil {
		s = &sample{id: id, label: c.labels[id], seen: map[string]bool{}, counts: map[string]int{}}
		c.samples[id] = s
	}
	if e, ok := sig.Evidence.(*record.SessionEvidence); ok && !c.hash.IsZero() && c.hash != e.ConfigHash {
		return ErrMixed
	}
	if key := sig.ID.String(); s.seen[key] {
		return nil
	} else if key != "" {
		s.seen[key] = true
	}
	switch e := sig.Evidence.(type) {
	case *record.FrictionEvidence:
		s.friction(sig, e)
	case *record.SessionEvidence:
		c.session(s, e)
	}
	return nil
}

func (s *sample) friction(sig *record.Signal, e *record.FrictionEvidence) {
	signal := e.Signal.String()
	if sig.Kind == record.Friction {
		s.counts[signal]++
	}
	if signal != pushbackSignal {
		return
	}
	t := told{anchor: anchorText(e.Anchor), pushback: sig.Kind == record.Friction}
	for _, f := range e.Features {
		t.features = append(t.features, f.String())
	}
	for _, g := range e.SuppressedBy {
		t.held = t.held || !slices.Contains(t.features, g.String()) && g.String() != "score"
	}
	s.told = append(s.told, t)
}

// pushbackSignal is the signal whose hits are prompts.
const pushbackSignal = "S1"

// anchorText is an anchor as labels write it.
func anchorText(a record.Anchor) string {
	key := a.Key()
	if len(key) > 1 && key[0] == '"' {
		return key[1 : len(key)-1]
	}
	return key
}

// session closes a session.
func (c *Calibration) session(s *sample, e *record.SessionEvidence) {
	if c.hash.IsZero() {
		c.hash = e.ConfigHash
		if p, ok := profile.Named(e.Profile.String()); ok && !c.named {
			c.profile = p
		}
	}
	if s.label == nil {
		c.Unlabelled++
		return
	}
	s.turns = e.Turns
	s.fold = cmp.Or(s.label.Fold, e.Project.String(), s.id)
	s.match()
	c.done = append(c.done, s)
}

// match gives each judged prompt what the stream tells. Labels list the judged
// prompts in their order, so what lies between two of them goes to the second.
func (s *sample) match() {
	s.prompts = make([]prompt, len(s.label.Prompts))
	at := make(map[string]int, len(s.prompts))
	for i, truth := range s.label.truths() {
		s.prompts[i].truth = truth
		at[s.label.Prompts[i]] = i
	}
	next := 0
	for i := range s.told {
		t := &s.told[i]
		n, judged := at[t.anchor]
		if judged {
			s.prompts[n].own = append(s.prompts[n].own, t)
			s.prompts[n].window = append(s.prompts[n].window, t)
			next = n + 1
		} else if next < len(s.prompts) {
			s.prompts[next].window = append(s.prompts[next].window, t)
		}
	}
}

// finish puts the sessions into an order that the stream's does not change.
func (c *Calibration) finish() {
	slices.SortFunc(c.done, func(a, b *sample) int { return cmp.Compare(a.id, b.id) })
	if c.profile == nil {
		c.profile, _ = profile.Named(profile.Default)
	}
}

// Missing counts labelled sessions that the stream has no session record of.
func (c *Calibration) Missing() int { return len(c.labels) - len(c.done) }

// folds lists the folds by name.
func (c *Calibration) folds() (names []string) {
	for _, s := range c.done {
		names = append(names, s.fold)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
