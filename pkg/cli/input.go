package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"retro/pkg/ndjson"
)

// Input is where a filter's records come from. A command embeds it in its
// grammar.
type Input struct {
	Files  []string `arg:"" optional:"" name:"file" help:"Files of records; - is standard input, which is read when no file is named."`
	Strict bool     `help:"Exit 1 when a line could not be read as a record."`
}

// Line is one line of the input that is not blank.
type Line struct {
	// File is the name as it was given, - for standard input.
	File string
	// Number counts from 1.
	Number int
	// Bytes is the line without its end, valid until the next line.
	Bytes []byte

	input *Input
	env   *Env
}

// Bad says on stderr that the line is skipped and why; the message must not
// quote it.
func (l *Line) Bad(message string) {
	if l.input.Strict {
		l.env.Diagnostics().Fail("malformed", l.File, l.Number, message)
	} else {
		l.env.Diagnostics().Warn("malformed", l.File, l.Number, message)
	}
}

// Note says something about the line on stderr that is no fault of it.
func (l *Line) Note(message string) {
	l.env.Diagnostics().Warn("note", l.File, l.Number, message)
}

// Each calls f for every line of the files, in order, until f fails. A file
// that cannot be read is said on stderr and makes the exit code 1. usage is the
// answer to somebody who started the program with nothing to read.
func (in *Input) Each(env *Env, usage string, f func(*Line) error) error {
	files := in.Files
	if len(files) == 0 {
		if env.StdinTerminal {
			return ShortHelp(env, usage)
		}
		files = []string{"-"}
	}
	lines := ndjson.NewLines(nil)
	for _, name := range files {
		if err := in.eachOf(env, name, lines, f); err != nil {
			return err
		}
	}
	return nil
}

func (in *Input) eachOf(env *Env, name string, lines *ndjson.Lines, f func(*Line) error) error {
	r, err := open(env, name)
	if err != nil {
		env.Diagnostics().Fail("open", name, 0, Reason(err))
		return nil
	}
	defer r.Close()
	lines.Reset(r)
	for lines.Next() {
		l := lines.Line()
		if len(l.Bytes) == 0 && !l.Lost {
			continue
		}
		if err := f(&Line{File: name, Number: l.Number, Bytes: l.Bytes, input: in, env: env}); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		env.Diagnostics().Fail("read", name, 0, Reason(err))
	}
	return nil
}

func open(env *Env, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.Stdin), nil
	}
	return os.Open(name)
}

// Reason is what went wrong with a file, without its path, which diagnostics
// print themselves.
func Reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "file not found"
	}
	return err.Error()
}
