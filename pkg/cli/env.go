package cli

import (
	"bufio"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Env is everything a command may know of the world. Nothing below this
// package reads the clock, the environment, the zone, the home directory or a
// standard stream: a command takes what it needs from here and passes it down,
// so a test can run any command in process, twice, with the same result.
type Env struct {
	// Program is the name of the binary, the prefix of every diagnostic.
	Program string
	// Stdin, Stdout and Stderr are the three streams. Stdout is buffered;
	// [Run] flushes it.
	Stdin  io.Reader
	Stdout *bufio.Writer
	Stderr io.Writer
	// StdinTerminal, StdoutTerminal and StderrTerminal tell whether the stream
	// is a terminal.
	StdinTerminal  bool
	StdoutTerminal bool
	StderrTerminal bool
	// StdoutPipe tells whether a program reads standard output through a pipe.
	StdoutPipe bool
	// Getenv looks up an environment variable; "" when unset.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// Home is the user's home directory, "" when unknown.
	Home string
	// Dir is the working directory.
	Dir string

	diag *Diagnostics
}

// OSEnv is the environment of the running process.
func OSEnv(program string) *Env {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	return &Env{
		Program:        program,
		Stdin:          os.Stdin,
		Stdout:         bufio.NewWriterSize(os.Stdout, 64<<10),
		Stderr:         os.Stderr,
		StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		StdoutPipe:     isPipe(os.Stdout),
		Getenv:         os.Getenv,
		Now:            time.Now,
		Home:           home,
		Dir:            dir,
	}
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// Diagnostics is where the command says what it could not read.
func (e *Env) Diagnostics() *Diagnostics {
	if e.diag == nil {
		e.diag = &Diagnostics{program: e.Program, w: e.Stderr}
	}
	return e.diag
}
