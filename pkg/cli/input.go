package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Input is where a filter's records come from. A command embeds it in its
// grammar.
type Input struct {
	Files  []string `arg:"" optional:"" name:"file" help:"Files of records; - is standard input, which is read when no file is named."`
	Strict bool     `help:"Exit 1 when a line could not be read as a record."`
}

// Line is one record of the input with its place. A line of the input holds one,
// and several when the writer's line ends were lost.
type Line struct {
	// File is the name as it was given, - for standard input.
	File string
	// Number is that of the line and counts from 1.
	Number int
	// Bytes is the record, or the whole line when no record could be found on
	// it. It is valid until the next one.
	Bytes []byte
	// Object tells that Bytes is one JSON object, and Envelope are its members.
	Object   bool
	Envelope record.Envelope

	whole []byte // the line without its end; nil but for its first record
	input *Input
	env   *Env
}

// Copy writes the line through as it came, once, however many records it holds.
func (l *Line) Copy(w *ndjson.Writer) error {
	if l.whole == nil {
		return nil
	}
	return w.Copy(l.whole)
}

// Bad says on stderr that the line is skipped and why; the message must not
// quote it.
func (l *Line) Bad(message string) { l.fault("malformed", message) }

func (l *Line) fault(kind, message string) {
	say := l.env.Diagnostics().Warn
	if l.input.Strict {
		say = l.env.Diagnostics().Fail
	}
	say(kind, l.File, l.Number, message)
}

// Note says something about the line on stderr that is no fault of it.
func (l *Line) Note(message string) {
	l.env.Diagnostics().Warn("note", l.File, l.Number, message)
}

// Each calls f for every record of the files, in order, until f fails. Damage
// that left something readable on a line is said on stderr. A file
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
	lines.Mark()
	var one Line // for all of them
	var w ndjson.Walker
	for lines.Next() {
		l := lines.Line()
		if len(l.Bytes) == 0 && !l.Lost {
			continue
		}
		one = Line{File: name, Number: l.Number, whole: l.Bytes, input: in, env: env}
		if err := in.records(&w, l, &one, f); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		env.Diagnostics().Fail("read", name, 0, Reason(err))
	}
	return nil
}

// records calls f for what stands on a line. Nearly every line is one record;
// on another one the whole objects are looked for. The walk that tells is the only
// one over the envelope of a record.
func (in *Input) records(w *ndjson.Walker, line *ndjson.Line, l *Line, f func(*Line) error) error {
	text := line.Bytes
	w.ResetLine(line, text)
	l.Bytes = text
	if l.Object = l.Envelope.Read(w); l.Object {
		return f(l)
	}
	l.Envelope = record.Envelope{}
	w.ResetMarked(text)
	if _, ok := w.Value(); ok && w.End() {
		return f(l)
	}
	found := ndjson.Recover(text)
	if len(found.Records) == 0 {
		return f(l)
	}
	for _, fault := range found.Faults {
		l.fault(string(fault), FaultText(string(fault)))
	}
	for _, text := range found.Records {
		w.ResetMarked(text)
		l.Bytes, l.Object = text, l.Envelope.Read(w)
		if err := f(l); err != nil {
			return err
		}
		l.whole = nil
	}
	return nil
}

// FaultText is what a kind of damage to a line is called on stderr.
func FaultText(kind string) string {
	switch ndjson.Fault(kind) {
	case ndjson.BOM:
		return "byte order mark before the first record"
	case ndjson.NULs:
		return "NUL bytes between records"
	case ndjson.Joined:
		return "several records on one line"
	case ndjson.Spliced:
		return "record cut short, the next one behind it"
	case ndjson.TooLong:
		return "line too long to be kept"
	}
	return "malformed line"
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
