package detect

import (
	"cmp"
	"path"
	"slices"
	"time"

	"retro/pkg/record"
	"retro/pkg/transcript"
)

// counter counts what one session holds: the body of its session record. Each
// figure is computed here and nowhere else.
type counter struct {
	opt      *Options
	e        record.SessionEvidence
	first    time.Time
	last     time.Time
	days     map[int64]struct{} // days since 1970 in the zone
	tools    map[string]int
	edited   map[string]struct{}
	skills   map[string]struct{}
	lastSeen time.Time
}

func newCounter(opt *Options) *counter {
	return &counter{opt: opt, days: map[int64]struct{}{}, tools: map[string]int{}, edited: map[string]struct{}{}, skills: map[string]struct{}{}}
}

func (c *counter) observer() *Observer {
	return &Observer{Block: c.block, Turn: c.turn}
}

// moment registers the time of a record and tells whether it is in the period.
func (c *counter) moment(t time.Time) bool {
	if t.IsZero() {
		return true
	}
	if t.After(c.lastSeen) {
		c.lastSeen = t
	}
	if c.opt.outside(t) {
		return false
	}
	if c.first.IsZero() || t.Before(c.first) {
		c.first = t
	}
	if t.After(c.last) {
		c.last = t
	}
	_, offset := t.In(c.opt.zone()).Zone()
	c.days[(t.Unix()+int64(offset))/86400] = struct{}{}
	return true
}

func (c *counter) block(b *transcript.Block) {
	if !c.moment(b.Time) {
		return
	}
	switch b.Kind {
	case transcript.ToolCall:
		c.call(b.Call)
	case transcript.ToolResult:
		c.result(b.Result)
	case transcript.Prompt:
		if !b.Prompt.Refusal {
			c.e.Prompts++
		}
	case transcript.Notice:
		c.notice(b)
	}
}

func (c *counter) call(call *transcript.Call) {
	c.e.ToolCallsTotal++
	c.tools[string(call.Name)]++
	if isEdit(call.Name) && len(call.Path) > 0 {
		c.edited[string(call.Path)] = struct{}{}
	}
	if string(call.Name) == "Skill" && len(call.Skill) > 0 {
		c.skills[string(call.Skill)] = struct{}{}
	}
}

func (c *counter) result(r *transcript.Result) {
	if r.Error {
		c.e.ToolErrors++
	}
	if r.Status == transcript.Refused {
		c.e.Rejections++
	}
}

func (c *counter) notice(b *transcript.Block) {
	switch b.Notice {
	case transcript.CompactBoundary:
		c.e.Compactions++
	case transcript.Interrupt:
		c.e.Interrupts++
	case transcript.APIError:
		c.e.APIErrors++
	}
}

func (c *counter) turn(t *transcript.Turn) {
	if !c.moment(t.Time) {
		return
	}
	c.e.Usage.Add(t.Usage)
	if t.Late {
		return
	}
	if t.Speaker == transcript.Subagent {
		c.e.SubagentTurns++
		return
	}
	c.e.Turns++
	if t.Number == 1 && t.File == 0 {
		c.e.StartContext = t.Usage.Input + t.Usage.CacheRead + t.Usage.CacheCreate
	}
	if len(t.Model) > 0 {
		c.e.Model = record.NewName(string(t.Model))
	}
}

// record makes the session record.
func (c *counter) record(sum *transcript.Summary) *record.Signal {
	e := &c.e
	e.Started, e.Ended = record.NewTimestamp(c.first), record.NewTimestamp(c.last)
	for d := range c.days {
		e.ActiveDays = append(e.ActiveDays, record.NewDay(time.Unix(d*86400, 0), time.UTC))
	}
	slices.SortFunc(e.ActiveDays, func(a, b record.Day) int { return cmp.Compare(a.String(), b.String()) })
	e.Zone = record.NewName(c.opt.zone().String())
	e.MessageCount = sum.Totals.Messages
	e.ToolsUsed = topCounts(c.tools, 40)
	e.EditedFiles = len(c.edited)
	for s := range c.skills {
		e.Skills = append(e.Skills, record.NewName(s))
	}
	slices.SortFunc(e.Skills, func(a, b record.Name) int { return cmp.Compare(a.String(), b.String()) })
	e.Unresolved = sum.Totals.Unresolved
	e.Malformed, e.Dropped = sum.Totals.Faults, sum.Totals.Dropped
	c.facts(sum)
	if !c.opt.Now.IsZero() && !c.lastSeen.IsZero() {
		e.Live = c.opt.Now.Sub(c.lastSeen) < time.Minute
	}
	session := record.NewSessionID(sum.ID)
	return &record.Signal{
		V: record.Version, TS: e.Ended, Tool: sum.Tool, SessionID: session, Kind: record.Session,
		Rule: record.NewName("none"), Detector: record.NewName("session"), Confidence: record.Deterministic,
		Origin: record.FromTranscript, Evidence: e, ID: record.HashOf(16, session.String(), "session"),
	}
}

// facts takes over what the records say about the session as a whole.
func (c *counter) facts(sum *transcript.Summary) {
	e, f := &c.e, &sum.Facts
	e.SourceBytes = sum.Totals.Bytes
	e.AgentVersion = record.NewName(f.Version)
	e.BranchFirst, e.BranchLast = record.NewName(f.FirstBranch), record.NewName(f.LastBranch)
	e.Interactive = f.Entrypoint == "" || f.Entrypoint == "cli"
	if f.FirstDir != "" {
		e.Project = record.NewName(path.Base(f.FirstDir) + "-" + record.HashOf(8, f.FirstDir).String())
	}
}

// topCounts lists the n largest counts by name.
func topCounts(counts map[string]int, n int) []record.Count {
	type entry struct {
		name  string
		count int
	}
	all := make([]entry, 0, len(counts))
	for name, count := range counts {
		all = append(all, entry{name, count})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(b.count-a.count, cmp.Compare(a.name, b.name)) })
	all = all[:min(n, len(all))]
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	out := make([]record.Count, len(all))
	for i, e := range all {
		out[i] = record.Count{Name: record.NewName(e.name), Count: e.count}
	}
	return out
}

// isEdit tells whether the tool changes a file.
func isEdit(tool []byte) bool {
	switch string(tool) {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return true
	}
	return false
}
