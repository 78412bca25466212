package episode

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"retro/pkg/record"
)

// Metrics adds the episodes of [Collector.Episodes] up to the figures of a
// project over a period. The sessions must have been cut by one period; it is
// theirs.
func Metrics(episodes []*record.Episode) (*record.Metrics, error) {
	t := &tally{names: make(map[string]int), days: make(map[string]bool)}
	t.out.Schema, t.out.Kind = 1, record.KindMetrics
	t.out.Metrics = record.MetricList{}
	t.out.Sources.Malformed, t.projects = []record.Count{}, []record.Count{}
	for _, e := range episodes {
		if err := t.add(e); err != nil {
			return nil, err
		}
	}
	t.close()
	return &t.out, nil
}

// ErrPeriods says that the sessions were cut by different periods.
var ErrPeriods = errors.New("sessions cut by different periods cannot be counted together")

// tally is the sums of one period.
type tally struct {
	out      record.Metrics
	sum      record.SessionEvidence // counters of all sessions
	seen     bool
	sessions int // with a turn or a prompt of the period
	manned   int // those that a person drove
	prompts  int // in those
	typed    int // their turns
	contexts []int64
	graph    int // sessions that used the code graph
	rough    int
	judged   int
	days     map[string]bool
	names    map[string]int // counts by key and name, as `hook_blocks.guard`
	projects []record.Count
}

func (t *tally) add(e *record.Episode) error {
	for _, c := range e.Transcript.Friction {
		t.names["friction."+c.Name.String()] += c.Count
	}
	if e.Verdict != nil && e.Verdict.Error == "" {
		t.judged++
		t.rough += one(e.Verdict.Passed)
	}
	if e.Session == nil {
		return nil
	}
	t.out.Sources.Sessions++
	if e.Session.Error != "" {
		t.out.Sources.Unreadable++
		return nil
	}
	return t.session(e.Session)
}

func (t *tally) session(s *record.EpisodeSession) error {
	e := s.Evidence
	period := record.MetricsPeriod{Since: e.Since, Until: e.Until, Zone: e.Zone}
	if t.seen && t.out.Period != period {
		return ErrPeriods
	}
	t.seen, t.out.Period = true, period
	t.source(s)
	t.counters(e)
	if e.Turns+e.SubagentTurns+e.Prompts > 0 {
		t.sessions++
		t.projects = addName(t.projects, e.Project)
		if !s.Automated {
			t.manned++
			t.prompts += e.Prompts
			t.typed += e.Turns
		}
	}
	if e.StartContext > 0 {
		t.contexts = append(t.contexts, e.StartContext)
	}
	t.graph += one(e.GraphInit+e.GraphExplore > 0)
	if !e.Role.IsZero() {
		t.names["roles."+e.Role.String()]++
	}
	for _, d := range e.ActiveDays {
		t.days[d.String()] = true
	}
	return nil
}

// source notes what the figures are made of.
func (t *tally) source(s *record.EpisodeSession) {
	e, out := s.Evidence, &t.out.Sources
	out.Automated += one(s.Automated)
	out.Files += int64(max(e.Files, 1))
	out.Bytes += e.SourceBytes
	if !e.Started.IsZero() && (out.First.IsZero() || e.Started.String() < out.First.String()) {
		out.First = e.Started
	}
	if e.Ended.String() > out.Last.String() {
		out.Last = e.Ended
	}
	for _, c := range e.Malformed {
		addCount(&out.Malformed, c.Name, c.Count)
	}
	if out.ConfigHash.IsZero() {
		out.ConfigHash = e.ConfigHash
	}
}

// counters adds the counters of a session.
func (t *tally) counters(e *record.SessionEvidence) {
	t.sum.Usage.Add(e.Usage)
	for _, c := range [][2]*int{
		{&t.sum.Turns, &e.Turns}, {&t.sum.SubagentTurns, &e.SubagentTurns}, {&t.sum.ToolCallsTotal, &e.ToolCallsTotal},
		{&t.sum.ToolErrors, &e.ToolErrors}, {&t.sum.EditedFiles, &e.EditedFiles}, {&t.sum.Compactions, &e.Compactions},
		{&t.sum.Interrupts, &e.Interrupts}, {&t.sum.Rejections, &e.Rejections}, {&t.sum.APIErrors, &e.APIErrors},
		{&t.sum.CodeReads, &e.CodeReads}, {&t.sum.GraphInit, &e.GraphInit}, {&t.sum.GraphExplore, &e.GraphExplore}, {&t.sum.Recalls, &e.Recalls},
	} {
		*c[0] += *c[1]
	}
	t.byName("tool_calls", e.ToolsUsed)
	t.byName("hook_blocks", e.HookBlocks)
	t.byName("classifier_denials", e.Denials)
}

