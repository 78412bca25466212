package episode

import (
	"cmp"
	"math"
	"slices"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// breach is what the window shows of one rule being broken.
type breach struct {
	rules.Counts
	sessions      int
	late, placed  int // violations in the second half of their session, of those whose place is known
	days          []record.DayCount
	perSession    map[*visit]int
	opportunities int
	opportune     int // sessions with an opportunity and no violation
}

// breaches are what the window shows of every rule that occurs in it.
func (w *window) breaches() map[string]*breach {
	out := make(map[string]*breach)
	of := func(rule record.Name) *breach {
		b := out[rule.String()]
		if b == nil {
			b = &breach{perSession: make(map[*visit]int)}
			out[rule.String()] = b
		}
		return b
	}
	for _, v := range w.sessions {
		for _, e := range v.episodes {
			for rule, r := range broken(e, v.turns) {
				of(rule).addEpisode(v, e.Day, r)
			}
		}
		w.addOpportunities(v, of)
	}
	for _, e := range newest(w.measured(), w.Registry.Thresholds.PruneSessions) {
		for rule, r := range broken(e, 0) {
			of(rule).Newest += r.events
		}
	}
	return out
}

// brokenIn counts the violations of one rule in one episode.
type brokenIn struct{ events, deterministic, late, placed int }

// broken are the rules that were broken in the episode; turns is the length of
// the session, 0 when it is not known.
func broken(e *record.Episode, turns int) map[record.Name]brokenIn {
	var out map[record.Name]brokenIn
	for _, f := range []*record.EpisodeFacts{&e.Transcript, &e.Hook} {
		for _, r := range f.Violations {
			if out == nil {
				out = make(map[record.Name]brokenIn)
			}
			in := out[r.Rule]
			in.events += r.Events
			in.deterministic += r.Deterministic
			for _, turn := range r.Turns {
				if turns > 1 && turn <= turns {
					in.placed++
					in.late += one(2*turn > turns)
				}
			}
			out[r.Rule] = in
		}
	}
	return out
}

func (b *breach) addEpisode(v *visit, day record.Day, in brokenIn) {
	b.Events += in.events
	b.Deterministic += in.deterministic
	b.Episodes++
	b.DeterministicEpisodes += one(in.deterministic > 0)
	b.late += in.late
	b.placed += in.placed
	if b.perSession[v] == 0 {
		b.sessions++
	}
	b.perSession[v] += in.events
	d := find(&b.days, record.DayCount{Day: day}, func(d *record.DayCount) bool { return d.Day == day })
	d.Events += in.events
	d.Sessions++
}

// addOpportunities counts the calls at which each rule could have been broken.
func (w *window) addOpportunities(v *visit, of func(record.Name) *breach) {
	seen := make(map[string]bool)
	for _, e := range v.episodes {
		if e.Session == nil || e.Session.Evidence == nil {
			continue
		}
		for _, c := range e.Session.Evidence.Opportunities {
			b := of(c.Name)
			b.opportunities += c.Count
			if c.Count > 0 && b.perSession[v] == 0 && !seen[c.Name.String()] {
				seen[c.Name.String()] = true
				b.opportune++
			}
		}
	}
}

// countsOpportunities tells whether the scan counted opportunities. It does for
// all rules or for none, so one count of any rule makes the missing ones zero.
func (w *window) countsOpportunities() bool {
	return slices.ContainsFunc(w.sessions, func(v *visit) bool { return v.opportune })
}

// rules are the figures of every rule of the registry, in its order.
func (w *window) rules() []*record.RuleBucket {
	seen, outcomes := w.breaches(), w.outcomes()
	out := make([]*record.RuleBucket, 0, len(w.Registry.Rules))
	for _, rule := range w.Registry.Rules {
		b := seen[rule.ID]
		if b == nil {
			b = new(breach)
		}
		out = append(out, w.rule(rule, b, outcomes[rule.ID]))
	}
	return out
}

func (w *window) rule(rule rules.Rule, b *breach, o record.RuleOutcomes) *record.RuleBucket {
	t := w.Registry.Thresholds
	b.AllEpisodes = len(w.measured())
	status := t.Status(rule, b.Counts)
	r := &record.RuleBucket{
		BucketHead: record.NewBucketHead(record.BucketRule),
		Rule:       rule.ID, Title: rule.Title, Source: record.RuleSource(rule.Source),
		Enforcement: string(rule.Enforcement), Hard: rule.Hard, Detector: optional(rule.Detector),
		Events: b.Events, Deterministic: b.Deterministic, Episodes: b.Episodes, Sessions: b.sessions, Newest: b.Newest,
		Confidence: record.Deterministic, Status: string(status),
		Broken: w.brokenRate(b), Late: record.NewRate(b.late, b.placed),
		BeforeAfter: w.beforeAfter(rule.LastChanged, b), Days: slices.Clone(b.days),
	}
	if b.Events > 0 && b.Deterministic == 0 {
		r.Confidence = record.Heuristic
	}
	if rule.Detector != "" && w.countsOpportunities() {
		r.Opportunities = &b.opportunities
	}
	if status == rules.OverThreshold {
		to, hold := t.Climb(rule, rules.Outcomes{N: o.N, Ignored: o.Ignored, Undelivered: o.Undelivered})
		r.EscalateTo, r.HoldReason = optional(string(to)), optional(string(hold))
	}
	slices.SortFunc(r.Days, func(a, b record.DayCount) int { return cmp.Compare(a.Day.String(), b.Day.String()) })
	if len(r.Days) > 0 {
		r.First, r.Last = r.Days[0].Day, r.Days[len(r.Days)-1].Day
	} else {
		r.Days = []record.DayCount{}
	}
	return r
}

// brokenRate is the share of sessions in which the rule was broken, of those in
// which it could have been; of all sessions where no record tells that.
func (w *window) brokenRate(b *breach) record.Rate {
	n := b.sessions + b.opportune
	if !w.countsOpportunities() {
		for _, v := range w.sessions {
			n += one(v.recorded && !v.rulesOff && b.perSession[v] == 0)
		}
	}
	return record.NewRate(b.sessions, n)
}

// beforeAfter compares the sessions before the day with those since it; nil
// unless there are both.
func (w *window) beforeAfter(since string, b *breach) *record.BeforeAfter {
	day, ok := record.ParseDay(since)
	if !ok {
		return nil
	}
	var events, sessions [2]int
	for _, v := range w.sessions {
		if v.recorded && !v.rulesOff {
			side := one(v.day >= since)
			sessions[side]++
			events[side] += b.perSession[v]
		}
	}
	if sessions[0] == 0 || sessions[1] == 0 {
		return nil
	}
	return &record.BeforeAfter{
		Since: day, SessionsBefore: sessions[0], SessionsAfter: sessions[1],
		RateBefore: thousandths(events[0], sessions[0]), RateAfter: thousandths(events[1], sessions[1]),
	}
}

func thousandths(count, n int) float64 { return math.Round(1000*float64(count)/float64(n)) / 1000 }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// byEvents is the rules with the most events first, then by id.
func byEvents(list []*record.RuleBucket) []*record.RuleBucket {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *record.RuleBucket) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Rule, b.Rule))
	})
	return list
}
