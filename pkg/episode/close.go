package episode

import (
	"cmp"
	"slices"
	"time"

	"retro/pkg/record"
)

// draft is an episode that is being made of raw records.
type draft struct {
	*record.Episode
	transcript, hook []*hit
}

// close makes the episodes of a session: one for each day on which it was
// active, a hook spoke or a signal fell.
func (c *Collector) close(s *session) []*record.Episode {
	days := make(map[string]*draft)
	at := func(day record.Day) *draft {
		d := days[day.String()]
		if d == nil {
			d = &draft{Episode: &record.Episode{
				BucketHead: record.NewBucketHead(record.BucketEpisode), SessionID: s.id, Day: day, Zone: record.NewName(c.zone), Tool: record.UnknownTool,
			}}
			days[day.String()] = d
		}
		return d
	}
	last := c.closeRecords(s, at)
	for _, h := range s.all() {
		d := at(c.day(h.ts))
		if d.Tool == record.UnknownTool && h.tool != "" {
			d.Tool = h.tool
		}
		if h.hook {
			d.hook = append(d.hook, h)
		} else {
			d.transcript = append(d.transcript, h)
		}
	}
	if v := s.verdict; v != nil {
		if last == nil {
			last = at(c.day(cmp.Or(v.Ended, v.TS)))
			last.Tool = cmp.Or(v.Tool, record.UnknownTool)
		}
		last.Verdict = shorten(v)
	}
	var out []*record.Episode
	for _, d := range days {
		d.Transcript, d.Hook = count(d.transcript), count(d.hook)
		out = append(out, d.Episode)
	}
	return out
}

// closeRecords gives every active day of the session records its episode, and
// the counters to the last of them. Of several records (the session was
// scanned twice, or in slices of time) the one with more source bytes owns a
// day; counters go with the ownership of the record's last day, so a session
// that grew is counted once and slices of one are both counted.
func (c *Collector) closeRecords(s *session, at func(record.Day) *draft) (last *draft) {
	slices.SortFunc(s.records, func(a, b *ending) int {
		return cmp.Or(cmp.Compare(b.Evidence.SourceBytes, a.Evidence.SourceBytes), cmp.Compare(text(b.EpisodeSession), text(a.EpisodeSession)))
	})
	owned := make(map[string]bool)
	for _, r := range s.records {
		final := c.day(cmp.Or(r.Evidence.Ended, r.ts))
		days := append(slices.Clone(r.Evidence.ActiveDays), final)
		slices.SortFunc(days, func(a, b record.Day) int { return cmp.Compare(a.String(), b.String()) })
		for _, day := range slices.Compact(days) {
			if owned[day.String()] {
				continue
			}
			owned[day.String()] = true
			d := at(day)
			d.SourceBytes, d.ConfigHash, d.Tool = r.Evidence.SourceBytes, r.Evidence.ConfigHash, cmp.Or(r.tool, record.UnknownTool)
			if day != final {
				continue
			}
			d.Session = &r.EpisodeSession
			if last == nil || last.Day.String() < day.String() {
				last = d
			}
		}
	}
	return last
}

// day is the day of a moment; the empty day for none.
func (c *Collector) day(ts record.Timestamp) record.Day {
	switch {
	case ts.IsZero():
		return record.Day{}
	case c.location == time.UTC:
		return ts.Day()
	}
	return record.NewDay(ts.Time(), c.location)
}

// all are the session's hits in an order of their own.
func (s *session) all() []*hit {
	list := slices.Clone(s.nameless)
	for _, h := range s.hits {
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b *hit) int {
		if c := cmp.Or(cmp.Compare(a.ts.String(), b.ts.String()), cmp.Compare(a.id.String(), b.id.String())); c != 0 {
			return c
		}
		return cmp.Compare(a.text(), b.text())
	})
	return list
}

func shorten(v *record.Verdict) *record.EpisodeVerdict {
	out := &record.EpisodeVerdict{Score: v.Score, Passed: v.Passed, Threshold: v.Threshold, Profile: v.Profile, Error: v.Error, Signals: []record.Count{}}
	for _, s := range v.Signals {
		out.Signals = append(out.Signals, record.Count{Name: record.NewName(s.Name.String()), Count: s.Count})
	}
	slices.SortFunc(out.Signals, compareCounts)
	return out
}

func compareCounts(a, b record.Count) int { return cmp.Compare(a.Name.String(), b.Name.String()) }
