package episode

import (
	"cmp"
	"slices"

	"retro/pkg/record"
)

// decided is what a rule's hook did with what came of it.
type decided struct {
	record.RuleDecisions
	outcomes record.RuleOutcomes
}

// decided adds decisions and outcomes up by rule: outcomes all of them, since
// the registry's outcomes_since is no business of what was recorded.
func (w *window) decided() map[string]*decided {
	return w.decidedSince(func(string) string { return "" })
}

// outcomes are the outcomes that count, by rule.
func (w *window) outcomes() map[string]record.RuleOutcomes {
	out := make(map[string]record.RuleOutcomes)
	for rule, d := range w.decidedSince(w.outcomesSince) {
		out[rule] = d.outcomes
	}
	return out
}

// outcomesSince is the first day whose outcomes count for the rule.
func (w *window) outcomesSince(rule string) string {
	r, _ := w.Registry.Rule(rule)
	return r.OutcomesSince
}

func (w *window) decidedSince(since func(rule string) string) map[string]*decided {
	out := make(map[string]*decided)
	of := func(rule record.Name) *decided {
		d := out[rule.String()]
		if d == nil {
			d = &decided{RuleDecisions: record.RuleDecisions{Rule: rule}}
			out[rule.String()] = d
		}
		return d
	}
	for _, v := range w.sessions {
		v.each(func(e *record.Episode, f *record.EpisodeFacts) {
			for _, d := range f.Decisions {
				of(d.Rule).Add(d)
			}
			for _, o := range f.Outcomes {
				if e.Day.String() >= since(o.Rule.String()) {
					of(o.Rule).outcomes.Add(o)
				}
			}
		})
	}
	return out
}

// decisions are the figures of the rules of the registry that have any.
func (w *window) decisions() []*record.DecisionsBucket {
	var out []*record.DecisionsBucket
	all := w.decidedSince(w.outcomesSince)
	for _, rule := range w.Registry.Rules {
		d := all[rule.ID]
		if d == nil {
			continue
		}
		o := d.outcomes
		out = append(out, &record.DecisionsBucket{
			BucketHead: record.NewBucketHead(record.BucketDecisions), RuleDecisions: d.RuleDecisions,
			Recorded: o.Recorded, Undelivered: o.Undelivered, N: o.N,
			Proceeded: record.NewRate(o.Proceeded, o.N), Corrected: record.NewRate(o.Corrected, o.N),
			Reconciled: record.NewRate(o.Reconciled, o.Reconcilable), Ignored: record.NewRate(o.Ignored, o.N),
		})
	}
	return out
}

// most is how many rows a list of the report has.
const most = 10

// clusters are the directories in which rules are broken most.
func (w *window) clusters() []*record.PathCluster {
	type key struct {
		pattern record.Path
		rule    record.Name
	}
	all := make(map[key]*record.PathCluster)
	for _, v := range w.sessions {
		here := make(map[key]bool)
		v.each(func(_ *record.Episode, f *record.EpisodeFacts) {
			for _, r := range f.Violations {
				for _, in := range r.Clusters {
					k := key{in.Pattern, r.Rule}
					c := all[k]
					if c == nil {
						c = &record.PathCluster{BucketHead: record.NewBucketHead(record.BucketPathCluster), Pattern: in.Pattern, Rule: r.Rule}
						all[k] = c
					}
					c.Events += in.Files
					c.Violations += in.Violations
					c.Sessions += one(!here[k])
					here[k] = true
				}
			}
		})
	}
	return top(all, func(a, b *record.PathCluster) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Pattern.String(), b.Pattern.String()), cmp.Compare(a.Rule.String(), b.Rule.String()))
	})
}

// top are the first rows of a table in the order.
func top[K comparable, T any](all map[K]T, order func(a, b T) int) []T {
	list := make([]T, 0, len(all))
	for _, v := range all {
		list = append(list, v)
	}
	slices.SortFunc(list, order)
	return list[:min(len(list), most)]
}

// retries are the commands that were run over and over.
func (w *window) retries() []*record.BuildRetry {
	all := make(map[record.Hash]*record.BuildRetry)
	for _, v := range w.sessions {
		here := make(map[record.Hash]bool)
		v.each(func(_ *record.Episode, f *record.EpisodeFacts) {
			for _, r := range f.Retries {
				b := all[r.Hash]
				if b == nil {
					b = &record.BuildRetry{BucketHead: record.NewBucketHead(record.BucketBuildRetry), Program: r.Program, Hash: r.Hash, Gotchas: []record.Name{}}
					all[r.Hash] = b
				}
				b.Runs += r.Runs
				b.Errors += r.Errors
				b.Gotchas = union(b.Gotchas, r.Gotchas)
				b.Sessions += one(!here[r.Hash])
				here[r.Hash] = true
			}
		})
	}
	return top(all, func(a, b *record.BuildRetry) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Hash.String(), b.Hash.String()))
	})
}

// gotchas are how often each gotcha entry was shown, most first. All of them:
// the report asks for each whether it helps.
func (w *window) gotchas() []*record.Gotcha {
	all := make(map[record.Name]*record.Gotcha)
	for _, v := range w.sessions {
		shown := make(map[record.Name]bool)
		for _, e := range v.episodes {
			w.addGotchas(e, all, shown)
		}
		var retried []record.Name
		v.each(func(_ *record.Episode, f *record.EpisodeFacts) {
			for _, r := range f.Retries {
				retried = union(retried, r.Gotchas)
			}
		})
		for _, name := range retried {
			if shown[name] {
				all[name].RetrySessions++
			}
		}
	}
	list := make([]*record.Gotcha, 0, len(all))
	for _, g := range all {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *record.Gotcha) int {
		return cmp.Or(cmp.Compare(b.Surfaced, a.Surfaced), cmp.Compare(a.Gotcha.String(), b.Gotcha.String()))
	})
	return list
}

func (w *window) addGotchas(e *record.Episode, all map[record.Name]*record.Gotcha, shown map[record.Name]bool) {
	for _, c := range e.Hook.Gotchas {
		g := all[c.Name]
		if g == nil {
			g = &record.Gotcha{BucketHead: record.NewBucketHead(record.BucketGotcha), Gotcha: c.Name}
			all[c.Name] = g
		}
		g.Surfaced += c.Count
		g.Episodes++
		g.Sessions += one(!shown[c.Name])
		shown[c.Name] = true
	}
}
