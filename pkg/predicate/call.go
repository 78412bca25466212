package predicate

import (
	"strings"

	"retro/pkg/ndjson"
	"retro/pkg/shell"
)

// Call is a tool call, as a transcript or a hook's payload shows it. Empty
// fields were not in its input.
type Call struct {
	// Tool is the tool's name as the agent writes it.
	Tool string
	// Path is the file that the call is about, as written.
	Path string
	// Command is the line of a shell tool.
	Command string
	// Skill is the name of the skill that is called; Agent the type of the
	// sub-agent, or what it is described as.
	Skill, Agent string
	// Dir is the working directory, absolute, or empty when it is not known.
	Dir string
	// Input is the whole input as JSON, for the questions that need the text of
	// an edit; nil when it is gone.
	Input ndjson.Raw

	commands []shell.Command
	parsed   bool

	looked, mayInstall bool // of installers
}

// NewCall reads a call from the input of a tool. Input that is no JSON object
// gives a call without fields.
func NewCall(tool string, input ndjson.Raw, dir string) *Call {
	var in struct {
		FilePath, NotebookPath, Path, Command, Skill, SkillName, SubagentType, Description ndjson.Raw
	}
	fields := map[string]*ndjson.Raw{
		"file_path": &in.FilePath, "notebook_path": &in.NotebookPath, "path": &in.Path, "command": &in.Command,
		"skill": &in.Skill, "skill_name": &in.SkillName, "subagent_type": &in.SubagentType, "description": &in.Description,
	}
	readMembers(input, fields)
	c := &Call{
		Tool:    tool,
		Path:    firstText(in.FilePath, in.NotebookPath, in.Path),
		Command: firstText(in.Command),
		Skill:   firstText(in.Skill, in.SkillName),
		Dir:     dir,
		Input:   input,
	}
	if isDelegation(tool) {
		c.Agent = firstText(in.SubagentType, in.Description)
	}
	return c
}

// readMembers picks members of a JSON object by exact name.
func readMembers(object ndjson.Raw, fields map[string]*ndjson.Raw) {
	var w ndjson.Walker
	w.Reset(object)
	w.Members(func(key []byte, v ndjson.Value) bool {
		if into := fields[string(key)]; into != nil {
			*into = ndjson.Raw(v)
		}
		return true
	})
}

// firstText is the first of the values that is a string with something in it.
func firstText(values ...ndjson.Raw) string {
	for _, v := range values {
		if s := text(v); s != "" {
			return s
		}
	}
	return ""
}

func text(v ndjson.Raw) string {
	var s string
	if len(v) == 0 || v[0] != '"' || ndjson.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// IsEdit tells whether the call changes a file through an edit tool.
func (c *Call) IsEdit() bool {
	switch c.Tool {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return true
	}
	return false
}

// IsShell tells whether the call runs a shell line.
func (c *Call) IsShell() bool { return c.Tool == "Bash" || c.Tool == "PowerShell" }

// IsSearch tells whether the call searches the files: the tools that the rule
// graph-first is about. Reading a file is no search, and neither is a grep in
// the shell, which filters output as often as it looks for code.
func (c *Call) IsSearch() bool { return c.Tool == "Grep" || c.Tool == "Glob" }

// isDelegation tells whether the tool starts a sub-agent.
func isDelegation(tool string) bool { return tool == "Task" || tool == "Agent" }

// Commands are the simple commands of a shell call. They are parsed once.
func (c *Call) Commands() []shell.Command {
	if !c.parsed && c.IsShell() {
		c.commands = shell.Commands(c.line())
	}
	c.parsed = true
	return c.commands
}

// line is the command with the path separators of the other shell turned to
// ours: PowerShell escapes with a backquote, and `\` is no escape there.
func (c *Call) line() string {
	if c.Tool == "PowerShell" {
		return strings.NewReplacer(`\`, "/", "`\n", " ").Replace(c.Command)
	}
	return c.Command
}
