package episode

import (
	"cmp"
	"math"
	"slices"
	"time"

	"retro/pkg/record"
)

// tokens are the means over the sessions whose usage is known.
func (w *window) tokens() *record.Tokens {
	t := &record.Tokens{BucketHead: record.NewBucketHead(record.BucketTokens), Days: []record.DayTokens{}}
	var known []*visit
	for _, v := range w.sessions {
		if !v.hasUsage() {
			continue
		}
		known = append(known, v)
		d := find(&t.Days, record.DayTokens{Day: v.ended}, func(d *record.DayTokens) bool { return d.Day == v.ended })
		d.Sessions++
		d.Total += v.usage.Total()
	}
	slices.SortFunc(t.Days, func(a, b record.DayTokens) int { return cmp.Compare(a.Day.String(), b.Day.String()) })
	t.SessionsWithUsage = len(known)
	t.MeanPerSession = meanUsage(known)
	t.BeforeAfter = w.tokensBeforeAfter(known)
	return t
}

// meanUsage is the mean per counter, rounded half to even; its total is the sum
// of the rounded means, so that the line adds up.
func meanUsage(list []*visit) record.TokenMeans {
	var sum record.Usage
	for _, v := range list {
		sum.Add(v.usage)
	}
	mean := func(total int64) int64 {
		if len(list) == 0 {
			return 0
		}
		return int64(math.RoundToEven(float64(total) / float64(len(list))))
	}
	m := record.TokenMeans{Usage: record.Usage{Input: mean(sum.Input), Output: mean(sum.Output), CacheRead: mean(sum.CacheRead), CacheCreate: mean(sum.CacheCreate)}}
	m.Total = m.Usage.Total()
	return m
}

// tokensBeforeAfter splits at the latest change of any rule. A session without
// a start falls before.
func (w *window) tokensBeforeAfter(known []*visit) *record.BeforeAfter {
	if w.Registry == nil {
		return nil
	}
	since := ""
	for _, r := range w.Registry.Rules {
		since = max(since, r.LastChanged)
	}
	day, ok := record.ParseDay(since)
	if !ok {
		return nil
	}
	var before, after []*visit
	for _, v := range known {
		if v.day >= since {
			after = append(after, v)
		} else {
			before = append(before, v)
		}
	}
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	return &record.BeforeAfter{
		Since: day, SessionsBefore: len(before), SessionsAfter: len(after),
		RateBefore: float64(meanUsage(before).Total), RateAfter: float64(meanUsage(after).Total),
	}
}

// adherence is the share of sessions with edits in which a review was invoked.
func (w *window) adherence() *record.Adherence {
	a := &record.Adherence{BucketHead: record.NewBucketHead(record.BucketAdherence), UserCorrections: w.corrections()}
	settings, reviewed := w.settings(), 0
	for _, v := range w.sessions {
		if !v.recorded || !v.edited {
			continue
		}
		a.EditingSessions++
		reviewed += one(slices.ContainsFunc(v.skills, func(n record.Name) bool { return settings.IsReview(n.String()) }))
	}
	a.Reviewed = record.NewRate(reviewed, a.EditingSessions)
	return a
}

// friction is the gate over the sessions that people drove: a program neither
// rejects nor loses patience, and its sessions would thin every rate out.
func (w *window) friction() *record.FrictionBucket {
	f := &record.FrictionBucket{
		BucketHead: record.NewBucketHead(record.BucketFriction),
		Thresholds: []record.Score{}, Profiles: []record.Name{}, Signals: []record.SignalCount{}, Days: []record.FrictionDay{},
	}
	days := make(map[record.Day]*record.FrictionDay)
	signals := make(map[record.Name]*record.SignalCount)
	var scores []float64
	passed := 0
	for _, v := range w.sessions {
		if v.automated {
			continue
		}
		v.addHits(days, signals)
		if verdict := v.verdict; verdict != nil && verdict.Error == "" {
			scores = append(scores, float64(verdict.Score))
			passed += one(verdict.Passed)
			addVerdict(f, days[v.ended], verdict)
		}
	}
	f.Passed = record.NewRate(passed, len(scores))
	f.Mean, f.Median, f.Max = statistics(scores)
	slices.Sort(f.Thresholds)
	slices.SortFunc(f.Profiles, func(a, b record.Name) int { return cmp.Compare(a.String(), b.String()) })
	for _, s := range signals {
		f.Signals = append(f.Signals, *s)
	}
	slices.SortFunc(f.Signals, func(a, b record.SignalCount) int { return cmp.Compare(a.Name.String(), b.Name.String()) })
	for _, d := range days {
		f.Days = append(f.Days, *d)
	}
	slices.SortFunc(f.Days, func(a, b record.FrictionDay) int { return cmp.Compare(a.Day.String(), b.Day.String()) })
	return f
}

