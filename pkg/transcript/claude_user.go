package transcript

import (
	"bytes"
	"hash/maphash"

	"retro/pkg/ndjson"
)

// user takes a record of the user's channel: tool results, what a person
// typed, and all that the harness says there.
func (c *claude) user() {
	r := c.rec
	uuid := c.text(r.uuid)
	var text []byte
	images := false
	if r.inMessage.content.Kind() == ndjson.String {
		text = c.text(r.inMessage.content)
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		switch {
		case is(b.typ, "tool_result"):
			c.toolResult(b, uuid)
		case is(b.typ, "text"):
			text = c.join(text, c.text(b.text))
		case is(b.typ, "image"), is(b.typ, "document"):
			images = true
		}
	}
	c.queue.forget(c.a.seed, text)
	if len(text) > 0 || images {
		c.words(uuid, text, PromptInfo{Images: images})
	}
}

// join puts two texts of one record under each other, in the arena.
func (c *claude) join(text, more []byte) []byte {
	switch {
	case len(text) == 0:
		return more
	case len(more) == 0:
		return text
	}
	start := len(c.arena)
	c.arena = append(append(append(c.arena, text...), '\n'), more...)
	return c.arena[start:]
}

// words tells whether text of the user's channel was typed by a person: fields
// first, then the harness's own elements and openings.
func (c *claude) words(uuid, text []byte, info PromptInfo) {
	r := c.rec
	if kind := c.flagged(); kind != 0 {
		c.a.notice(kind, uuid, text, c.hidden)
		return
	}
	if rest, found := cutInterrupt(text); found {
		c.a.endTurn()
		c.a.notice(Interrupt, uuid, text[:len(text)-len(rest)], c.hidden)
		if text = rest; len(text) == 0 {
			return
		}
	}
	if c.hidden {
		c.a.notice(SubagentPrompt, uuid, text, true)
		return
	}
	info.Programmatic = is(r.promptSource, "sdk") || is(r.entrypoint, "sdk-cli") || is(r.entrypoint, "sdk-py") || is(r.entrypoint, "sdk-ts")
	said := clean(text)
	if len(said.words) == 0 && (said.kind != 0 || !info.Images) {
		if said.kind != 0 {
			c.a.notice(said.kind, uuid, text, false)
		}
		return
	}
	if c.queue.delivered(c.a.seed, said.words) {
		c.a.drop("queued")
		return
	}
	c.queue.given = c.queue.given[:0]
	info.Command = said.command
	c.a.prompt(uuid, said.words, info)
}

// flagged is the kind of notice that the record's fields say it is.
func (c *claude) flagged() NoticeKind {
	r := c.rec
	switch {
	case r.isCompact.IsTrue(), r.transcriptOnly.IsTrue():
		return CompactionSummary
	case r.isMeta.IsTrue():
		return Meta
	case r.planContent.Kind() == ndjson.String:
		return PlanHandover
	case is(r.promptSource, "system"):
		return Meta
	case r.origin.Kind() == ndjson.Object:
		return originKind(r.origin)
	}
	return 0
}

// originKind reads origin.kind: `human`, or who else.
func originKind(origin ndjson.Value) NoticeKind {
	switch kind := origin.Member("kind"); {
	case is(kind, "human"), kind == nil:
		return 0
	case is(kind, "task-notification"):
		return TaskNotice
	}
	return Teammate
}

// queue remembers what people typed while the agent worked, until it is known
// whether the words come again as a record of their own.
type queue struct {
	waiting []queued
	given   []uint64 // hashes of words delivered from the queue
}

type queued struct {
	text []byte
	hash uint64
}

// maxQueue bounds what is remembered; a person types few messages ahead.
const maxQueue = 64

