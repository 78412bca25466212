package shell

import (
	"path"
	"strings"
)

// Word is one word of a command, without its quotes.
type Word struct {
	// Text is the value. Parts that are known only at run time stand as `$NAME`
	// (a variable) or `$()` (everything else).
	Text string
	// Dynamic tells that there are such parts.
	Dynamic bool
}

// Command is one simple command of a line.
type Command struct {
	// Args are the program and its arguments. Empty when a redirect stands
	// alone.
	Args []Word
	// Env are the names of the variables set for this command alone; values are
	// not kept, they hold secrets.
	Env []string
	// Inputs and Outputs are the files it is redirected from and to.
	Inputs, Outputs []Word
	// Dir is where an earlier `cd` of the line went, as written; empty where the
	// line started, dynamic when it cannot be known.
	Dir Word
	// Via is the outermost wrapper the command was found in (`sudo`, `bash`,
	// `xargs`, `find` ...), or empty.
	Via string
	// Decides tells that a non-zero exit of the whole line can be the exit of
	// this command.
	Decides bool
	// Guessed marks a command of a line that could not be parsed.
	Guessed bool
}

// Program is the name of the program without its directory and without `.exe`;
// empty when it is known only at run time or there is none.
func (c *Command) Program() string {
	if len(c.Args) == 0 || c.Args[0].Dynamic {
		return ""
	}
	return baseName(c.Args[0].Text)
}

func baseName(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return strings.TrimSuffix(path.Base(file), ".exe")
}

// Operands are the arguments after the program that are not options. An option
// is what starts with `-` before a bare `--`; valued tells whether an option,
// given without `=`, takes the next word with it, nil that none does.
func (c *Command) Operands(valued func(option string) bool) []Word {
	if len(c.Args) == 0 {
		return nil
	}
	var out []Word
	for i := 1; i < len(c.Args); i++ {
		arg := c.Args[i]
		switch {
		case arg.Text == "--":
			return append(out, c.Args[i+1:]...)
		case len(arg.Text) < 2 || arg.Text[0] != '-':
			out = append(out, arg)
		case valued != nil && valued(arg.Text):
			i++
		}
	}
	return out
}

// Has tells whether one of the words is among the arguments.
func (c *Command) Has(words ...string) bool {
	for i := 1; i < len(c.Args); i++ {
		for _, w := range words {
			if c.Args[i].Text == w {
				return true
			}
		}
	}
	return false
}

// setup are the commands that only prepare the shell for the ones that follow.
var setup = newSet("cd pushd popd export set unset source . ulimit umask shopt alias trap : true")

// Program names what a line is about: the program of its first command, after
// those that only prepare the shell (`cd web && make` is about make), without
// assignments and wrappers. Only names of the form [A-Za-z0-9._+-]{1,40} are
// given, anything else is `other`; a line without a command has no name. (Rules
// specification, command identity, as mended there.)
func Program(line string) string {
	commands := Commands(line)
	if len(commands) == 0 {
		return ""
	}
	first := &commands[0]
	for i := range commands {
		if !setup[commands[i].Program()] {
			first = &commands[i]
			break
		}
	}
	name := first.Program()
	if name == "" || len(name) > 40 || strings.Trim(name, programSet) != "" {
		return "other"
	}
	return name
}

const programSet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

// set is a closed list of words.
type set map[string]bool

func newSet(words string) set {
	s := make(set)
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
