package transcript

import (
	"bytes"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// claude reads Claude Code transcripts of all versions since 1.0.17.
type claude struct {
	a      *assembler
	rec    *claudeRecord // the record at hand
	own    claudeRecord  // where line parses to
	walker ndjson.Walker // that line parses with
	facts  *Facts
	queue  queue
	arena  []byte
	days   days
	hidden bool // the record at hand is a sub-agent's, by the file or by its flag
	head   head
	result Result // the one that is delivered

	known      bool        // a usual field was seen near the start of the file
	out        Line        // the raw line that is delivered
	lineBlocks []LineBlock // its blocks
}

// open makes c ready for a file, with its buffers kept.
func (c *claude) open(a *assembler, facts *Facts, ownID string) *claude {
	*c = claude{a: a, facts: facts, head: head{own: ownID}, own: c.own, walker: c.walker, arena: c.arena, lineBlocks: c.lineBlocks}
	c.rec = &c.own
	return c
}

// claimClaude tells whether a line can only come from Claude Code.
func claimClaude(b *Buffers, line []byte) bool {
	r := &b.claude.own
	if !r.parse(&b.claude.walker, line) {
		return false
	}
	switch r.typ.String() {
	case "user", "assistant", "system", "summary", "progress", "attachment", "queue-operation", "file-history-snapshot",
		"file-history-delta", "last-prompt", "ai-title", "custom-title", "agent-name", "mode", "permission-mode", "pr-link":
		return r.sessionID != nil || r.message != nil || r.uuid != nil || r.messageID != nil || r.typ.String() != "user"
	}
	return false
}

// line takes one physical line.
func (c *claude) line(l *ndjson.Line) {
	c.a.line = l.Number
	if l.Lost {
		c.a.fault(string(ndjson.TooLong), l.Number)
		return
	}
	text := trimSpace(l.Bytes)
	if len(text) == 0 {
		return
	}
	c.rec = &c.own
	c.parsed(l, text, c.rec.parseLine(&c.walker, l, text))
}

// parsed takes a line after its record was parsed, whole or not.
func (c *claude) parsed(l *ndjson.Line, text []byte, whole bool) {
	c.a.line = l.Number
	if whole {
		c.sees()
		c.rawLine()
		c.record(text)
		return
	}
	c.rec = &c.own
	recovered := ndjson.Recover(l.Bytes)
	for _, f := range recovered.Faults {
		c.a.fault(string(f), l.Number)
	}
	for _, r := range recovered.Records {
		if c.rec.parse(&c.walker, r) {
			c.sees()
			c.record(r)
		}
	}
}

// record takes one record, unless it stands at the head of the file under a
// foreign session id: then it waits for the rest to tell whose it is.
func (c *claude) record(text []byte) {
	if c.head.holds(c, text) {
		return
	}
	c.take()
}

// take delivers the parsed record.
func (c *claude) take() {
	r := c.rec
	c.arena = c.arena[:0]
	if c.a.seen(c.text(r.uuid)) {
		c.a.drop("repeated")
		return
	}
	c.clock()
	c.facts.note(r)
	c.hidden = c.a.sidechain || r.isSidechain.IsTrue()
	switch {
	case is(r.typ, "assistant"):
		c.a.message()
		c.assistant()
	case is(r.typ, "user"):
		c.a.message()
		c.user()
	case is(r.typ, "system"):
		c.system()
	case is(r.typ, "queue-operation"):
		c.queueOperation()
	case is(r.typ, "attachment"):
		c.attachment()
	}
}

// driftLines is how many lines at the start of a file must hold a usual field
// somewhere, else the format has changed (the original gate's warning).
const driftLines = 50

// SchemaDrift is the fault of a file without a usual field in its first lines.
const SchemaDrift = "schema-drift"

// sees remembers that the record at hand has a usual field.
func (c *claude) sees() {
	c.known = c.known || c.rec.known && c.a.line <= driftLines
}

// rawLine hands the line on to the observers that count lines.
func (c *claude) rawLine() {
	if c.a.handler.Line == nil || c.a.sidechain {
		return
	}
	r := c.rec
	blocks := c.lineBlocks[:0]
	for i := range r.blocks {
		b := &r.blocks[i]
		blocks = append(blocks, LineBlock{Type: b.typ, Text: b.text, Name: b.name, Input: b.input, IsError: b.isError})
	}
	c.lineBlocks = blocks
	now := c.a.now
	if t, ok := c.days.parse(c.text(r.timestamp)); ok {
		now = t
	}
	c.out = Line{Number: c.a.line - 1, Time: now, Type: r.typ, SessionID: r.sessionID, SnakeSessionID: r.snakeID,
		UUID: r.uuid, MessageID: r.messageID, IsMeta: r.isMeta, Content: r.inMessage.content, Blocks: blocks}
	c.a.handler.Line(&c.out)
}

// text decodes a value into the arena of the record.
func (c *claude) text(v ndjson.Value) []byte {
	text, arena, ok := v.Text(c.arena)
	c.arena = arena
	if !ok {
		return nil
	}
	return text
}

// clock moves the time on; a record without a time has that of the one before.
func (c *claude) clock() {
	if t, ok := c.days.parse(c.text(c.rec.timestamp)); ok {
		c.a.now = t
	}
}

// assistant takes one line of a turn.
func (c *claude) assistant() {
	r := c.rec
	model := c.text(r.inMessage.model)
	if r.isAPIError.IsTrue() || string(model) == "<synthetic>" {
		c.a.notice(APIError, c.text(r.uuid), nil, c.hidden)
		return
	}
	uuid := c.text(r.uuid)
	info := turnInfo{id: c.text(r.inMessage.id), speaker: c.modelSpeaker(), uuid: uuid, model: model}
	info.usage, info.hasUsage = r.inMessage.usage.counts(), r.inMessage.hasUsage
	number, late := c.a.turnLine(info)
	if r.inMessage.content.Kind() == ndjson.String {
		c.a.say(info.speaker, uuid, c.text(r.inMessage.content), number, late)
		return
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		switch {
		case is(b.typ, "text"):
			if text := c.text(b.text); len(text) > 0 {
				c.a.say(info.speaker, uuid, text, number, late)
			}
		case is(b.typ, "tool_use"):
			c.toolUse(b, uuid, number, late)
		}
	}
}

func (c *claude) modelSpeaker() Speaker {
	if c.hidden {
		return Subagent
	}
	return Agent
}

// toolUse takes a tool call.
func (c *claude) toolUse(b *claudeBlock, uuid []byte, turn int, late bool) {
	call := c.a.newCall()
	call.ID = append(call.ID, c.text(b.id)...)
	call.Name = append(call.Name, c.text(b.name)...)
	call.Input = b.input
	call.Sidechain = c.hidden
	c.input(call, &b.inInput)
	c.a.call(call, uuid, turn, late)
}

// keptOfInput bounds an input value that is kept for the result, in bytes.
const keptOfInput = 4 << 10

// input decodes the wanted fields of a tool input. Three names stand for the
// file; the first of them that is a non-empty string counts.
func (c *claude) input(call *Call, in *claudeInput) {
	call.Command = c.appendHead(call.Command, in.command)
	call.Skill = c.appendHead(call.Skill, in.skill)
	call.Args = c.appendHead(call.Args, in.args)
	call.Subagent = c.appendHead(call.Subagent, in.subagent)
	call.Pattern = c.appendHead(call.Pattern, in.pattern)
	for _, v := range [...]ndjson.Value{in.path, in.notebook, in.other} {
		if call.Path = c.appendHead(call.Path[:0], v); len(call.Path) > 0 {
			return
		}
	}
}

func (c *claude) appendHead(dst []byte, v ndjson.Value) []byte {
	if len(v) == 0 {
		return dst
	}
	text, arena, ok := v.Head(c.arena, keptOfInput)
	c.arena = arena
	if !ok {
		return dst
	}
	return append(dst, text...)
}

// system takes the records of the harness about the conversation.
func (c *claude) system() {
	r := c.rec
	switch {
	case is(r.subtype, "compact_boundary"):
		c.a.notice(CompactBoundary, c.text(r.uuid), nil, c.hidden)
	case is(r.subtype, "api_error"):
		c.a.notice(APIRetry, c.text(r.uuid), nil, c.hidden)
	}
}

// counts reads the token counts of a message. Only finite non-negative integers
// count; a numeric string is taken for its number.
func (u *claudeUsage) counts() record.Usage {
	return record.Usage{Input: tokens(u.input), Output: tokens(u.output), CacheRead: tokens(u.cacheRead), CacheCreate: tokens(u.cacheCreate)}
}

// maxTokens is beyond any real count: larger numbers are damage.
const maxTokens = 1 << 40

func tokens(v ndjson.Value) int64 {
	digits := []byte(v)
	if v.Kind() == ndjson.String {
		digits = digits[1 : len(digits)-1]
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' || n > maxTokens {
			return 0
		}
		n = n*10 + int64(d-'0')
	}
	return n
}

