package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit codes of every filter.
const (
	ExitDone    = 0  // done, also when nothing was found
	ExitFailed  = 1  // a file or directory could not be read; what could be is on stdout
	ExitUsage   = 2  // bad usage, and a hook that means to block
	ExitMatched = 3  // only with --exit-code: the thing looked for was found
	ExitHeld    = 75 // lock run: somebody else holds the lock
)

// ExitError ends a command with a code and, when Message is not empty, one
// line on stderr.
type ExitError struct {
	Code    int
	Message string
}

func (e *ExitError) Error() string { return e.Message }

// Exit ends a command with the code and prints nothing more.
func Exit(code int) error { return &ExitError{Code: code} }

// Failf ends a command with exit code 1 and a message.
func Failf(format string, args ...any) error {
	return &ExitError{Code: ExitFailed, Message: fmt.Sprintf(format, args...)}
}

// Usagef ends a command with exit code 2 and a message.
func Usagef(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Message: fmt.Sprintf(format, args...)}
}

// Program is one of the five binaries.
type Program struct {
	// Name is the name of the binary.
	Name string
	// Manual is the source of its main.go: the package comment there is the
	// manual page that --help prints before the flags.
	Manual string
	// Grammar makes the kong grammar: a pointer to a struct whose commands
	// have a Run(*Env) error method.
	Grammar func() any
	// Direct, when not nil, is asked first for the command that the arguments
	// mean; what it returns runs without the flag parser. It is for a hook,
	// where half a millisecond counts.
	Direct func(args []string) func(*Env) error
	// Schema is what --schema prints: the JSON Schema of the records the
	// program writes. Nil when it writes none.
	Schema func() []byte
}

// Main runs the program with the process's own streams and arguments and ends
// the process with its exit code.
func Main(p Program) {
	os.Exit(Run(p, os.Args[1:], OSEnv(p.Name)))
}

// Run runs the program in process and returns its exit code.
func Run(p Program, args []string, env *Env) int {
	err := dispatch(p, args, env)
	if flushErr := env.Stdout.Flush(); err == nil && flushErr != nil {
		err = Failf("write error on standard output")
	}
	env.Diagnostics().Close()
	return exitCode(env, err)
}

func exitCode(env *Env, err error) int {
	var exit *ExitError
	switch {
	case err == nil && env.Diagnostics().Failed():
		return ExitFailed
	case err == nil:
		return ExitDone
	case !errors.As(err, &exit):
		exit = &ExitError{Code: ExitFailed, Message: err.Error()}
	}
	if exit.Message != "" {
		fmt.Fprintf(env.Stderr, "%s: %s\n", env.Program, exit.Message)
	}
	return exit.Code
}

// stop carries an exit request of kong (--help) out of the parser, which
// otherwise assumes that the process is gone.
type stop struct{ code int }

func dispatch(p Program, args []string, env *Env) (err error) {
	if code, done := plainFlags(p, args, env); done {
		return Exit(code)
	}
	if p.Direct != nil {
		if run := p.Direct(args); run != nil {
			return run(env)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = Exit(s.code)
		}
	}()
	parser, err := newParser(p, env)
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return Usagef("%s", err)
	}
	return ctx.Run(env)
}

// plainFlags handles --version and --schema where they stand first.
func plainFlags(p Program, args []string, env *Env) (code int, done bool) {
	if len(args) != 1 {
		return 0, false
	}
	switch args[0] {
	case "--version":
		fmt.Fprintf(env.Stdout, "%s %s\n", p.Name, Version())
		return ExitDone, true
	case "--schema":
		if p.Schema == nil {
			fmt.Fprintf(env.Stderr, "%s: writes no records\n", p.Name)
			return ExitUsage, true
		}
		env.Stdout.Write(p.Schema())
		return ExitDone, true
	}
	return 0, false
}

func newParser(p Program, env *Env) (*kong.Kong, error) {
	return kong.New(p.Grammar(),
		kong.Name(p.Name),
		kong.Description(manual(p.Manual)),
		kong.Writers(env.Stdout, env.Stderr),
		kong.Exit(func(code int) { panic(stop{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, NoAppDescFormat: true}),
		kong.Help(help),
		kong.Bind(env),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
	)
}

// manual is the package comment of a main.go.
func manual(source string) string {
	comment, _, _ := strings.Cut(source, "\npackage ")
	var out bytes.Buffer
	for _, line := range strings.Split(comment, "\n") {
		line = strings.TrimPrefix(line, "//")
		out.WriteString(strings.TrimPrefix(line, " "))
		out.WriteByte('\n')
	}
	return strings.TrimSpace(out.String())
}

// Version is the module's version as the go command recorded it, "(devel)" in
// a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version + " " + info.GoVersion
}

// ShortHelp is the answer of a filter that was started by hand with nothing to
// read: one line, and exit code 2.
func ShortHelp(env *Env, usage string) error {
	return Usagef("nothing to read: %s (--help tells more)", usage)
}

// NotYet is the answer of a command whose job is not built.
func NotYet(what string) error { return Usagef("%s: not available in this version", what) }

// verbatim takes an argument as it is. The flag library sends it through its
// JSON package, which replaces the bytes of a file name that is not UTF-8.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(token.String())
	return nil
}
