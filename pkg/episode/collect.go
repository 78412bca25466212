package episode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Options of a Collector.
type Options struct {
	// Zone is the IANA name of the zone of the days; "" takes the zone that the
	// records name, and UTC when none does.
	Zone string
	// MixedConfig counts records of different configurations together instead
	// of refusing them.
	MixedConfig bool
}

// Collector takes records in any order.
type Collector struct {
	opt      Options
	zone     string
	location *time.Location
	config   record.Hash
	reader   record.Reader
	labels   map[label]*label
	sessions map[string]*session
	aside    map[string]*session // what hooks wrote, until their session comes
	episodes map[key]*record.Episode
	taken    int // episodes that came as records
	promised int // those that the ends of partials tell of
}

// key names an episode.
type key struct{ session, day string }

// session is what the raw records of one session have brought so far.
type session struct {
	id       record.SessionID
	hits     map[string]*hit // by signal id
	nameless []*hit          // signals without an id: each counts
	records  []*ending
	verdict  *record.Verdict
}

// ending is a session record.
type ending struct {
	ts   record.Timestamp
	tool record.Tool
	record.EpisodeSession
}

// hit is a signal without what its id already tells.
type hit struct {
	*label
	id       record.Hash
	ts       record.Timestamp
	evidence record.Evidence
}

// label is what many hits have in common.
type label struct {
	tool          record.Tool
	rule          record.Name
	detector      record.Name
	deterministic bool
	hook          bool
	kind          record.Kind
}

// NewCollector makes an empty Collector. The error is about the zone.
func NewCollector(opt Options) (*Collector, error) {
	c := &Collector{opt: opt, reader: record.Reader{Counting: true}, labels: make(map[label]*label), sessions: make(map[string]*session), aside: make(map[string]*session), episodes: make(map[key]*record.Episode)}
	if opt.Zone != "" {
		return c, c.setZone(opt.Zone)
	}
	return c, nil
}

// Refused is the error for a record that must not be counted together with
// those before it.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// errRecord is the error for a line that is no record of its kind.
var errRecord = errors.New("not a record of its kind")

// Add takes one line of the stream. Kinds that nothing here counts are passed
// over. The error is [*Refused] for a record of another zone or configuration,
// and another one for a line that is no record; the Collector is unchanged
// then.
func (c *Collector) Add(line []byte) error {
	var w ndjson.Walker
	var e record.Envelope
	w.ResetMarked(line)
	if !e.Read(&w) {
		return errRecord
	}
	return c.AddRecord(&e, line)
}

// AddRecord is Add for a line that was walked before.
func (c *Collector) AddRecord(e *record.Envelope, line []byte) error {
	switch e.KindName() {
	case record.Session:
		return c.addSession(e)
	case record.Friction, record.Violation, record.Event, record.Decision, record.Outcome:
		return c.addSignal(e)
	case record.KindVerdict:
		return c.addVerdict(line)
	case record.KindBucket:
		var head record.BucketHead
		if err := ndjson.Unmarshal(line, &head); err != nil {
			return err
		}
		switch head.Bucket {
		case record.BucketEpisode:
			return c.addEpisode(line)
		case record.BucketShare:
			return c.addShare(line)
		}
	}
	return nil
}

func (c *Collector) addSignal(e *record.Envelope) error {
	var s record.Signal
	if err := c.reader.Signal(e, &s); err != nil {
		return err
	}
	c.session(s.SessionID).add(&s, c.label(&s))
	return nil
}

// AddAside takes one record of a signals store: what a hook wrote counts when its
// session has a session record among those of [Collector.Add], and not
// otherwise. The store of a project knows more sessions than a stream is about.
// Everything else in it is passed over.
func (c *Collector) AddAside(e *record.Envelope) error {
	var s record.Signal
	if err := c.reader.Signal(e, &s); err != nil {
		return err
	}
	switch s.Kind {
	case record.Friction, record.Violation, record.Event, record.Decision, record.Outcome:
		if s.Origin == record.FromHook {
			sessionIn(c.aside, s.SessionID).add(&s, c.label(&s))
		}
	}
	return nil
}

// join lets what hooks wrote in beside the sessions that came.
func (c *Collector) join() {
	recorded := make(map[string]bool)
	for id, s := range c.sessions {
		recorded[id] = len(s.records) > 0
	}
	for k, e := range c.episodes {
		recorded[k.session] = recorded[k.session] || e.Session != nil
	}
	for id, s := range c.aside {
		if recorded[id] {
			sessionIn(c.sessions, s.id).merge(s)
		}
	}
}

// merge takes the hits of the other, without those that have no id: nobody can
// tell whether they are in the stream too.
func (s *session) merge(other *session) {
	for id, h := range other.hits {
		s.put(id, h)
	}
}

// label is that of a signal. There are few different ones.
func (c *Collector) label(sig *record.Signal) *label {
	l := label{
		tool: sig.Tool, rule: sig.Rule, detector: sig.Detector, kind: sig.Kind,
		deterministic: sig.Confidence == record.Deterministic, hook: sig.Origin == record.FromHook,
	}
	known := c.labels[l]
	if known == nil {
		known = new(label)
		*known = l
		c.labels[l] = known
	}
	return known
}

// add takes a signal.
func (s *session) add(sig *record.Signal, l *label) {
	h := &hit{label: l, id: sig.ID, ts: sig.TS, evidence: sig.Evidence}
	id := sig.ID.String()
	if d, ok := sig.Evidence.(*record.DecisionEvidence); ok && !d.ToolUseID.IsZero() {
		// Two copies of a hook may be wired, in the project and by the user:
		// one call is one decision.
		id = strings.Join([]string{"decision", d.ToolUseID.String(), sig.Rule.String(), d.Action.String(), d.Gotcha.String()}, "\x00")
	}
	s.put(id, h)
}