// addVerdict counts a verdict on the last day of its session.
func addVerdict(f *record.FrictionBucket, d *record.FrictionDay, v *record.EpisodeVerdict) {
	d.Judged++
	d.Passed += one(v.Passed)
	d.Sum += v.Score
	d.Max = max(d.Max, v.Score)
	if !slices.Contains(f.Thresholds, v.Threshold) {
		f.Thresholds = append(f.Thresholds, v.Threshold)
	}
	if !v.Profile.IsZero() && !slices.Contains(f.Profiles, v.Profile) {
		f.Profiles = append(f.Profiles, v.Profile)
	}
}

// addHits counts the session's hits on their days; the verdict's own counts,
// which are after caps, where the stream held no hits.
func (v *visit) addHits(days map[record.Day]*record.FrictionDay, signals map[record.Name]*record.SignalCount) {
	hits := make(map[record.Name]int)
	for _, e := range v.episodes {
		d := days[e.Day]
		if d == nil {
			d = &record.FrictionDay{Day: e.Day}
			days[e.Day] = d
		}
		for _, c := range append(slices.Clone(e.Transcript.Friction), e.Hook.Friction...) {
			d.Hits += c.Count
			hits[c.Name] += c.Count
		}
	}
	if len(hits) == 0 && v.verdict != nil {
		for _, c := range v.verdict.Signals {
			days[v.ended].Hits += c.Count
			hits[c.Name] += c.Count
		}
	}
	for name, n := range hits {
		s := signals[name]
		if s == nil {
			s = &record.SignalCount{Name: name}
			signals[name] = s
		}
		s.Hits += n
		s.Sessions += one(n > 0)
	}
}

// statistics of the scores; null of none.
func statistics(scores []float64) (mean, median, highest *float64) {
	n := len(scores)
	if n == 0 {
		return nil, nil, nil
	}
	slices.Sort(scores)
	sum := 0.0
	for _, s := range scores {
		sum += s
	}
	average := math.Round(1000*sum/float64(n)) / 1000
	middle := (scores[(n-1)/2] + scores[n/2]) / 2
	return &average, &middle, &scores[n-1]
}

// coverage says what the figures stand on.
func (w *window) coverage() *record.Coverage {
	c := &record.Coverage{
		BucketHead: record.NewBucketHead(record.BucketCoverage),
		Skipped:    []record.ReasonCount{}, Malformed: []record.Count{}, Dropped: []record.Count{}, ConfigHash: []record.Hash{},
	}
	days := make(map[string]bool)
	for _, v := range append(slices.Clone(w.failed), w.sessions...) {
		c.Sessions += one(v.recorded)
		c.Unrecorded += one(!v.recorded && v.failure == "")
		if !v.recorded && v.failure != "" {
			find(&c.Skipped, record.ReasonCount{Reason: v.failure}, func(r *record.ReasonCount) bool { return r.Reason == v.failure }).Count++
		}
	}
	for _, v := range w.sessions {
		c.Automated += one(v.automated)
		c.WithoutFacts += one(v.recorded && !v.rulesOff && !v.looked)
		c.Unjudged += one(v.recorded && (v.verdict == nil || v.verdict.Error != ""))
		if !v.started.IsZero() && (c.Oldest.IsZero() || v.started.String() < c.Oldest.String()) {
			c.Oldest = v.started
		}
		for _, e := range v.episodes {
			days[e.Day.String()] = true
			addCoverage(c, e)
		}
	}
	delete(days, "")
	c.DaysCovered, c.Days = len(days), span(days)
	slices.SortFunc(c.Skipped, func(a, b record.ReasonCount) int { return cmp.Compare(a.Reason, b.Reason) })
	slices.SortFunc(c.Malformed, compareCounts)
	slices.SortFunc(c.Dropped, compareCounts)
	slices.SortFunc(c.ConfigHash, func(a, b record.Hash) int { return cmp.Compare(a.String(), b.String()) })
	return c
}

func addCoverage(c *record.Coverage, e *record.Episode) {
	if !e.ConfigHash.IsZero() && !slices.Contains(c.ConfigHash, e.ConfigHash) {
		c.ConfigHash = append(c.ConfigHash, e.ConfigHash)
	}
	if e.Session == nil || e.Session.Evidence == nil {
		return
	}
	s := e.Session.Evidence
	c.Files += s.Files
	c.Live += one(s.Live)
	for _, m := range s.Malformed {
		addCount(&c.Malformed, m.Name, m.Count)
	}
	for _, d := range s.Dropped {
		addCount(&c.Dropped, d.Name, d.Count)
	}
}

// span is the number of calendar days from the first to the last of them.
func span(days map[string]bool) int {
	first, last := "", ""
	for day := range days {
		if first == "" || day < first {
			first = day
		}
		last = max(last, day)
	}
	from, err1 := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	if err1 != nil || err2 != nil {
		return 0
	}
	return int(to.Sub(from).Hours()/24) + 1
}
