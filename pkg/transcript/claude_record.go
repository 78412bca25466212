package transcript

import (
	"bytes"

	"retro/pkg/ndjson"
)

// claudeRecord is one line of a Claude Code transcript: the wanted values in
// place, everything else stepped over. It is used again for every line.
type claudeRecord struct {
	claudeFields
	blocks []claudeBlock
}

// claudeFields are the wanted values of a record and of its message.
type claudeFields struct {
	typ, subtype, operation, uuid, messageID, sessionID, snakeID, timestamp,
	isMeta, isSidechain, isCompact, transcriptOnly, isAPIError, content,
	cwd, branch, version, entrypoint, promptSource, origin, planContent,
	toolUseResult, userFeedback, denial, message, attachment ndjson.Value
	known bool

	inMessage claudeMessage
}

// claudeMessage are the wanted values of message.
type claudeMessage struct {
	id, model, content ndjson.Value
	hasUsage           bool
	usage              claudeUsage
}

// claudeUsage are the token counts of a message.
type claudeUsage struct {
	input, output, cacheRead, cacheCreate ndjson.Value
}

// claudeBlock is one block of message.content.
type claudeBlock struct {
	typ, text, id, name, input, toolUseID, isError, content ndjson.Value
	inInput                                                 claudeInput
}

// claudeInput are the wanted values of a tool call's input.
type claudeInput struct {
	path, notebook, other, command, skill, args, subagent, pattern ndjson.Value
}

// parse indexes a line. It tells whether the line is one JSON object by itself.
// All of the line is stepped over before anything is believed: intact lines have
// wanted fields behind the largest ones, and cut lines look whole until their end.
func (r *claudeRecord) parse(w *ndjson.Walker, line []byte) bool {
	w.ResetMarked(line)
	return r.walk(w)
}

// parseLine is parse for the text of a line, whose strings may be marked.
func (r *claudeRecord) parseLine(w *ndjson.Walker, l *ndjson.Line, text []byte) bool {
	w.ResetLine(l, text)
	return r.walk(w)
}

func (r *claudeRecord) walk(w *ndjson.Walker) bool {
	r.claudeFields, r.blocks = claudeFields{}, r.blocks[:0]
	if !w.Object() {
		return false
	}
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if !ok {
			return false
		}
		if done {
			return w.End()
		}
		if !r.member(w, key) {
			return false
		}
	}
}

// member takes one top-level member.
func (r *claudeRecord) member(w *ndjson.Walker, key []byte) bool {
	into := r.field(key)
	if into == &r.message {
		return r.parseMessage(w)
	}
	value, ok := w.Value()
	if into != nil {
		*into = value
	}
	return ok
}

// field tells where the value of a top-level key goes.
func (r *claudeRecord) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "type":
		r.known = true
		return &r.typ
	case "uuid":
		r.known = true
		return &r.uuid
	case "message":
		r.known = true
		return &r.message
	case "parentUuid":
		r.known = true
	case "sessionId":
		r.known = true
		return &r.sessionID
	case "timestamp":
		r.known = true
		return &r.timestamp
	case "isSidechain":
		return &r.isSidechain
	case "isMeta":
		return &r.isMeta
	case "cwd":
		return &r.cwd
	case "gitBranch":
		return &r.branch
	case "version":
		return &r.version
	case "toolUseResult":
		return &r.toolUseResult
	}
	return r.rareField(key)
}

// rareField is field for the keys that few records have.
func (r *claudeRecord) rareField(key []byte) *ndjson.Value {
	switch string(key) {
	case "session_id":
		return &r.snakeID
	case "messageId":
		return &r.messageID
	case "subtype":
		return &r.subtype
	case "operation":
		return &r.operation
	case "content":
		return &r.content
	case "attachment":
		return &r.attachment
	case "isCompactSummary":
		return &r.isCompact
	case "isVisibleInTranscriptOnly":
		return &r.transcriptOnly
	case "isApiErrorMessage":
		return &r.isAPIError
	case "entrypoint":
		return &r.entrypoint
	case "promptSource":
		return &r.promptSource
	case "origin":
		return &r.origin
	case "planContent":
		return &r.planContent
	case "userFeedback":
		return &r.userFeedback
	case "toolDenialKind":
		return &r.denial
	}
	return nil
}

