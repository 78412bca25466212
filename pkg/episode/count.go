package episode

import (
	"cmp"
	"slices"
	"strings"

	"retro/pkg/record"
)

// count adds up the hits of one episode and origin, which are in order of time.
func count(hits []*hit) record.EpisodeFacts {
	var f record.EpisodeFacts
	for _, h := range hits {
		f.Signals++
		if f.First.IsZero() {
			f.First = h.ts
		}
		f.Last = h.ts
		switch h.kind {
		case record.Friction:
			countFriction(&f, h)
		case record.Violation:
			countViolation(&f, h)
		case record.Event:
			countEvent(&f, h)
		case record.Decision:
			countDecision(&f, h)
		case record.Outcome:
			countOutcome(&f, h)
		}
	}
	sortFacts(&f)
	return f
}

// find returns the element that is the wanted one, appended when it is not
// there. The lists of one episode are short.
func find[T any](list *[]T, fresh T, same func(*T) bool) *T {
	i := slices.IndexFunc(*list, func(have T) bool { return same(&have) })
	if i < 0 {
		i = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[i]
}

func addCount(list *[]record.Count, name record.Name, n int) {
	c := find(list, record.Count{Name: name}, func(c *record.Count) bool { return c.Name == name })
	c.Count += n
}

func countFriction(f *record.EpisodeFacts, h *hit) {
	name := h.detector
	if e, ok := h.evidence.(*record.FrictionEvidence); ok && !e.Signal.IsZero() {
		name = record.NewName(e.Signal.String())
	}
	addCount(&f.Friction, name, 1)
}

func countViolation(f *record.EpisodeFacts, h *hit) {
	v := find(&f.Violations, record.RuleViolations{Rule: h.rule, Detector: h.detector},
		func(v *record.RuleViolations) bool { return v.Rule == h.rule && v.Detector == h.detector })
	v.Events++
	if h.deterministic {
		v.Deterministic++
	}
	paths, turn := touched(h.evidence)
	if turn > 0 {
		v.Turns = append(v.Turns, turn)
	}
	if !h.id.IsZero() {
		v.IDs = append(v.IDs, h.id)
	}
	inside := make(map[string]int)
	for _, p := range paths {
		if pattern := clusterOf(p); pattern != "" {
			inside[pattern]++
		}
	}
	for pattern, files := range inside {
		path := record.NewPath(pattern)
		cluster := find(&v.Clusters, record.PathsInside{Pattern: path}, func(c *record.PathsInside) bool { return c.Pattern == path })
		cluster.Files += files
		cluster.Violations++
	}
}

// touched tells which files a violation is about, for the detectors whose files
// make clusters, and its turn.
func touched(evidence record.Evidence) (paths []record.Path, turn int) {
	switch e := evidence.(type) {
	case *record.ScopeEvidence:
		return []record.Path{e.Path}, e.Turn
	case *record.OpenSpecGateEvidence:
		return e.Files, e.Turn
	case *record.DefectEvidence:
		return e.Files, e.Turn
	case *record.GraphFirstEvidence:
		return nil, e.Turn
	case *record.GeneratedFileEvidence:
		return nil, e.Turn
	case *record.NewDependencyEvidence:
		return nil, e.Turn
	case *record.UserCorrectionEvidence:
		return nil, e.Turn
	}
	return nil, 0
}

// clusterDepth is how many directories make a cluster (rules specification,
// path clusters): the modules of most trees, not their single folders.
const clusterDepth = 3

// clusterOf is the directory that the path is counted under, with a final
// slash; "" for a file outside the project or in its root.
func clusterOf(p record.Path) string {
	parts := strings.Split(p.String(), "/")
	parts = parts[:len(parts)-1]
	if p == record.External || len(parts) == 0 {
		return ""
	}
	return strings.Join(parts[:min(len(parts), clusterDepth)], "/") + "/"
}

func countEvent(f *record.EpisodeFacts, h *hit) {
	e, ok := h.evidence.(*record.BuildRetryEvidence)
	if !ok {
		return
	}
	r := find(&f.Retries, record.Retry{Hash: e.Hash, Program: e.Program},
		func(r *record.Retry) bool { return r.Hash == e.Hash && r.Program == e.Program })
	r.Runs += e.Runs
	r.Errors += e.Errors
	r.Gotchas = union(r.Gotchas, e.Gotchas)
}

func countDecision(f *record.EpisodeFacts, h *hit) {
	e, ok := h.evidence.(*record.DecisionEvidence)
	if !ok {
		return
	}
	d := find(&f.Decisions, record.RuleDecisions{Rule: h.rule}, func(d *record.RuleDecisions) bool { return d.Rule == h.rule })
	switch e.Action {
	case record.Warned:
		d.Warned++
	case record.Blocked:
		d.Blocked++
	case record.Suppressed:
		d.Suppressed++
	case record.Surfaced:
		d.Surfaced++
		if !e.Gotcha.IsZero() {
			addCount(&f.Gotchas, e.Gotcha, 1)
		}
	}
}

// countOutcome counts what came of a decision. A decision that was held back
// showed the model nothing, and a warning that did not arrive neither: both are
// recorded and judge no rule.
func countOutcome(f *record.EpisodeFacts, h *hit) {
	e, ok := h.evidence.(*record.OutcomeEvidence)
	if !ok {
		return
	}
	o := find(&f.Outcomes, record.RuleOutcomes{Rule: h.rule}, func(o *record.RuleOutcomes) bool { return o.Rule == h.rule })
	o.Recorded++
	switch {
	case e.Action == record.Suppressed, e.Action == record.Surfaced:
		return
	case e.Delivered != nil && !*e.Delivered:
		o.Undelivered++
		return
	}
	reconciled := e.Reconciled != nil && *e.Reconciled
	o.N++
	o.Proceeded += one(e.Proceeded)
	o.Corrected += one(e.Corrected)
	o.Reconcilable += one(e.Reconciled != nil)
	o.Reconciled += one(reconciled)
	o.Ignored += one(e.Repeated > 0 && !reconciled)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// sortFacts puts the lists of an episode into the order of their names.
func sortFacts(f *record.EpisodeFacts) {
	slices.SortFunc(f.Friction, compareCounts)
	slices.SortFunc(f.Gotchas, compareCounts)
	for i := range f.Violations {
		v := &f.Violations[i]
		slices.Sort(v.Turns)
		slices.SortFunc(v.IDs, func(a, b record.Hash) int { return cmp.Compare(a.String(), b.String()) })
		slices.SortFunc(v.Clusters, func(a, b record.PathsInside) int { return cmp.Compare(a.Pattern.String(), b.Pattern.String()) })
	}
	slices.SortFunc(f.Violations, func(a, b record.RuleViolations) int {
		return cmp.Or(cmp.Compare(a.Rule.String(), b.Rule.String()), cmp.Compare(a.Detector.String(), b.Detector.String()))
	})
	slices.SortFunc(f.Retries, func(a, b record.Retry) int {
		return cmp.Or(cmp.Compare(a.Hash.String(), b.Hash.String()), cmp.Compare(a.Program.String(), b.Program.String()))
	})
	slices.SortFunc(f.Decisions, func(a, b record.RuleDecisions) int { return cmp.Compare(a.Rule.String(), b.Rule.String()) })
	slices.SortFunc(f.Outcomes, func(a, b record.RuleOutcomes) int { return cmp.Compare(a.Rule.String(), b.Rule.String()) })
}

// union is the sorted union of two lists of names.
func union(a, b []record.Name) []record.Name {
	list := append(slices.Clone(a), b...)
	slices.SortFunc(list, func(a, b record.Name) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(list)
}
