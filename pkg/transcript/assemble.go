package transcript

import (
	"hash/maphash"
	"time"

	"retro/pkg/record"
	"retro/pkg/wording"
)

// assembler is what every adapter writes to. It numbers turns, joins results
// to calls, drops records seen before, and hands blocks and turns on. It keeps
// one small entry a turn and a call, never their text.
type assembler struct {
	handler Handler
	seed    maphash.Seed

	file      int // number of the file being read
	path      string
	line      int  // line in it
	sidechain bool // the file is a sub-agent's
	now       time.Time
	facts     *Facts // of the file
	block     Block

	turn    Turn // the open turn, Number 0 when there is none
	turnKey uint64
	last    int               // number of the newest turn of the file
	turns   map[uint64]turnAt // by hash of file and message id
	calls   map[uint64]*Call  // by hash of the id; nil once the result is there
	spare   []*Call           // calls to use again
	nCalls  int
	uuids   idSet

	keepCopies bool
	totals     Totals
}

type turnAt struct {
	number int
	time   time.Time
	usage  record.Usage
}

// Totals are the counts of a whole session that only its reader can know.
type Totals struct {
	// Bytes is the size of all files as read, after decompression.
	Bytes int64
	// Lines counts physical lines, Messages the records of the user's and the
	// assistant's channel, sub-agents included.
	Lines, Messages int
	// Unresolved counts tool calls without a result.
	Unresolved int
	// Faults and Dropped count damage and copies by kind.
	Faults, Dropped []record.Count
}

// start makes a ready for a session, with its tables kept.
func (a *assembler) start(h Handler) {
	seed := a.seed
	if seed == (maphash.Seed{}) {
		seed = maphash.MakeSeed()
	}
	*a = assembler{handler: h, seed: seed, turns: emptied(a.turns), calls: emptied(a.calls), uuids: a.uuids, spare: a.spare[:min(len(a.spare), maxSpare)]}
	a.uuids.reset()
}

// The bounds of what is kept from session to session: emptying a large table
// for a small session costs more than a new one.
const (
	maxTable = 1 << 14
	maxSpare = 64
)

func emptied[V any](table map[uint64]V) map[uint64]V {
	if table == nil || len(table) > maxTable {
		return make(map[uint64]V)
	}
	clear(table)
	return table
}

// startFile begins the next file of the session.
func (a *assembler) startFile(n int, f *File, facts *Facts) {
	a.file, a.path, a.line, a.sidechain = n, f.Path, 0, n > 0
	a.now, a.last, a.facts = f.Start, 0, facts
}

// endFile ends the file's last turn.
func (a *assembler) endFile() { a.endTurn() }

// finish counts what is left over at the end of the session.
func (a *assembler) finish() {
	for _, c := range a.calls {
		if c != nil {
			a.totals.Unresolved++
			a.spare = append(a.spare, c)
		}
	}
}

// fault counts damage and tells the handler.
func (a *assembler) fault(kind string, line int) {
	a.totals.Faults = addCount(a.totals.Faults, kind)
	if a.handler.Fault != nil {
		a.handler.Fault(kind, a.path, line)
	}
}

// message counts a record of the user's or the assistant's channel.
func (a *assembler) message() {
	a.totals.Messages++
	if a.handler.Message != nil {
		a.handler.Message(a.now)
	}
}

// drop counts a record that is a copy.
func (a *assembler) drop(kind string) { a.totals.Dropped = addCount(a.totals.Dropped, kind) }

func addCount(counts []record.Count, kind string) []record.Count {
	for i := range counts {
		if counts[i].Name.String() == kind {
			counts[i].Count++
			return counts
		}
	}
	return append(counts, record.Count{Name: record.NewName(kind), Count: 1})
}

// seen tells whether the uuid came before in the session, and remembers it.
func (a *assembler) seen(uuid []byte) bool {
	if len(uuid) == 0 || a.keepCopies {
		return false
	}
	return a.uuids.add(maphash.Bytes(a.seed, uuid))
}

// prepare readies the one block that is used for every delivery.
func (a *assembler) prepare(kind BlockKind, speaker Speaker, uuid []byte) *Block {
	a.block = Block{Kind: kind, Speaker: speaker, Turn: a.last, UUID: uuid, File: a.file, Line: a.line, Time: a.now,
		Dir: a.facts.LastDir, Branch: a.facts.LastBranch}
	return &a.block
}

func (a *assembler) deliver(b *Block) {
	if a.handler.Block != nil {
		a.handler.Block(b)
	}
}

// turnInfo is what an adapter knows of the turn that a line belongs to.
type turnInfo struct {
	id       []byte // message id; empty: the line is a turn by itself
	speaker  Speaker
	uuid     []byte
	model    []byte
	usage    record.Usage
	hasUsage bool
}

