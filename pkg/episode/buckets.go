package episode

import (
	"retro/pkg/record"
	"retro/pkg/rules"
)

// Summarize is the summary alone of what [Buckets] gives.
func Summarize(episodes []*record.Episode, p Project) *record.Summary {
	w := newWindow(episodes, p)
	if p.Registry == nil {
		return w.summary(nil)
	}
	return w.summary(w.rules())
}

// Buckets adds the episodes of [Collector.Episodes] up. The records come in the
// order in which a report shows them; same episodes and project, same records.
func Buckets(episodes []*record.Episode, p Project) []any {
	w := newWindow(episodes, p)
	var measured []*record.RuleBucket
	if p.Registry != nil {
		measured = w.rules()
	}
	out := []any{w.summary(measured)}
	for _, r := range measured {
		out = append(out, r)
	}
	if p.Registry != nil {
		out = appendAll(out, w.decisions())
		out = appendAll(out, w.clusters())
	}
	out = appendAll(out, w.retries())
	out = appendAll(out, w.gotchas())
	out = append(out, w.tokens(), w.adherence(), w.friction())
	if p.Archives != nil {
		out = append(out, p.Archives)
	}
	return append(out, w.coverage())
}

func appendAll[T any](out []any, list []T) []any {
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

func (w *window) summary(measured []*record.RuleBucket) *record.Summary {
	s := &record.Summary{
		BucketHead: record.NewBucketHead(record.BucketSummary), Zone: w.zone,
		Registry: record.RegistryAbsent, RegistryFault: w.Fault,
		Episodes: w.episodes, SinceLastRetro: w.episodes, IgnoredSessions: w.ignored,
		OverThreshold: []string{}, SupportingOnly: []string{}, PruneCandidates: []string{}, UnmeasuredRules: []string{},
		UserCorrections: w.corrections(), Call: w.settings().Call,
	}
	for _, v := range w.sessions {
		s.Sessions += one(v.recorded)
		s.RulesOff += one(v.rulesOff)
		if v.started.IsZero() {
			continue
		}
		if s.First.IsZero() || v.started.String() < s.First.String() {
			s.First = v.started
		}
		if v.started.String() > s.Last.String() {
			s.Last = v.started
		}
	}
	if w.Archives != nil {
		s.Archives = w.Archives.ArchivedChanges
	}
	for _, d := range w.decided() {
		s.DecisionsRecorded += d.Warned + d.Blocked + d.Suppressed + d.Surfaced
		s.OutcomesRecorded += d.outcomes.Recorded
	}
	switch {
	case w.Registry != nil:
		w.fillFromRegistry(s, measured)
	case w.Fault != "":
		s.Registry = record.RegistryInvalid
	}
	return s
}

func (w *window) fillFromRegistry(s *record.Summary, measured []*record.RuleBucket) {
	s.Registry = record.RegistryPresent
	s.SinceLastRetro = w.sinceLastRetro()
	if w.Registry.LastRetro != nil {
		s.LastRetro = w.Registry.LastRetro.Date
	}
	t := w.Registry.Thresholds
	s.Thresholds = &record.SummaryThresholds{
		DeterministicEvents: t.DeterministicEvents, DeterministicSessions: t.DeterministicSessions,
		HeuristicEvents: t.HeuristicEvents, HeuristicSessions: t.HeuristicSessions, PruneSessions: t.PruneSessions,
		RetroPromptMinSessions: t.RetroPromptMinSessions, BootstrapMinArchives: t.BootstrapMinArchives,
		InstructionTokenBudget: t.InstructionTokenBudget, EscalateIgnoredRate: t.EscalateIgnoredRate,
	}
	for _, r := range byEvents(measured) {
		if r.Status == string(rules.OverThreshold) {
			s.OverThreshold = append(s.OverThreshold, r.Rule)
			s.TopEvents = max(s.TopEvents, r.Events)
		}
	}
	for _, r := range measured {
		switch rules.Status(r.Status) {
		case rules.SupportingOnly:
			s.SupportingOnly = append(s.SupportingOnly, r.Rule)
		case rules.PruneCandidate:
			s.PruneCandidates = append(s.PruneCandidates, r.Rule)
		case rules.NoDetector:
			s.UnmeasuredRules = append(s.UnmeasuredRules, r.Rule)
		}
	}
}

// corrections counts what the user-correction detector saw, under whatever rule.
func (w *window) corrections() int {
	n := 0
	for _, v := range w.sessions {
		v.each(func(_ *record.Episode, f *record.EpisodeFacts) {
			for _, r := range f.Violations {
				if r.Detector.String() == "user-correction" {
					n += r.Events
				}
			}
		})
	}
	return n
}
