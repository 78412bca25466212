package shell

import "strings"

// prefixes are the wrappers that only change how a command runs, with their
// options that take a value of their own.
var prefixes = map[string]set{
	"sudo":    newSet("-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -r --role -t --type -T --command-timeout -U --other-user"),
	"doas":    newSet("-u -C"),
	"env":     newSet("-u --unset -C --chdir"),
	"time":    newSet("-o --output -f --format"),
	"nohup":   nil,
	"command": nil,
	"builtin": nil,
	"exec":    newSet("-a"),
	"timeout": newSet("-s --signal -k --kill-after"),
	"nice":    newSet("-n --adjustment"),
	"stdbuf":  newSet("-i --input -o --output -e --error"),
	"setsid":  nil,
}

// shells read a script from `-c`, or from standard input.
var shells = newSet("bash sh zsh dash ksh")

// xargsValued are the options of xargs that take the next word.
var xargsValued = newSet("-I -n -P -L -d -s -a -E --replace --max-args --max-procs --max-lines --delimiter --max-chars --arg-file --eof")

// run adds a command and what it wraps. hereDoc is its standard input, when
// that stands in the line.
func (v *visitor) run(cmd Command, hereDoc string) {
	outer := v.via
	defer func() { v.via = outer }()
	cmd = v.unwrap(cmd)
	v.add(cmd)
	if v.level >= maxLevels {
		return
	}
	name := cmd.Program()
	if v.via == "" {
		v.via = name
	}
	switch {
	case shells[name]:
		if script, ok := shellScript(&cmd, hereDoc); ok {
			v.inside(script, cmd.Decides)
		}
	case name == "eval":
		v.inside(joined(cmd.Args[1:]), cmd.Decides)
	case name == "xargs":
		v.inner(Command{Args: wrapped(cmd.Args, xargsValued), Decides: cmd.Decides})
	case name == "find":
		for _, args := range executed(cmd.Args) {
			v.inner(Command{Args: args})
		}
	}
}

// unwrap takes the prefixes off a command. A prefix without a command (`sudo
// -v`, `env`) stays.
func (v *visitor) unwrap(cmd Command) Command {
	for range maxLevels {
		name := cmd.Program()
		valued, known := prefixes[name]
		if !known || name == "command" && cmd.Has("-v", "-V") {
			break
		}
		args := wrapped(cmd.Args, valued)
		for name == "env" && len(args) > 0 && isAssignment(args[0].Text) {
			variable, _, _ := strings.Cut(args[0].Text, "=")
			cmd.Env = append(cmd.Env, variable)
			args = args[1:]
		}
		for name == "sudo" && len(args) > 0 && isAssignment(args[0].Text) {
			args = args[1:]
		}
		if name == "timeout" && len(args) > 0 {
			args = args[1:] // the duration
		}
		if len(args) == 0 {
			break
		}
		if v.via == "" {
			v.via = name
		}
		cmd.Args = args
	}
	return cmd
}

// wrapped is the command after a wrapper's own options.
func wrapped(args []Word, valued set) []Word {
	for i := 1; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "--":
			return args[i+1:]
		case len(text) < 2 || text[0] != '-':
			return args[i:]
		case valued[text]:
			i++
		}
	}
	return nil
}

func isAssignment(text string) bool {
	name, _, found := strings.Cut(text, "=")
	return found && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// shellScript is the script that a shell is given: the word after the option
// with a `c` in it, or its standard input when it is given no file.
func shellScript(cmd *Command, hereDoc string) (string, bool) {
	for i := 1; i < len(cmd.Args); i++ {
		text := cmd.Args[i].Text
		switch {
		case text == "-o" || text == "-O" || text == "--rcfile" || text == "--init-file":
			i++
		case !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+"):
			return "", false // a script file
		case !strings.HasPrefix(text, "--") && strings.Contains(text, "c"):
			if i+1 == len(cmd.Args) {
				return "", false
			}
			return cmd.Args[i+1].Text, true
		}
	}
	return hereDoc, hereDoc != ""
}

// executed are the commands that find runs: after -exec and its kin up to `;`
// or `+`.
func executed(args []Word) [][]Word {
	var out [][]Word
	for i := 1; i < len(args); i++ {
		switch args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			start := i + 1
			for i = start; i < len(args) && args[i].Text != ";" && args[i].Text != "+"; i++ {
			}
			out = append(out, args[start:i])
		}
	}
	return out
}

func joined(words []Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// inside visits a script one level down, in a shell of its own.
func (v *visitor) inside(script string, decides bool) {
	outer := *v
	v.level++
	v.decides = decides
	v.errexit, v.pipefail = false, false
	v.script(script)
	v.level, v.decides, v.dir = outer.level, outer.decides, outer.dir
	v.errexit, v.pipefail = outer.errexit, outer.pipefail
}

// inner runs a command one level down.
func (v *visitor) inner(cmd Command) {
	if len(cmd.Args) == 0 {
		return
	}
	v.level++
	v.inSubshell(func() { v.run(cmd, "") })
	v.level--
}