// queueOperation follows the queue of typed messages. A message that is
// dequeued becomes a prompt record; one that is removed was given to the agent
// in the middle of a turn and, in most versions, stands nowhere else.
func (c *claude) queueOperation() {
	r := c.rec
	switch {
	case is(r.operation, "enqueue"):
		c.queue.add(c.a.seed, c.text(r.content))
	case is(r.operation, "dequeue"):
		c.queue.pop()
	case is(r.operation, "popAll"):
		c.queue.waiting = c.queue.waiting[:0]
	case is(r.operation, "remove"):
		if q, ok := c.queue.pop(); ok {
			c.steer(q)
		}
	}
}

// steer delivers a queued message as a prompt.
func (c *claude) steer(q queued) {
	if c.hidden || c.a.sidechain {
		return
	}
	said := clean(q.text)
	said.splitCommand()
	if len(said.words) == 0 || c.queue.wasGiven(q.hash) {
		return
	}
	c.queue.given = append(c.queue.given, maphash.Bytes(c.a.seed, said.words))
	c.a.prompt(c.text(c.rec.uuid), said.words, PromptInfo{Steering: true, Command: said.command})
}

func (q *queue) add(seed maphash.Seed, text []byte) {
	if len(text) == 0 || len(q.waiting) == maxQueue {
		return
	}
	q.waiting = append(q.waiting, queued{bytes.Clone(text), maphash.Bytes(seed, text)})
}

func (q *queue) pop() (queued, bool) {
	if len(q.waiting) == 0 {
		return queued{}, false
	}
	first := q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return first, true
}

// wasGiven tells whether the words were delivered already and forgets one of them.
func (q *queue) wasGiven(hash uint64) bool {
	for i, h := range q.given {
		if h == hash {
			q.given = append(q.given[:i], q.given[i+1:]...)
			return true
		}
	}
	return false
}

// delivered tells whether a prompt record repeats words from the queue.
func (q *queue) delivered(seed maphash.Seed, words []byte) bool {
	return len(q.given) > 0 && q.wasGiven(maphash.Bytes(seed, words))
}

// attachment takes what the harness attaches: queued messages of newer
// versions are a person's words.
func (c *claude) attachment() {
	a := c.rec.attachment
	kind := a.Member("type")
	switch {
	case is(kind, "queued_command"):
		c.queuedCommand(a)
	case is(kind, "hook_additional_context"), is(kind, "hook_system_message"), is(kind, "hook_blocking_error"):
		c.a.notice(HookFeedback, c.text(c.rec.uuid), []byte(a), c.hidden)
	}
}

func (c *claude) queuedCommand(a ndjson.Value) {
	if c.hidden || is(a.Member("commandMode"), "task-notification") || originKindOf(a) != 0 {
		return
	}
	text := c.blocksText(a.Member("prompt"))
	said := clean(text)
	if len(said.words) == 0 {
		return
	}
	hash := maphash.Bytes(c.a.seed, said.words)
	if c.queue.wasGiven(hash) {
		c.a.drop("queued")
		return
	}
	c.queue.forget(c.a.seed, text)
	c.queue.given = append(c.queue.given, hash)
	c.a.prompt(c.text(c.rec.uuid), said.words, PromptInfo{Steering: true, Command: said.command})
}

func originKindOf(a ndjson.Value) NoticeKind {
	if origin := a.Member("origin"); origin.Kind() == ndjson.Object {
		return originKind(origin)
	}
	return 0
}

// forget takes the message off the waiting list.
func (q *queue) forget(seed maphash.Seed, text []byte) {
	if len(q.waiting) == 0 {
		return
	}
	hash := maphash.Bytes(seed, text)
	for i := range q.waiting {
		if q.waiting[i].hash == hash {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

// blocksText is the text of a value that is a string or a list of blocks.
func (c *claude) blocksText(v ndjson.Value) []byte {
	if v.Kind() == ndjson.String {
		return c.text(v)
	}
	var w ndjson.Walker
	w.Reset(v)
	if !w.Array() {
		return nil
	}
	var text []byte
	for first := true; ; first = false {
		done, ok := w.Element(first)
		if done || !ok {
			return text
		}
		element, ok := w.Value()
		if !ok {
			return text
		}
		if is(element.Member("type"), "text") {
			text = c.join(text, c.text(element.Member("text")))
		}
	}
}
