package transcript

import (
	"errors"
	"io"
	"slices"

	"retro/pkg/ndjson"
)

// Hook is the input of a Claude Code hook, as far as anybody here needs it: the
// fields that say which call of which session it is about. File contents, tool
// outputs and error texts are skipped while it is read. A field
// that is missing or of another type is empty.
type Hook struct {
	Event          string // hook_event_name
	SessionID      string
	TranscriptPath string
	Cwd            string
	// AgentID is set when a sub-agent makes the call.
	AgentID string

	// Source tells why a session starts: startup, resume, clear or compact.
	Source string
	// Prompt is the text of a UserPromptSubmit.
	Prompt string

	// Tool, ToolUseID and Input belong to the events about a tool call.
	Tool      string
	ToolUseID string
	Input     HookInput
	// EditText is the whole input of an edit, when the event is not longer than
	// [MaxEditText]; empty otherwise.
	EditText string
}

// MaxEditText is the length in bytes up to which the event of an edit is kept
// whole: a manifest of dependencies, whose text a rule looks at, is shorter.
const MaxEditText = 256 << 10

// HookInput is the part of a tool's input that rules look at.
type HookInput struct {
	FilePath     string
	NotebookPath string
	Path         string
	Command      string
	Skill        string // skill or skill_name
	SubagentType string
	Description  string
}

// File is the file that the call is about: the first of file_path,
// notebook_path and path that is not empty.
func (in HookInput) File() string {
	for _, path := range []string{in.FilePath, in.NotebookPath, in.Path} {
		if path != "" {
			return path
		}
	}
	return ""
}

// ErrNoHook is the error of an input that is not one whole JSON object.
var ErrNoHook = errors.New("hook input is not a JSON object")

// hookFields and inputFields are the wanted keys.
var (
	hookFields = []string{
		"hook_event_name", "session_id", "transcript_path", "cwd", "agent_id",
		"source", "prompt", "tool_name", "tool_use_id", "tool_input",
	}
	inputFields = []string{
		"file_path", "notebook_path", "path", "command",
		"skill", "skill_name", "subagent_type", "description",
	}
)

// ReadHook reads a hook's input to its end, whatever its size; memory grows
// with the wanted fields only.
func ReadHook(r io.Reader) (*Hook, error) {
	var start keptStart
	text, err := ndjson.ReadObject(io.TeeReader(r, &start), wantsHookField)
	if err == ndjson.ErrTooLong {
		return nil, err
	}
	h := new(Hook)
	if err != nil || !walkStrings(text, h.set) {
		return nil, ErrNoHook
	}
	if h.Event == "PreToolUse" && h.Input.File() != "" && !start.over {
		walkStrings(start.text, func(key string, v ndjson.Value) bool {
			if key == "tool_input" {
				h.EditText = string(v)
			}
			return true
		})
	}
	return h, nil
}

// keptStart keeps what is written to it until that is too much.
type keptStart struct {
	text []byte
	over bool
}

func (h *keptStart) Write(b []byte) (int, error) {
	if h.over = h.over || len(h.text)+len(b) > MaxEditText; h.over {
		h.text = nil
	} else {
		h.text = append(h.text, b...)
	}
	return len(b), nil
}

func wantsHookField(outer, inner string) bool {
	if inner == "" {
		return slices.Contains(hookFields, outer)
	}
	return outer != "tool_input" || slices.Contains(inputFields, inner)
}

func (h *Hook) set(key string, v ndjson.Value) bool {
	switch key {
	case "hook_event_name":
		h.Event = v.String()
	case "session_id":
		h.SessionID = v.String()
	case "transcript_path":
		h.TranscriptPath = v.String()
	case "cwd":
		h.Cwd = v.String()
	case "agent_id":
		h.AgentID = v.String()
	case "source":
		h.Source = v.String()
	case "prompt":
		h.Prompt = v.String()
	case "tool_name":
		h.Tool = v.String()
	case "tool_use_id":
		h.ToolUseID = v.String()
	case "tool_input":
		h.Input = HookInput{}
		return v.Kind() != ndjson.Object || walkStrings(v, h.Input.set)
	}
	return true
}

func (in *HookInput) set(key string, v ndjson.Value) bool {
	switch key {
	case "file_path":
		in.FilePath = v.String()
	case "notebook_path":
		in.NotebookPath = v.String()
	case "path":
		in.Path = v.String()
	case "command":
		in.Command = v.String()
	case "skill", "skill_name":
		if text := v.String(); text != "" {
			in.Skill = text
		}
	case "subagent_type":
		in.SubagentType = v.String()
	case "description":
		in.Description = v.String()
	}
	return true
}

// walkStrings gives each member of the object to set, which says false to stop,
// and tells whether all of it was JSON.
func walkStrings(object []byte, set func(key string, v ndjson.Value) bool) bool {
	var w ndjson.Walker
	w.Reset(object)
	return w.Members(func(key []byte, v ndjson.Value) bool { return set(string(key), v) })
}
