package detect

import (
	"bytes"
	"fmt"

	"retro/pkg/record"
	"retro/pkg/redact"
	"retro/pkg/transcript"
)

// messageChars bounds the message of a block, in characters.
const messageChars = 2000

// Blocks numbers the blocked calls of one export.
type Blocks struct {
	opt   *Options
	clean *redact.Cleaner
	day   record.Day
	n     int
}

// NewBlocks begins an export on a day.
func NewBlocks(opt *Options, clean *redact.Cleaner, day record.Day) *Blocks {
	return &Blocks{opt: opt, clean: clean, day: day}
}

// Session reads a session and emits every tool call of it and of its sub-agents
// that a hook blocked.
func (x *Blocks) Session(s *transcript.Session, emit func(*record.Block)) error {
	w := &blockWatch{Blocks: x, waiting: make(map[string]waitingCall)}
	if x.opt.cuts() {
		s.Date()
	}
	sum, err := s.Read(transcript.Handler{Block: w.block, Fault: x.opt.Fault})
	session := record.NewSessionID(sum.ID)
	for _, b := range w.found {
		x.n++
		b.ID, _ = record.NewIdentifier(fmt.Sprintf("%s-%03d", x.day, x.n))
		b.SessionID = session
		emit(b)
	}
	return err
}

// blockWatch keeps the input of every call until its result is there.
type blockWatch struct {
	*Blocks
	waiting map[string]waitingCall // by id
	found   []*record.Block
}

type waitingCall struct {
	input       []byte
	dir, branch string
}

func (w *blockWatch) block(b *transcript.Block) {
	switch b.Kind {
	case transcript.ToolCall:
		w.waiting[string(b.Call.ID)] = waitingCall{bytes.Clone(b.Call.Input), b.Dir, b.Branch}
	case transcript.ToolResult:
		if b.Call == nil {
			return
		}
		call := w.waiting[string(b.Call.ID)]
		delete(w.waiting, string(b.Call.ID))
		if hook, message, ok := hookBlock(b); ok && !w.opt.outside(b.Time) {
			w.found = append(w.found, w.export(b, call, hook, message))
		}
	}
}

func (w *blockWatch) export(b *transcript.Block, call waitingCall, hook, message string) *record.Block {
	input, _ := record.NewInput(call.input, w.clean) // the zero Input is {}
	kept := *w.clean
	kept.KeepHomes = true
	return &record.Block{
		V: record.Version, Kind: record.KindBlock, TS: record.NewTimestamp(b.Time),
		Hook: record.NewName(hook), ToolName: record.NewName(string(b.Call.Name)), ToolInput: input,
		Cwd: record.NewDir(call.dir, w.clean), GitBranch: w.clean.Clean(call.branch), Message: kept.Head(message, messageChars),
	}
}
