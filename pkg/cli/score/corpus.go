package score

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/corpus"
	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// corpusCommand keeps and runs the regression cases of hooks.
type corpusCommand struct {
	Build corpusBuild `cmd:"" help:"Append labelled blocks to the corpus."`
	Run   corpusRun   `cmd:"" help:"Run the corpus against a hook: one verdict a case, exit code 1 when the hook fails it."`
}

// corpusBuild appends a segment.
type corpusBuild struct {
	cli.Input
	Labels string `required:"" placeholder:"FILE" help:"The labels: home, layout, and an expected answer or a reason to skip for every block."`
	Cases  string `default:"hook-cases.jsonl" placeholder:"FILE" help:"The corpus (${default})."`
}

// Help says what a segment is.
func (*corpusBuild) Help() string {
	return `Reads blocks (retro-scan blocks) and appends them, with their labels, as a segment to the corpus. Every block needs a label, every label a block; otherwise all faults are named and nothing is written.`
}

// Run builds a segment of the blocks and writes the corpus.
func (c *corpusBuild) Run(env *cli.Env) error {
	blocks, err := c.readBlocks(env)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(c.Labels)
	if err != nil {
		return cli.Failf("%s: %s", c.Labels, cli.Reason(err))
	}
	labels, err := corpus.ReadLabels(data)
	if err != nil {
		return failEach(env, c.Labels, err)
	}
	text, err := os.ReadFile(c.Cases)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Failf("%s: %s", c.Cases, cli.Reason(err))
	}
	old := corpus.Read(text)
	segment, err := corpus.Build(old, blocks, labels)
	if err != nil {
		return failEach(env, c.Labels, err)
	}
	if err := ndjson.WriteFile(c.Cases, old.Append(segment), 0o600); err != nil {
		return cli.Failf("%s: %s", c.Cases, cli.Reason(err))
	}
	return nil
}

// readBlocks reads the blocks of all inputs; a line that cannot be read is a
// block lost, so nothing is built then.
func (c *corpusBuild) readBlocks(env *cli.Env) (blocks []record.Block, err error) {
	c.Strict = true
	err = c.Each(env, "retro-score corpus build --labels FILE [BLOCKS...]", func(l *cli.Line) error {
		kind, ok := record.KindOf(l.Bytes)
		switch {
		case !ok:
			l.Bad("not a record")
			return nil
		case kind != record.KindBlock:
			return nil
		}
		var b record.Block
		if ndjson.Unmarshal(l.Bytes, &b) != nil || b.ID.IsZero() {
			l.Bad("not a block that can be labelled")
			return nil
		}
		blocks = append(blocks, b)
		return nil
	})
	if err == nil && env.Diagnostics().Failed() {
		err = cli.Exit(cli.ExitFailed)
	}
	return blocks, err
}

// failEach prints every error of a joined one and ends with exit code 1.
func failEach(env *cli.Env, file string, err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			failEach(env, file, one)
		}
	} else {
		env.Diagnostics().Fail(err.Error(), file, 0, err.Error())
	}
	return cli.Exit(cli.ExitFailed)
}

// corpusRun runs the corpus.
type corpusRun struct {
	Hook    string        `required:"" placeholder:"CMD" help:"The hook: a shell command that reads a tool call on stdin."`
	Timeout time.Duration `default:"10s" help:"How long one answer may take (${default})."`
	Keep    bool          `help:"Leave the sandboxes on disk and say where."`
	Cases   string        `arg:"" optional:"" default:"hook-cases.jsonl" name:"cases" help:"The corpus (${default}); - is stdin."`
}

// Run runs every case in the sandbox of its segment.
func (c *corpusRun) Run(env *cli.Env) error {
	text, name, err := c.read(env)
	if err != nil {
		return err
	}
	all := corpus.Read(text)
	for _, f := range all.Faults {
		env.Diagnostics().Fail("malformed", name, f.Line, f.Message)
	}
	dir, err := os.MkdirTemp(env.Getenv("TMPDIR"), "retro-corpus-")
	if err != nil {
		return cli.Failf("no temporary directory for the sandboxes")
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return cli.Failf("no temporary directory for the sandboxes")
	}
	if c.Keep {
		fmt.Fprintf(env.Stderr, "%s: sandboxes in %s\n", env.Program, dir)
	} else {
		defer os.RemoveAll(dir)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := corpusRunner{env: env, name: name, out: ndjson.NewWriter(env.Stdout), hook: corpus.NewHook(c.Hook, env.Dir, c.Timeout)}
	for i := range all.Segments {
		run.segment(ctx, filepath.Join(dir, "seg-"+strconv.Itoa(i+1)), i+1, &all.Segments[i])
	}
	return run.end(ctx)
}

func (c *corpusRun) read(env *cli.Env) (text []byte, name string, err error) {
	if c.Cases == "-" {
		text, err = io.ReadAll(env.Stdin)
		return text, "stdin", err
	}
	if text, err = os.ReadFile(c.Cases); err != nil {
		return nil, "", cli.Failf("%s: %s", c.Cases, cli.Reason(err))
	}
	return text, c.Cases, nil
}

// corpusRunner runs segments and counts.
type corpusRunner struct {
	env   *cli.Env
	name  string // of the corpus
	out   *ndjson.Writer
	hook  *corpus.Hook
	tally corpus.Tally
}

func (r *corpusRunner) segment(ctx context.Context, dir string, n int, s *corpus.Segment) {
	box, err := corpus.NewSandbox(ctx, dir, r.env.Getenv("PATH"), &s.Segment)
	if err != nil && ctx.Err() == nil {
		r.env.Diagnostics().Fail("sandbox", r.name, s.Line, "the sandbox cannot be made: "+cli.Reason(err))
	}
	for i := range s.Cases {
		if ctx.Err() != nil {
			return
		}
		one := &s.Cases[i]
		v := r.hook.Run(ctx, box, n, &one.Case)
		r.tally.Add(v)
		r.out.Encode(v)
		r.say(v, one.Line)
	}
}

// say names on stderr what a person has to look at.
func (r *corpusRunner) say(v record.CaseVerdict, line int) {
	switch {
	case v.Fault != "":
		r.env.Diagnostics().Warn("FAIL", r.name, line, fmt.Sprintf("FAIL %s: %s", v.ID, v.Fault))
	case v.Result == record.CaseFail:
		r.env.Diagnostics().Warn("FAIL", r.name, line, fmt.Sprintf("FAIL %s: expected %s, got %s", v.ID, v.Want, v.Got))
	case v.Result == record.CaseKnown, v.Result == record.CaseKnownFixed:
		r.env.Diagnostics().Warn(v.Result.String(), r.name, line, fmt.Sprintf("%s %s: %s", v.Result, v.Known, v.ID))
	}
}

func (r *corpusRunner) end(ctx context.Context) error {
	if ctx.Err() != nil {
		return cli.Failf("interrupted")
	}
	fmt.Fprintln(r.env.Stderr, r.tally.String())
	if r.tally.Wrong > 0 {
		return cli.Exit(cli.ExitFailed)
	}
	return nil
}