// put takes a hit; of two with one id the greater stands.
func (s *session) put(id string, h *hit) {
	switch have := s.hits[id]; {
	case id == "":
		s.nameless = append(s.nameless, h)
	case have == nil || have.compare(h) < 0:
		s.hits[id] = h
	}
}

// compare orders two hits of one id: the later stands, as a command that was
// retried again after the first scan has. What is equal in everything else
// is told apart by its evidence, so that the order of arrival never matters.
func (h *hit) compare(other *hit) int {
	return cmp.Or(
		cmp.Compare(h.ts.String(), other.ts.String()),
		cmp.Compare(h.text(), other.text()),
	)
}

// text is the hit as text, for an order among hits that differ in anything.
func (h *hit) text() string {
	evidence, _ := ndjson.Marshal(h.evidence)
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%t\x00%t\x00%s", h.kind, h.rule, h.detector, h.tool, h.deterministic, h.hook, evidence)
}

func (c *Collector) addSession(e *record.Envelope) error {
	var s record.Signal
	if err := c.reader.Signal(e, &s); err != nil {
		return err
	}
	evidence, ok := s.Evidence.(*record.SessionEvidence)
	if !ok {
		evidence = new(record.SessionEvidence)
	}
	if err := c.accept(evidence.Zone, evidence.ConfigHash); err != nil {
		return err
	}
	into := c.session(s.SessionID)
	into.records = append(into.records, &ending{ts: s.TS, tool: s.Tool, EpisodeSession: record.EpisodeSession{
		TS: s.TS, Error: s.Error, Automated: c.reader.Automated, Evidence: evidence,
	}})
	return nil
}

func (c *Collector) addVerdict(line []byte) error {
	var v record.Verdict
	if err := c.reader.Verdict(line, &v); err != nil {
		return err
	}
	into := c.session(v.SessionID)
	if into.verdict == nil || compareVerdicts(into.verdict, &v) < 0 {
		into.verdict = &v
	}
	return nil
}

// compareVerdicts orders two verdicts of one session: the one that saw more of
// it stands.
func compareVerdicts(a, b *record.Verdict) int {
	return cmp.Or(
		cmp.Compare(a.Ended.String(), b.Ended.String()),
		cmp.Compare(a.Turns, b.Turns),
		cmp.Compare(text(a), text(b)),
	)
}

func (c *Collector) addEpisode(line []byte) error {
	var e record.Episode
	if err := ndjson.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.SessionID.IsZero() || e.Zone.IsZero() {
		return errRecord
	}
	if err := c.accept(e.Zone, e.ConfigHash); err != nil {
		return err
	}
	c.put(&e)
	c.taken++
	return nil
}

func (c *Collector) addShare(line []byte) error {
	var s record.Share
	if err := ndjson.Unmarshal(line, &s); err != nil {
		return err
	}
	c.promised += s.Episodes
	return nil
}

// Missing is how many episodes were lost from the partials that came: below zero
// when ends of partials are.
func (c *Collector) Missing() int { return c.promised - c.taken }

// accept checks that records of the zone and configuration may be counted with
// those before.
func (c *Collector) accept(zone record.Name, config record.Hash) error {
	switch {
	case zone.IsZero() || zone.String() == c.zone:
	case c.zone != "":
		return &Refused{"days of another zone: scan all sessions with one --tz"}
	default:
		if err := c.setZone(zone.String()); err != nil {
			return err
		}
	}
	switch {
	case config.IsZero() || config == c.config || c.opt.MixedConfig:
	case !c.config.IsZero():
		return &Refused{"scanned with another configuration (config_hash): another profile, period, registry or flag; scan again, or count together with --mixed-config"}
	default:
		c.config = config
	}
	return nil
}

func (c *Collector) setZone(name string) error {
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return &Refused{"unknown time zone"}
	}
	c.zone, c.location = name, location
	return nil
}

func (c *Collector) session(id record.SessionID) *session { return sessionIn(c.sessions, id) }

func sessionIn(all map[string]*session, id record.SessionID) *session {
	if id.IsZero() {
		id = record.NewSessionID("")
	}
	s := all[id.String()]
	if s == nil {
		s = &session{id: id, hits: make(map[string]*hit)}
		all[id.String()] = s
	}
	return s
}

// Episodes closes the Collector and returns what it took as episodes, by
// session and day.
func (c *Collector) Episodes() []*record.Episode {
	if c.zone == "" {
		c.zone, c.location = "UTC", time.UTC
	}
	c.join()
	for id, s := range c.sessions {
		for _, e := range c.close(s) {
			c.put(e)
		}
		delete(c.sessions, id) // an episode is smaller than what it is made of
	}
	c.sessions = nil
	list := make([]*record.Episode, 0, len(c.episodes))
	for _, e := range c.episodes {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *record.Episode) int {
		return cmp.Or(cmp.Compare(a.SessionID.String(), b.SessionID.String()), cmp.Compare(a.Day.String(), b.Day.String()))
	})
	return list
}

// put lets the episode in beside or instead of the one of its session and day.
func (c *Collector) put(e *record.Episode) {
	k := key{e.SessionID.String(), e.Day.String()}
	if have := c.episodes[k]; have != nil {
		e = merge(have, e)
	}
	c.episodes[k] = e
}

// text is a record as text, to order records that differ in anything.
func text(v any) string {
	b, _ := ndjson.Marshal(v)
	return string(b)
}
