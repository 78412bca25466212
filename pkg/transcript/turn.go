package transcript

import (
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Speaker tells who said or did a block.
type Speaker uint8

// The speakers.
const (
	Human    Speaker = iota + 1 // a person, typing
	Agent                       // the model of the main conversation
	Subagent                    // a model that the agent started, and all around it
	Tool                        // the result of a tool call
	Harness                     // the program around the model: notices
)

// BlockKind tells what a block is.
type BlockKind uint8

// The kinds of block.
const (
	Text       BlockKind = iota + 1 // text of the agent or a sub-agent
	ToolCall                        // a tool call
	ToolResult                      // the result of a tool call
	Prompt                          // what a person typed
	Notice                          // text or an event of the harness
)

// NoticeKind tells which notice of the harness it is.
type NoticeKind uint8

// The kinds of notice.
const (
	Meta              NoticeKind = iota + 1 // flagged as not typed: caveats, skill bodies, expanded commands
	CommandNotice                           // a slash command without words of the person
	CommandOutput                           // output of a local command or of a shell line typed with `!`
	ShellInput                              // a shell line typed with `!`
	TaskNotice                              // news of a background task
	Teammate                                // a message of another agent
	IDE                                     // what the editor shows: an open file, a selection
	Reminder                                // a reminder block for the model
	HookFeedback                            // output of a hook
	CompactionSummary                       // the summary that replaces the conversation
	CompactBoundary                         // the moment of compaction
	PlanHandover                            // an accepted plan, carried into a new conversation
	Interrupt                               // the person stopped the model
	APIError                                // the service answered with an error
	APIRetry                                // a failed request that is made again
	SubagentPrompt                          // what the agent told a sub-agent to do
	Attachment                              // anything else that the harness attaches
)

// Block is the smallest thing said or done. All slices are valid during the
// call that delivers it.
type Block struct {
	Kind    BlockKind
	Speaker Speaker
	Notice  NoticeKind
	// Turn is the agent's turn that the block belongs to, counted from 1 in its
	// file; for everything that is not the agent's, the last turn before it.
	Turn int
	// Late tells that the turn had been delivered as ended already.
	Late bool
	// UUID is the id of the record the block stands in, empty when it has none.
	UUID []byte
	// File and Line say where: the number of the file in the session (0 is the
	// main transcript) and the line in it, counted from 1.
	File, Line int
	// Time is the record's own time, or that of the record before it; zero when
	// there was none yet.
	Time time.Time
	// Dir is the working directory and Branch the git branch at that moment, ""
	// when the agent has not told one yet.
	Dir, Branch string
	// Text is the decoded text of a Text, Prompt or Notice block.
	Text []byte
	// Call is the tool call of a ToolCall block, the joined one of a ToolResult
	// block, and the refused one of a Prompt block that is the reason of a
	// refusal: nil when no call is known.
	Call *Call
	// Result is the outcome, on ToolResult blocks.
	Result *Result
	// Prompt says more about a Prompt block.
	Prompt PromptInfo
}

// PromptInfo says how a prompt reached the agent.
type PromptInfo struct {
	// Command is the slash command whose arguments the words are, with its slash.
	Command []byte
	// Steering tells that it was typed while the agent worked.
	Steering bool
	// Refusal tells that it is the reason a person gave for refusing a tool call.
	Refusal bool
	// Images tells that pictures came with it.
	Images bool
	// Programmatic tells that a program sent it, not a keyboard.
	Programmatic bool

	call *Call // that was refused
}

// Call is a tool call. It is valid until its result has been delivered; its
// slices are reused after that.
type Call struct {
	ID, Name []byte
	// Path is input.file_path, notebook_path or path, the first that is a
	// non-empty string; Command, Skill, Args, Subagent and Pattern are the
	// inputs of those names. Long values are cut to 4 KiB.
	Path, Command, Skill, Args, Subagent, Pattern []byte
	// Input is the whole input, undecoded; it is set only while the call's own
	// block is delivered.
	Input ndjson.Value
	// Turn, Line and Time say when it was made; Sidechain that a sub-agent did.
	Turn, Line int
	Time       time.Time
	Sidechain  bool
	// Index counts the calls of the session from 0, sub-agents included.
	Index int
}

// Status is what became of a tool call, read off the fields and the harness's
// own wording.
type Status uint8

// The outcomes.
const (
	OK        Status = iota + 1 // done
	Failed                      // the tool reported an error
	Refused                     // a person refused the call
	Denied                      // a permission rule or the classifier denied it
	Blocked                     // a hook blocked it
	Cancelled                   // another call of the same message failed, or the turn was stopped
	Guarded                     // the harness refused an unsound call: file not read yet, input not valid
)

// Result is the outcome of a tool call, valid while its block is delivered.
type Result struct {
	Status Status
	// Error is the flag of the record: is_error is exactly true.
	Error bool
	// ExitCode is the exit code of a shell command, -1 when not told.
	ExitCode int
	// Content is the result's content, undecoded.
	Content ndjson.Value
	// Head is the start of the result's text, at most 512 bytes of it; decoded
	// only for errors.
	Head []byte
}

// Text is the whole text of the result: a string, or the text blocks of a list.
func (r *Result) Text() string {
	if r.Content.Kind() == ndjson.String {
		return r.Content.String()
	}
	text := new(claude).blocksText(r.Content)
	return string(text)
}

// Turn is one answer of a model, delivered when it has ended: at the next
// answer, at the next prompt, or at the end of the file.
type Turn struct {
	Number   int
	Speaker  Speaker // Agent or Subagent
	File     int
	Line     int       // of its first line
	Time     time.Time // of its first line
	UUID     []byte    // of its first line
	Model    []byte
	Usage    record.Usage // of its last line
	TextLen  int          // characters of its text
	Calls    int          // tool calls
	HasUsage bool
	// Late tells that the turn was delivered before and a later line changed
	// its usage: Usage is then the difference, Time still that of the first line.
	Late bool
}

// Line is a line of the main transcript as the original gate sees it: one JSON
// object, alone on its line, with the values of its fields undecoded. It is
// valid during the call that delivers it.
type Line struct {
	// Number counts from 0, blank and bad lines included.
	Number int
	// Time is the line's own time, or that of the line before it; zero when
	// there was none yet.
	Time                                                     time.Time
	Type, SessionID, SnakeSessionID, UUID, MessageID, IsMeta ndjson.Value
	// Content is message.content, of any type; Blocks are those of its elements
	// that are objects.
	Content ndjson.Value
	Blocks  []LineBlock
}

// LineBlock is one object in the content of a line.
type LineBlock struct {
	Type, Text, Name, Input, IsError ndjson.Value
}

// Handler is what a reader of sessions is given. Every field may be nil.
type Handler struct {
	// Block gets every block in file order.
	Block func(*Block)
	// Turn gets every turn when it has ended.
	Turn func(*Turn)
	// Message gets the time of every record of the user's and the assistant's
	// channel, sub-agents included.
	Message func(time.Time)
	// Line gets the raw lines of the main transcript, each before its blocks.
	Line func(*Line)
	// Fault gets every damaged place: a kind of damage, the file and the line.
	Fault func(kind string, file string, line int)
}
