package store

import (
	"cmp"
	"slices"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Retention says how much the store keeps.
type Retention struct {
	// Sessions is how many captured sessions are kept, the newest by their
	// start; 0 means [DefaultSessions].
	Sessions int
	// IgnorePrefixes are session id prefixes of verification probes. Their
	// sessions take no place of a real one and are dropped by age.
	IgnorePrefixes []string
}

// DefaultSessions is the rules specification's max_sessions.
const DefaultSessions = 500

// maxAge is how long records are kept of a session that never got a session
// record (only hooks saw it), counted back from the newest record of the store.
const maxAge = 30 * 24 * time.Hour

// maxRetired bounds what is remembered of dropped sessions.
const maxRetired = 5000

// tenure is what retention knows of one session.
type tenure struct {
	id       string
	captured bool
	retired  bool
	probe    bool
	started  string // of its session record, else of its first record
	latest   string
	bytes    int64
}

// apply drops the records of the sessions that are over the bound, and
// remembers them with one retired record each.
func (r Retention) apply(entries []entry) ([]entry, error) {
	sessions := r.survey(entries)
	var captured, retired []*tenure
	latest := ""
	for _, s := range sessions {
		latest = max(latest, s.latest)
		switch {
		case s.captured && !s.probe:
			captured = append(captured, s)
		case s.retired && !s.captured:
			retired = append(retired, s)
		}
	}
	dropped, mark := r.overflow(captured)
	for _, s := range sessions {
		if (!s.captured || s.probe) && isAged(s, latest, mark) {
			dropped[s.id] = true
		}
	}
	for _, s := range sessions {
		if s.captured && dropped[s.id] {
			retired = append(retired, s)
		}
	}
	return rebuild(entries, dropped, retired)
}

// overflow ranks the captured sessions and returns those beyond the bound; mark
// is the start of the oldest that stays, "" when none goes.
func (r Retention) overflow(captured []*tenure) (dropped map[string]bool, mark string) {
	dropped = make(map[string]bool)
	keep := r.Sessions
	if keep <= 0 {
		keep = DefaultSessions
	}
	if len(captured) <= keep {
		return dropped, ""
	}
	newestFirst(captured)
	for _, s := range captured[keep:] {
		dropped[s.id] = true
	}
	return dropped, captured[keep-1].started
}

// isAged tells whether a session without a session record is past its time.
func isAged(s *tenure, latest, mark string) bool {
	if s.latest == "" || s.latest < mark {
		return s.latest != "" // what has no date has no age
	}
	newest, _ := record.ParseTimestamp(latest)
	last, _ := record.ParseTimestamp(s.latest)
	return newest.Time().Sub(last.Time()) > maxAge
}

// rebuild writes the retired records anew, newest first and bounded, after the
// entries that stay.
func rebuild(entries []entry, dropped map[string]bool, retired []*tenure) ([]entry, error) {
	kept := entries[:0:0]
	for _, e := range entries {
		if e.Kind != record.KindRetired && !dropped[e.SessionID.String()] {
			kept = append(kept, e)
		}
	}
	newestFirst(retired)
	for _, s := range retired[:min(len(retired), maxRetired)] {
		started, _ := record.ParseTimestamp(s.started)
		line, err := ndjson.Marshal(record.Retired{
			V: record.Version, Kind: record.KindRetired,
			SessionID: record.NewSessionID(s.id), Started: started, SourceBytes: s.bytes,
		})
		if err != nil {
			return nil, err
		}
		kept = append(kept, entry{line: line})
	}
	return kept, nil
}

// survey sums up each session, in the order of first sight.
func (r Retention) survey(entries []entry) []*tenure {
	byID := make(map[string]*tenure)
	var sessions []*tenure
	for i := range entries {
		e := &entries[i]
		s := byID[e.SessionID.String()]
		if s == nil {
			s = &tenure{id: e.SessionID.String(), started: e.Started.String(), probe: r.isProbe(e.SessionID)}
			byID[s.id] = s
			sessions = append(sessions, s)
		}
		switch e.Kind {
		case record.Session:
			s.captured, s.started, s.bytes = true, e.Started.String(), e.Bytes
		case record.KindRetired:
			s.retired, s.bytes = true, e.Bytes
			continue // its time is long past and no record of the session
		}
		s.latest = max(s.latest, e.TS.String())
	}
	return sessions
}

func (r Retention) isProbe(id record.SessionID) bool {
	return slices.ContainsFunc(r.IgnorePrefixes, func(prefix string) bool {
		return len(prefix) > 0 && len(id.String()) >= len(prefix) && id.String()[:len(prefix)] == prefix
	})
}

func newestFirst(sessions []*tenure) {
	slices.SortFunc(sessions, func(a, b *tenure) int {
		return cmp.Or(cmp.Compare(b.started, a.started), cmp.Compare(a.id, b.id))
	})
}