// parseMessage indexes the message in the same walk, so that no byte of it is
// stepped over twice.
func (r *claudeRecord) parseMessage(w *ndjson.Walker) bool {
	r.inMessage, r.blocks = claudeMessage{}, r.blocks[:0]
	if w.Peek() != ndjson.Object {
		value, ok := w.Value()
		r.message = value
		return ok
	}
	start := w.Pos()
	w.Object()
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if !ok {
			return false
		}
		if done {
			r.message = w.Since(start)
			return true
		}
		if !r.messageMember(w, key) {
			return false
		}
	}
}

func (r *claudeRecord) messageMember(w *ndjson.Walker, key []byte) (ok bool) {
	switch string(key) {
	case "content":
		return r.parseContent(w)
	case "id":
		r.inMessage.id, ok = w.Value()
	case "model":
		r.inMessage.model, ok = w.Value()
	case "usage":
		var all ndjson.Value
		u := &r.inMessage.usage
		*u = claudeUsage{}
		all, ok = indexObject(w, u.field)
		r.inMessage.hasUsage = all.Kind() == ndjson.Object
	default:
		_, ok = w.Value()
	}
	return ok
}

func (r *claudeRecord) parseContent(w *ndjson.Walker) bool {
	r.blocks = r.blocks[:0]
	if w.Peek() != ndjson.Array {
		value, ok := w.Value()
		r.inMessage.content = value
		return ok
	}
	start := w.Pos()
	w.Array()
	for first := true; ; first = false {
		done, ok := w.Element(first)
		if !ok {
			return false
		}
		if done {
			r.inMessage.content = w.Since(start)
			return true
		}
		if w.Peek() != ndjson.Object {
			if _, ok := w.Value(); !ok {
				return false
			}
			continue
		}
		r.blocks = append(r.blocks, claudeBlock{})
		if !r.blocks[len(r.blocks)-1].parse(w) {
			return false
		}
	}
}

func (b *claudeBlock) parse(w *ndjson.Walker) bool {
	w.Object()
	for first := true; ; first = false {
		key, done, ok := w.Key(first)
		if done || !ok {
			return ok
		}
		into := b.field(key)
		var value ndjson.Value
		if into == &b.input {
			b.inInput = claudeInput{}
			value, ok = indexObject(w, b.inInput.field)
		} else {
			value, ok = w.Value()
		}
		if !ok {
			return false
		}
		if into != nil {
			*into = value
		}
	}
}

// indexObject steps over a value and, when it is an object, keeps the members
// that field has a place for.
func indexObject(w *ndjson.Walker, field func(key []byte) *ndjson.Value) (all ndjson.Value, ok bool) {
	if w.Peek() != ndjson.Object {
		return w.Value()
	}
	start := w.Pos()
	ok = w.Members(func(key []byte, v ndjson.Value) bool {
		if into := field(key); into != nil {
			*into = v
		}
		return true
	})
	return w.Since(start), ok
}

func (b *claudeBlock) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "type":
		return &b.typ
	case "text":
		return &b.text
	case "id":
		return &b.id
	case "name":
		return &b.name
	case "input":
		return &b.input
	case "tool_use_id":
		return &b.toolUseID
	case "is_error":
		return &b.isError
	case "content":
		return &b.content
	}
	return nil
}

func (in *claudeInput) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "file_path":
		return &in.path
	case "notebook_path":
		return &in.notebook
	case "path":
		return &in.other
	case "command":
		return &in.command
	case "skill":
		return &in.skill
	case "args":
		return &in.args
	case "subagent_type":
		return &in.subagent
	case "pattern":
		return &in.pattern
	}
	return nil
}

func (u *claudeUsage) field(key []byte) *ndjson.Value {
	switch string(key) {
	case "input_tokens":
		return &u.input
	case "output_tokens":
		return &u.output
	case "cache_read_input_tokens":
		return &u.cacheRead
	case "cache_creation_input_tokens":
		return &u.cacheCreate
	}
	return nil
}

// is compares a string value with a plain word.
func is(v ndjson.Value, word string) bool {
	if len(v) < 2 || v[0] != '"' {
		return false
	}
	if len(v) == len(word)+2 && string(v[1:len(v)-1]) == word {
		return true
	}
	// No escape is longer than six bytes a character.
	return len(v) <= 6*len(word)+2 && bytes.IndexByte(v, '\\') >= 0 && v.String() == word
}
