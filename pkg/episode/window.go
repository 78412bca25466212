package episode

import (
	"cmp"
	"slices"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// Project is what is known of the project besides its sessions.
type Project struct {
	// Registry is nil when rules are not measured; Fault says why when there is
	// one that cannot be used.
	Registry *rules.Registry
	// Fault is the path of the registry's field at fault, `json` for a file that
	// is no JSON, "" for no fault.
	Fault string
	// Archives are the change proposals that were carried out; nil when nobody
	// looked.
	Archives *record.Archives
}

// settings are the project's, or the defaults.
func (p Project) settings() rules.Settings {
	if p.Registry != nil {
		return p.Registry.Settings
	}
	return rules.Default().Settings
}

// ignores tells whether no figure counts the session. Without a registry the
// probes of the seed's prefix are left out all the same.
func (p Project) ignores(session string) bool {
	if p.Registry != nil {
		return p.Registry.Ignores(session)
	}
	return rules.Default().Ignores(session)
}

// window is the episodes of a run, grouped by session, without the sessions
// that the project ignores.
type window struct {
	Project
	zone     record.Name
	sessions []*visit
	failed   []*visit // of which nothing is known but that they could not be read
	episodes int
	ignored  int // sessions with a record
}

// visit is one session with its episodes in order of days.
type visit struct {
	episodes []*record.Episode
	// recorded tells that there is a session record and that it could be read.
	recorded  bool
	failure   string // why it could not be read
	automated bool
	started   record.Timestamp
	day       string // of the start; "" when it is not known
	ended     record.Day
	usage     record.Usage
	turns     int
	edited    bool
	// rulesOff tells that the session was scanned without a registry; what hooks
	// saw of it is all that is known of its rules.
	rulesOff  bool
	opportune bool // opportunities to break rules were counted
	looked    bool // the scan looked at facts of the project
	skills    []record.Name
	verdict   *record.EpisodeVerdict
}

// newWindow groups episodes, which are in order of session and day.
func newWindow(episodes []*record.Episode, p Project) *window {
	w := &window{Project: p, zone: record.NewName("UTC")}
	for i := 0; i < len(episodes); {
		j := i
		for j < len(episodes) && episodes[j].SessionID == episodes[i].SessionID {
			j++
		}
		w.zone = episodes[i].Zone
		v := newVisit(episodes[i:j])
		switch {
		case p.ignores(episodes[i].SessionID.String()):
			w.ignored += one(v.recorded)
		case v.isBlank():
			w.failed = append(w.failed, v)
		default:
			w.sessions = append(w.sessions, v)
			w.episodes += len(v.episodes)
		}
		i = j
	}
	return w
}

// newVisit reads what the episodes say of the session as a whole. A session has
// more than one record when it was scanned in slices of time; their counters
// are of their own slice and add up.
func newVisit(episodes []*record.Episode) *visit {
	v := &visit{episodes: episodes}
	for _, e := range episodes {
		if e.Verdict != nil {
			v.verdict, v.ended = e.Verdict, e.Day
		}
		s := e.Session
		if s == nil {
			continue
		}
		v.ended = e.Day
		v.automated = v.automated || s.Automated
		if s.Error != "" {
			v.failure = s.Error
			continue
		}
		v.recorded = true
		v.add(s.Evidence)
	}
	if !v.started.IsZero() {
		v.day = firstDay(episodes, v.started)
	}
	return v
}

func (v *visit) add(e *record.SessionEvidence) {
	if e == nil {
		return
	}
	if v.started.IsZero() || !e.Started.IsZero() && e.Started.String() < v.started.String() {
		v.started = e.Started
	}
	v.usage.Add(e.Usage)
	v.turns += e.Turns
	v.rulesOff = e.RulesOff
	v.looked = v.looked || len(e.Facts) > 0
	v.opportune = v.opportune || len(e.Opportunities) > 0
	v.edited = v.edited || e.EditedFiles > 0
	v.skills = append(v.skills, e.Skills...)
}

// firstDay is the day of the session's start in the zone of the episodes. It is
// the earliest active day when the record lists them; else the start's own in
// UTC, which only records of older writers need.
func firstDay(episodes []*record.Episode, started record.Timestamp) string {
	day := started.String()[:len("2006-01-02")]
	for _, e := range episodes {
		if e.Session != nil && e.Session.Evidence != nil {
			for _, active := range e.Session.Evidence.ActiveDays {
				day = min(day, active.String())
			}
		}
	}
	return day
}

// isBlank tells that the session could not be read and nothing else was seen of
// it: no episode of anything.
func (v *visit) isBlank() bool {
	signals := 0
	v.each(func(_ *record.Episode, f *record.EpisodeFacts) { signals += f.Signals })
	return !v.recorded && v.failure != "" && signals == 0
}

// hasUsage tells whether the session's tokens are known.
func (v *visit) hasUsage() bool { return v.recorded && v.usage != (record.Usage{}) }

// moment is the last thing that happened in the episode, as text in order of
// time; its day when nothing of it tells the time.
func moment(e *record.Episode) string {
	last := max(e.Transcript.Last.String(), e.Hook.Last.String())
	if e.Session != nil {
		last = max(last, e.Session.TS.String())
	}
	return cmp.Or(last, e.Day.String())
}

// each calls f for both origins of every episode of the session.
func (v *visit) each(f func(e *record.Episode, facts *record.EpisodeFacts)) {
	for _, e := range v.episodes {
		f(e, &e.Transcript)
		f(e, &e.Hook)
	}
}

// measured are the episodes in which a broken rule would have been seen.
func (w *window) measured() []*record.Episode {
	var all []*record.Episode
	for _, v := range w.sessions {
		if !v.rulesOff {
			all = append(all, v.episodes...)
		}
	}
	return all
}

// newest are the n newest of the episodes.
func newest(all []*record.Episode, n int) []*record.Episode {
	slices.SortFunc(all, func(a, b *record.Episode) int {
		return cmp.Or(cmp.Compare(moment(b), moment(a)), cmp.Compare(a.SessionID.String(), b.SessionID.String()), cmp.Compare(a.Day.String(), b.Day.String()))
	})
	return all[:min(n, len(all))]
}

// sinceLastRetro counts the episodes after the last retrospective. The episode
// in which it was held is not one of them: its own work is no news to it.
func (w *window) sinceLastRetro() int {
	last := w.Registry.LastRetro
	if last == nil {
		return w.episodes
	}
	anchor := last.Date
	if stamp, ok := record.ParseTimestamp(anchor); ok {
		anchor = stamp.String()
	}
	day := anchor[:min(len(anchor), len("2006-01-02"))]
	held := record.NewSessionID(last.SessionID)
	n := 0
	for _, v := range w.sessions {
		for _, e := range v.episodes {
			own := e.SessionID == held && e.Day.String() == day
			n += one(moment(e) > anchor && !own)
		}
	}
	return n
}