// turnLine puts a line into its turn: the open one, an ended one (late), or a
// new one.
func (a *assembler) turnLine(info turnInfo) (number int, late bool) {
	key := uint64(0)
	if len(info.id) > 0 {
		key = maphash.Bytes(a.seed, info.id) + uint64(a.file)*0x9E3779B97F4A7C15
		if a.turn.Number > 0 && key == a.turnKey {
			a.setUsage(info)
			return a.turn.Number, false
		}
		if at, ok := a.turns[key]; ok {
			a.lateLine(key, at, info)
			return at.number, true
		}
	}
	a.endTurn()
	a.last++
	a.turnKey = key
	uuid, model := append(a.turn.UUID[:0], info.uuid...), append(a.turn.Model[:0], info.model...)
	a.turn = Turn{Number: a.last, Speaker: info.speaker, File: a.file, Line: a.line, Time: a.now, UUID: uuid, Model: model}
	a.setUsage(info)
	return a.last, false
}

func (a *assembler) setUsage(info turnInfo) {
	if info.hasUsage {
		a.turn.Usage, a.turn.HasUsage = info.usage, true
	}
}

// lateLine delivers the change that a late line makes to its turn's usage.
func (a *assembler) lateLine(key uint64, at turnAt, info turnInfo) {
	if !info.hasUsage || info.usage == at.usage || a.handler.Turn == nil {
		return
	}
	diff := info.usage
	diff.Add(record.Usage{Input: -at.usage.Input, Output: -at.usage.Output, CacheRead: -at.usage.CacheRead, CacheCreate: -at.usage.CacheCreate})
	a.turns[key] = turnAt{at.number, at.time, info.usage}
	a.handler.Turn(&Turn{Number: at.number, Speaker: info.speaker, File: a.file, Line: a.line, Time: at.time, Usage: diff, HasUsage: true, Late: true})
}

// endTurn delivers the open turn.
func (a *assembler) endTurn() {
	if a.turn.Number == 0 {
		return
	}
	if a.turnKey != 0 {
		a.turns[a.turnKey] = turnAt{a.turn.Number, a.turn.Time, a.turn.Usage}
	}
	if a.handler.Turn != nil {
		a.handler.Turn(&a.turn)
	}
	a.turn.Number = 0
}

// say delivers a text block of a model.
func (a *assembler) say(speaker Speaker, uuid, text []byte, turn int, late bool) {
	if !late {
		a.turn.TextLen += wording.Chars(text)
	}
	b := a.prepare(Text, speaker, uuid)
	b.Turn, b.Late, b.Text = turn, late, text
	a.deliver(b)
}

// call delivers a tool call that newCall made and the adapter filled in, and
// keeps it for its result. Each id counts once.
func (a *assembler) call(c *Call, uuid []byte, turn int, late bool) {
	c.Turn, c.Line, c.Time, c.Index = turn, a.line, a.now, a.nCalls
	key := maphash.Bytes(a.seed, c.ID)
	if _, again := a.calls[key]; again && len(c.ID) > 0 {
		a.spare = append(a.spare, c)
		return
	}
	a.nCalls++
	if !late {
		a.turn.Calls++
	}
	a.calls[key] = c
	b := a.prepare(ToolCall, Agent, uuid)
	if c.Sidechain {
		b.Speaker = Subagent
	}
	b.Turn, b.Late, b.Call = turn, late, c
	a.deliver(b)
	c.Input = nil
}

// newCall returns an empty call with the buffers of an old one.
func (a *assembler) newCall() *Call {
	if len(a.spare) == 0 {
		return new(Call)
	}
	c := a.spare[len(a.spare)-1]
	a.spare = a.spare[:len(a.spare)-1]
	*c = Call{ID: c.ID[:0], Name: c.Name[:0], Path: c.Path[:0], Command: c.Command[:0], Skill: c.Skill[:0],
		Args: c.Args[:0], Subagent: c.Subagent[:0], Pattern: c.Pattern[:0]}
	return c
}

// joined finds the call of a result. again tells that the call had its result
// before: the record is a copy.
func (a *assembler) joined(id []byte) (c *Call, again bool) {
	key := maphash.Bytes(a.seed, id)
	c, known := a.calls[key]
	if c != nil && string(c.ID) != string(id) {
		return nil, false
	}
	a.calls[key] = nil
	return c, known && c == nil
}

// result delivers the result of a call.
func (a *assembler) result(uuid []byte, c *Call, r *Result, sidechain bool) {
	b := a.prepare(ToolResult, Tool, uuid)
	if sidechain {
		b.Speaker = Subagent
	}
	if c != nil {
		b.Turn = c.Turn
	}
	b.Call, b.Result = c, r
	a.deliver(b)
	if c != nil {
		a.spare = append(a.spare, c)
	}
}

// prompt ends the turn and delivers a person's words.
func (a *assembler) prompt(uuid, text []byte, info PromptInfo) {
	a.endTurn()
	b := a.prepare(Prompt, Human, uuid)
	b.Text, b.Prompt, b.Call = text, info, info.call
	a.deliver(b)
}

// notice delivers text or an event of the harness.
func (a *assembler) notice(kind NoticeKind, uuid, text []byte, sidechain bool) {
	b := a.prepare(Notice, Harness, uuid)
	if sidechain {
		b.Speaker = Subagent
	}
	b.Notice, b.Text = kind, text
	a.deliver(b)
}