func (t *tally) byName(key string, list []record.Count) {
	for _, c := range list {
		t.names[key+"."+c.Name.String()] += c.Count
	}
}

func addName(list []record.Count, name record.Name) []record.Count {
	if !name.IsZero() {
		addCount(&list, name, 1)
	}
	return list
}

// close makes the list of metrics. The keys never change; a figure that is no
// longer counted goes to retired.
func (t *tally) close() {
	sortCounts(t.projects)
	sortCounts(t.out.Sources.Malformed)
	t.out.Sources.Projects = t.projects
	if len(t.projects) > 0 {
		t.out.Project = slices.MaxFunc(t.projects, func(a, b record.Count) int {
			return cmp.Or(a.Count-b.Count, cmp.Compare(b.Name.String(), a.Name.String()))
		}).Name
	}
	s := &t.sum
	t.put("sessions", t.sessions)
	t.put("active_days", len(t.days))
	t.put("prompts", t.prompts)
	t.put("turns", s.Turns)
	t.put("subagent_turns", s.SubagentTurns)
	t.ratio("turns_per_prompt", t.typed, t.prompts)
	t.ratio("prompts_per_session", t.prompts, t.manned)
	t.put64("tokens_input", s.Usage.Input)
	t.put64("tokens_output", s.Usage.Output)
	t.put64("tokens_cache_read", s.Usage.CacheRead)
	t.put64("tokens_cache_creation", s.Usage.CacheCreate)
	t.put64("start_context_median", median(t.contexts))
	t.put("start_context_sessions", len(t.contexts))
	t.put("compactions", s.Compactions)
	t.put("tool_calls", s.ToolCallsTotal)
	t.put("tool_errors", s.ToolErrors)
	t.put("edited_files", s.EditedFiles)
	t.put("hook_blocks", t.total("hook_blocks"))
	t.put("classifier_denials", t.total("classifier_denials"))
	t.put("owner_rejections", s.Rejections)
	t.put("interrupts", s.Interrupts)
	t.put("api_errors", s.APIErrors)
	t.put("code_reads", s.CodeReads)
	t.put("code_graph_sessions", t.graph)
	t.put("code_graph_init", s.GraphInit)
	t.put("code_graph_explore", s.GraphExplore)
	t.put("recalls", s.Recalls)
	t.put("roles", t.total("roles"))
	t.put("friction", t.total("friction"))
	if t.judged > 0 {
		t.put("judged_sessions", t.judged)
		t.put("rough_sessions", t.rough)
	}
	keys := make([]string, 0, len(t.names))
	for key := range t.names {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.put(key, t.names[key])
	}
	for _, r := range retired {
		t.out.Metrics = append(t.out.Metrics, r)
	}
}

// retired are the metrics that were counted once and are not any more, with
// the reason: their keys must not come back with another meaning.
var retired = []record.Metric{}

func (t *tally) put(key string, n int)     { t.put64(key, int64(n)) }
func (t *tally) put64(key string, n int64) { t.value(key, float64(n)) }

// ratio leaves the figure out when there is nothing to divide by.
func (t *tally) ratio(key string, n, by int) {
	if by > 0 {
		t.value(key, float64(n)/float64(by))
	}
}

func (t *tally) value(key string, v float64) {
	t.out.Metrics = append(t.out.Metrics, record.Metric{Key: key, Value: v})
}

// total adds up the counts by name under a key.
func (t *tally) total(key string) (n int) {
	for name, count := range t.names {
		if strings.HasPrefix(name, key+".") {
			n += count
		}
	}
	return n
}

// median of an even number is the lower one of the middle two: a figure that
// occurred.
func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func sortCounts(list []record.Count) {
	slices.SortFunc(list, func(a, b record.Count) int { return cmp.Compare(a.Name.String(), b.Name.String()) })
}

// KeepRetired adds to the figures what an earlier file of the same slice says is
// retired, unless it is counted.
func KeepRetired(m, old *record.Metrics) {
	for _, r := range old.Metrics {
		if _, counted := m.Metrics.Find(r.Key); r.Retired != "" && !counted {
			m.Metrics = append(m.Metrics, r)
		}
	}
}
