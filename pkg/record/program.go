package record

import (
	"slices"
	"strings"

	"retro/pkg/ndjson"
)

// Program is the name of the program that a shell command runs: letters,
// digits and `. _ + -`, at most 40 bytes, else the word `other`. It never holds
// an argument or an environment assignment.
type Program struct{ word }

var otherProgram = Program{word{"other"}}

// UnmarshalJSON reads a program's name, anything else as `other`.
func (p *Program) UnmarshalJSON(data []byte) error {
	var s string
	if string(data) == "null" {
		*p = Program{}
		return nil
	}
	if err := ndjson.Unmarshal(data, &s); err != nil {
		return err
	}
	*p = checkedProgram(s)
	return nil
}

func checkedProgram(s string) Program {
	switch {
	case s == "":
		return Program{}
	case len(s) > 40, strings.Trim(s, alphanumerics+"._+-") != "":
		return otherProgram
	}
	return Program{word{s}}
}

// NewProgram names the program of a shell command (rules specification, command
// identity): the last path element of its first word. Skipped before it are
// comment lines, opening brackets, `NAME=value`, the wrappers sudo, env,
// command, time and nohup with their options, and `cd DIR &&`. The empty
// command has no program; a command whose program cannot be told is `other`.
//
// Note: this is no shell parser on purpose. Only the head of the command is
// read, so a command that no parser accepts still has a name.
func NewProgram(command string) Program {
	if strings.TrimSpace(command) == "" {
		return Program{}
	}
	h := &commandHead{rest: command}
	for {
		switch name := h.next(); {
		case name == "":
			return otherProgram
		case isAssignment(name):
		case slices.Contains(wrappers, name):
			h.skipOptions(optionsWithValue[name])
		case name == "cd":
			if !h.skipChange() {
				return checkedProgram(name)
			}
		default:
			return checkedProgram(baseName(name))
		}
	}
}

var wrappers = []string{"sudo", "env", "command", "time", "nohup"}

// optionsWithValue are the options of a wrapper that take the next word along.
var optionsWithValue = map[string][]string{
	"sudo": {"-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D", "-R", "-U"},
	"env":  {"-u", "-C", "-S"},
	"time": {"-f", "-o"},
}

// commandHead walks over the first words of a command.
type commandHead struct{ rest string }

// next takes the next word without its quotes; "" at the end of the simple
// command or when a quote is not closed.
func (h *commandHead) next() string {
	h.rest = skipComments(h.rest)
	word, rest, ok := cutWord(h.rest)
	if !ok {
		return ""
	}
	h.rest = rest
	return word
}

func (h *commandHead) skipOptions(withValue []string) {
	for {
		rest := strings.TrimLeft(h.rest, " \t")
		if !strings.HasPrefix(rest, "-") {
			return
		}
		h.rest = rest
		if option := h.next(); option == "" || slices.Contains(withValue, option) && h.next() == "" {
			return
		}
	}
}

// skipChange steps over the directory of a cd and the separator after it.
func (h *commandHead) skipChange() bool {
	if h.next() == "" {
		return false
	}
	rest := strings.TrimLeft(h.rest, " \t")
	for _, separator := range []string{"&&", ";", "\n"} {
		if after, found := strings.CutPrefix(rest, separator); found {
			h.rest = after
			return true
		}
	}
	return false
}

// skipComments steps over white space, opening brackets and whole comments.
func skipComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n({")
		if !strings.HasPrefix(s, "#") {
			return s
		}
		_, s, _ = strings.Cut(s, "\n")
	}
}

// cutWord cuts the first shell word off s and takes its quotes away.
func cutWord(s string) (word, rest string, ok bool) {
	var quote byte
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(" \t\r\n;&|()<>", c) >= 0:
			return b.String(), s[i:], true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", quote == 0
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	name = strings.TrimSuffix(name, "+")
	return found && name != "" && strings.Trim(name, alphanumerics+"_") == ""
}

func baseName(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