// days reads times; it remembers the day of the last one, which is that of the
// next, too, nearly always.
type days struct {
	text  [len("2026-03-01")]byte
	start time.Time
}

// parseTime reads one time.
func parseTime(s []byte) (time.Time, bool) { return new(days).parse(s) }

// parse reads the agent's own form of a time, 2026-03-01T08:00:00.000Z, without
// the cost of the general parser, and any RFC 3339 text with it.
func (d *days) parse(s []byte) (time.Time, bool) {
	if len(s) != 24 || s[10] != 'T' || s[19] != '.' || s[23] != 'Z' {
		return parseRFC3339(s)
	}
	if string(s[:10]) != string(d.text[:]) {
		year, month, day := number(s[:4]), number(s[5:7]), number(s[8:10])
		if year <= 0 || month < 1 || month > 12 || day < 1 || day > 31 {
			return time.Time{}, false
		}
		copy(d.text[:], s)
		d.start = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	hour, minute, second, ms := number(s[11:13]), number(s[14:16]), number(s[17:19]), number(s[20:23])
	if hour < 0 || hour >= 24 || minute < 0 || minute >= 60 || second < 0 || second >= 60 || ms < 0 {
		return time.Time{}, false
	}
	return d.start.Add(time.Duration(((hour*60+minute)*60+second)*1000+ms) * time.Millisecond), true
}

// number reads digits; it is negative when there is something else.
func number(digits []byte) int {
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' {
			return -1
		}
		n = n*10 + int(d-'0')
	}
	return n
}

func parseRFC3339(s []byte) (time.Time, bool) {
	if len(s) == 0 {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(s))
	if err != nil {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// end delivers what was held back and ends the file.
func (c *claude) end() {
	if !c.head.done {
		c.head.release(c)
	}
	for _, q := range c.queue.waiting {
		c.arena = c.arena[:0]
		c.rec.uuid = nil
		c.steer(q)
	}
	if !c.known && !c.a.sidechain && c.a.line > 0 {
		c.a.fault(SchemaDrift, 0)
	}
	c.a.endFile()
}

// trimSpace trims what Python's strip does: Unicode white space and the four
// separators U+001C to U+001F.
func trimSpace(b []byte) []byte {
	if len(b) > 0 && b[0] == '{' && b[len(b)-1] == '}' {
		return b
	}
	return bytes.TrimFunc(b, isPythonSpace)
}
