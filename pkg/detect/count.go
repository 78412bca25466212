package detect

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/shell"
	"retro/pkg/transcript"
)

// counter counts what one session holds: the body of its session record. Each
// figure is computed here and nowhere else. What is counted is of the period
// when there is one; a record is in the period by its own time, so that two
// periods with a common border share a session without a loss or an overlap.
type counter struct {
	opt      *Options
	e        record.SessionEvidence
	found    bool // something of the period was counted
	first    time.Time
	last     time.Time
	days     map[int64]struct{} // days since 1970 in the zone
	today    day                // the one at hand
	tools    tally
	edited   tally
	skills   tally
	blocks   tally // by hook
	denials  tally // by class of reason
	lastSeen time.Time
	opened   int  // number of the session's first turn, 0 before it
	inPeriod bool // the first turn is of the period
	reads    *predicate.CodeReads
	model    string // as it was last written
}

func newCounter(opt *Options) *counter {
	return &counter{opt: opt, days: map[int64]struct{}{}, tools: tally{}, edited: tally{}, skills: tally{}, blocks: tally{}, denials: tally{}}
}

// tally counts by name. Its counts are behind pointers so that counting a name
// again allocates nothing.
type tally map[string]*int

func (t tally) add(name []byte) {
	n := t[string(name)]
	if n == nil {
		n = new(int)
		t[string(name)] = n
	}
	*n++
}

func (c *counter) observer() *Observer {
	return &Observer{Block: c.block, Turn: c.turn}
}

// moment registers the time of a record and tells whether it is in the period.
func (c *counter) moment(t time.Time) bool {
	if t.After(c.lastSeen) {
		c.lastSeen = t
	}
	if c.opt.outside(t) {
		return false
	}
	c.found = true
	if t.IsZero() {
		return true
	}
	if c.first.IsZero() || t.Before(c.first) {
		c.first = t
	}
	if t.After(c.last) {
		c.last = t
	}
	if at := t.Unix(); at < c.today.from || at >= c.today.to {
		c.today = dayOf(t.In(c.opt.zone()))
		c.days[c.today.number] = struct{}{}
	}
	return true
}

// day is a day in a zone as far as the zone's offset from UTC stays the same.
type day struct {
	from, to int64 // seconds since 1970
	number   int64 // days since 1970
}

// dayOf is the day of a time in its zone. Asking a zone costs more than all else
// that is done at a record's time, so the answer is kept.
func dayOf(t time.Time) day {
	_, offset := t.Zone()
	number := (t.Unix() + int64(offset)) / 86400
	d := day{from: number*86400 - int64(offset), number: number}
	d.to = d.from + 86400
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		d.from = max(d.from, start.Unix())
	}
	if !end.IsZero() {
		d.to = min(d.to, end.Unix())
	}
	return d
}

func (c *counter) message(t time.Time) {
	if !c.opt.outside(t) {
		c.found = true
		c.e.MessageCount++
	}
}

func (c *counter) block(b *transcript.Block) {
	if b.Kind == transcript.ToolCall {
		c.role(b.Call)
	}
	if b.Kind == transcript.ToolResult && b.Call != nil && !c.opt.outside(b.Call.Time) {
		c.e.Unresolved--
	}
	if !c.moment(b.Time) {
		return
	}
	switch b.Kind {
	case transcript.ToolCall:
		c.call(b)
	case transcript.ToolResult:
		c.result(b)
	case transcript.Prompt:
		if !b.Prompt.Refusal {
			c.e.Prompts++
			c.e.Recalls += one(isRecall(b.Text))
		}
	case transcript.Notice:
		c.notice(b)
	}
}

// role takes the session's role from the first call of the skill of that name.
// It belongs to the session, so no period cuts it.
func (c *counter) role(call *transcript.Call) {
	skill := string(call.Skill)
	if !c.e.Role.IsZero() || call.Sidechain || string(call.Name) != "Skill" || skill != "role" && !strings.HasSuffix(skill, ":role") {
		return
	}
	if id, ok := record.NewIdentifier(string(call.Args)); ok {
		c.e.Role = record.NewName(id.String())
	}
}

func (c *counter) call(b *transcript.Block) {
	call := b.Call
	c.e.ToolCallsTotal++
	c.e.Unresolved++
	c.tools.add(call.Name)
	if isEdit(call.Name) && len(call.Path) > 0 {
		c.edited.add(call.Path)
	}
	if string(call.Name) == "Skill" && len(call.Skill) > 0 {
		c.skills.add(call.Skill)
	}
	if c.place(b.Dir).May(call.Name, call.Path, call.Command, b.Dir) || isCut(call) {
		c.e.CodeReads += one(c.readsCode(b))
	}
	if bytes.Contains(call.Command, []byte("codegraph")) || isCut(call) {
		c.e.GraphInit += one(initsGraph(c.asked(b)))
	}
	c.e.GraphExplore += one(exploresGraph(call.Name))
}

// readsCode tells whether a call that may read code does.
func (c *counter) readsCode(b *transcript.Block) bool {
	switch string(b.Call.Name) {
	case "Read", "Grep", "Glob":
		return c.reads.IsPath(b.Dir, b.Call.Path)
	}
	return c.reads.Is(c.asked(b))
}

// asked is the call as predicates take it: the one of the rule detectors when
// they are on, whose command is parsed then.
func (c *counter) asked(b *transcript.Block) *predicate.Call {
	if c.opt.rules != nil {
		return c.opt.rules.call
	}
	return callOf(b)
}

// place is what tells reads of code in the project that paths are relative to:
// the named one, else the directory that the session began in, known by its
// text alone.
func (c *counter) place(dir string) *predicate.CodeReads {
	if c.reads != nil {
		return c.reads
	}
	project := predicate.NewProject(cmp.Or(c.opt.Project, dir), nil, predicate.DefaultSettings())
	if v := c.opt.view; v != nil {
		project = v.counts.Watched(v.sight)
	}
	c.reads = predicate.NewCodeReads(project, c.opt.CodePaths)
	return c.reads
}

// initsGraph tells whether a shell line sets the code graph up.
func initsGraph(c *predicate.Call) bool {
	return strings.Contains(c.Command, "codegraph") && slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool {
		return cmd.Program() == "codegraph" && len(cmd.Args) > 1 && cmd.Args[1].Text == "init"
	})
}

// exploresGraph tells whether a tool looks into the code graph.
func exploresGraph(tool []byte) bool {
	return bytes.HasSuffix(tool, []byte("codegraph_explore")) || bytes.HasPrefix(tool, []byte("mcp__code-graph__"))
}

func (c *counter) result(b *transcript.Block) {
	c.e.ToolErrors += one(b.Result.Error)
	c.e.Rejections += one(b.Result.Status == transcript.Refused)
	if hook, _, ok := hookBlock(b); ok {
		c.blocks.add([]byte(hook))
	}
	if class, ok := classifierDenial(b); ok {
		c.denials.add([]byte(class.String()))
	}
}

// notice counts the events of the main conversation: when a person stops the
// model, its sub-agents note it as well.
func (c *counter) notice(b *transcript.Block) {
	main := b.Speaker != transcript.Subagent
	c.e.Compactions += one(main && b.Notice == transcript.CompactBoundary)
	c.e.Interrupts += one(main && b.Notice == transcript.Interrupt)
	c.e.APIErrors += one(b.Notice == transcript.APIError)
}

func (c *counter) turn(t *transcript.Turn) {
	main := t.Speaker == transcript.Agent && t.File == 0
	if main && c.opened == 0 {
		c.opened, c.inPeriod = t.Number, !c.opt.outside(t.Time)
	}
	if !c.moment(t.Time) {
		return
	}
	c.e.Usage.Add(t.Usage)
	if main && c.inPeriod && t.Number == c.opened {
		c.e.StartContext += t.Usage.Input + t.Usage.CacheRead + t.Usage.CacheCreate
	}
	switch {
	case t.Late:
	case t.Speaker == transcript.Subagent:
		c.e.SubagentTurns++
	default:
		c.e.Turns++
		if len(t.Model) > 0 && string(t.Model) != c.model {
			c.model = string(t.Model)
			c.e.Model = record.NewName(c.model)
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// record makes the session record.
func (c *counter) record(sum *transcript.Summary) *record.Signal {
	e := &c.e
	e.Started, e.Ended = record.NewTimestamp(c.first), record.NewTimestamp(c.last)
	e.ActiveDays, e.Skills = []record.Day{}, []record.Name{} // an empty list is a list, not null
	for d := range c.days {
		e.ActiveDays = append(e.ActiveDays, record.NewDay(time.Unix(d*86400, 0), time.UTC))
	}
	slices.SortFunc(e.ActiveDays, func(a, b record.Day) int { return cmp.Compare(a.String(), b.String()) })
	e.Zone = record.NewName(c.opt.zone().String())
	e.Since, e.Until = record.NewTimestamp(c.opt.Since), record.NewTimestamp(c.opt.Until)
	e.HookBlocks, e.Denials = topCounts(c.blocks, 40), topCounts(c.denials, 40)
	e.Profile = record.NewName(c.opt.profile().Name)
	e.ConfigHash = c.opt.config()
	e.ToolsUsed = topCounts(c.tools, 40)
	e.EditedFiles = len(c.edited)
	for s := range c.skills {
		e.Skills = append(e.Skills, record.NewName(s))
	}
	slices.SortFunc(e.Skills, func(a, b record.Name) int { return cmp.Compare(a.String(), b.String()) })
	e.Malformed, e.Dropped = sum.Totals.Faults, sum.Totals.Dropped
	c.facts(sum)
	c.opt.rules.record(e)
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
	// A terminal and the editors' panels have a person before them; what is
	// started through an SDK has not.
	e.Interactive = !strings.HasPrefix(f.Entrypoint, "sdk")
	if e.Worktree = worktreeOf(f.LastDir); e.Worktree.IsZero() {
		e.Worktree = worktreeOf(f.FirstDir)
	}
	if f.FirstDir != "" {
		e.Project = record.NewName(path.Base(f.FirstDir) + "-" + record.HashOf(8, f.FirstDir).String())
	}
}

// worktreeOf is the name of the linked worktree that a directory lies in, by the
// places where worktrees are put: `.claude/worktrees/NAME`, `.worktrees/NAME`,
// `REPOSITORY.wt/NAME` and `.wt/TASK/REPOSITORY`.
func worktreeOf(dir string) record.Name {
	for _, place := range []string{"/.claude/worktrees/", "/.worktrees/", "/.wt/", ".wt/"} {
		if _, rest, ok := strings.Cut(dir, place); ok {
			name, _, _ := strings.Cut(rest, "/")
			return record.NewName(name)
		}
	}
	return record.Name{}
}

// topCounts lists the n largest counts by name.
func topCounts(counts tally, n int) []record.Count {
	type entry struct {
		name  string
		count int
	}
	all := make([]entry, 0, len(counts))
	for name, count := range counts {
		all = append(all, entry{name, *count})
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
