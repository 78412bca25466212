package score

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/trial"
)

// trialCommand keeps score of directives on trial. The outputs and exit codes
// of its commands are those of the original helpers: 1 also for bad values.
type trialCommand struct {
	Review    trialReview   `cmd:"" help:"Say of each trial whose window is over: KEEP, REVERT or UNDECIDED."`
	Record    trialRecord   `cmd:"" help:"Append a decision that was taken to the audit file."`
	Parse     trialParse    `cmd:"" passthrough:"" help:"Take an annotated LINE apart: text, start, source and window, with tabs between. Exit 1 and silence for any other line."`
	Annotate  trialAnnotate `cmd:"" help:"Print the line with a trial annotation at its end."`
	Strip     trialStrip    `cmd:"" passthrough:"" help:"Print LINE without its trial annotation; any other line as it is."`
	IsElapsed trialElapsed  `cmd:"" help:"Tell whether the window of a trial is over: true or false."`
}

// lineArgument is the one LINE of parse and strip. It may look like a flag, as
// an item of a bulleted list does, so nothing is taken for one but a --json in
// front of it.
type lineArgument struct {
	Args []string `arg:"" optional:"" name:"line" help:"The line; --json before it prints a record."`
}

func (a *lineArgument) line(usage string) (line string, asJSON bool, err error) {
	args := a.Args
	if len(args) > 1 && args[0] == "--json" {
		args, asJSON = args[1:], true
	}
	if len(args) == 2 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) != 1 {
		return "", false, cli.Failf("usage: retro-score trial %s [--json] LINE", usage)
	}
	return args[0], asJSON, nil
}

type trialParse struct{ lineArgument }

// Run prints the parts of an annotated line.
func (c *trialParse) Run(env *cli.Env) error {
	line, asJSON, err := c.line("parse")
	if err != nil {
		return err
	}
	text, a, err := trial.Parse(line)
	switch {
	case errors.Is(err, trial.ErrPermanent):
		return cli.Exit(cli.ExitFailed)
	case err != nil:
		return cli.Failf("%s", err)
	case asJSON:
		return encode(env, record.TrialAnnotation{V: record.Version, Kind: record.KindTrialAnnotation, Text: valid(text),
			Start: a.Start.String(), Source: a.Source.String(), ReviewAfter: a.ReviewAfter.String()})
	}
	return printRow(env, text, a.Start, a.Source, a.ReviewAfter)
}

type trialStrip struct{ lineArgument }

// Run prints the line without its annotation.
func (c *trialStrip) Run(env *cli.Env) error {
	line, asJSON, err := c.line("strip")
	if err != nil {
		return err
	}
	stripped, err := trial.Strip(line)
	if err != nil {
		env.Diagnostics().Warn("trial", "", 0, err.Error()+", line left as it is")
	}
	return printLine(env, stripped, asJSON)
}

type trialAnnotate struct {
	Text        *string `placeholder:"LINE" help:"The directive's line. An annotation on it is replaced."`
	Start       string  `placeholder:"MOMENT" help:"When the trial begins: YYYY-MM-DD, or better YYYY-MM-DDTHH:MM:SSZ."`
	Source      string  `placeholder:"SESSION#ANCHOR" help:"The session that gave birth to the directive, and the message in it."`
	ReviewAfter string  `placeholder:"WINDOW" help:"How long the trial runs: N-sessions or N-days."`
	JSON        bool    `name:"json" help:"Print a record."`
}

// Run prints the annotated line.
func (c *trialAnnotate) Run(env *cli.Env) error {
	if c.Text == nil || *c.Text == "" || c.Start == "" || c.Source == "" || c.ReviewAfter == "" {
		return cli.Failf("trial annotate: --text --start --source --review-after required")
	}
	var a trial.Annotation
	var err error
	if a.Start, err = trial.ParseStart(c.Start); err == nil {
		if a.Source, err = trial.ParseSource(c.Source); err == nil {
			a.ReviewAfter, err = trial.ParseWindow(c.ReviewAfter)
		}
	}
	line := ""
	if err == nil {
		line, err = trial.Annotate(*c.Text, a)
	}
	if err != nil {
		return cli.Failf("trial annotate: %s", err)
	}
	return printLine(env, line, c.JSON)
}

type trialElapsed struct {
	Start             string `placeholder:"MOMENT" help:"When the trial began."`
	ReviewAfter       string `placeholder:"WINDOW" help:"N-sessions or N-days."`
	SessionMtimesFile string `placeholder:"FILE" help:"The times of the sessions, in seconds since 1970, one a line."`
	Today             string `placeholder:"DAY" help:"The day to count days to, YYYY-MM-DD (default: today, UTC)."`
	JSON              bool   `name:"json" help:"Print a record."`
}

// Run prints true or false.
func (c *trialElapsed) Run(env *cli.Env) error {
	if c.Start == "" || c.ReviewAfter == "" {
		return cli.Failf("trial is-elapsed: --start and --review-after required")
	}
	window, err := trial.ParseWindow(c.ReviewAfter)
	if err != nil {
		return cli.Failf("trial is-elapsed: %s", err)
	}
	start, err := trial.ParseStart(c.Start)
	if err != nil {
		return cli.Failf("trial is-elapsed: bad start date: %s", err)
	}
	today, err := day(c.Today, env)
	if err != nil {
		return err
	}
	elapsed := window.Elapsed(start, readTimes(c.SessionMtimesFile), today)
	if c.JSON {
		return encode(env, record.TrialElapsed{V: record.Version, Kind: record.KindTrialElapsed, Elapsed: elapsed})
	}
	fmt.Fprintln(env.Stdout, elapsed)
	return nil
}

// readTimes reads the lines that are all digits; a file that is not there has
// none.
func readTimes(path string) (times []time.Time) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if seconds, err := strconv.ParseUint(lines.Text(), 10, 40); err == nil {
			times = append(times, time.Unix(int64(seconds), 0))
		}
	}
	return times
}

// day is a --today flag, by default the clock's.
func day(text string, env *cli.Env) (time.Time, error) {
	if text == "" {
		return env.Now(), nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, cli.Failf("--today must be YYYY-MM-DD")
	}
	return t, nil
}

func printLine(env *cli.Env, line string, asJSON bool) error {
	if asJSON {
		return encode(env, record.TrialLine{V: record.Version, Kind: record.KindTrialLine, Line: valid(line)})
	}
	fmt.Fprintln(env.Stdout, line)
	return nil
}

func encode(env *cli.Env, v any) error { return ndjson.NewWriter(env.Stdout).Encode(v) }

// valid repairs text that goes into a record.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// printRow prints cells with tabs between them. A control character in a cell
// becomes a space, so that no text can add a cell or a row.
func printRow(env *cli.Env, cells ...any) error {
	for i, cell := range cells {
		if i > 0 {
			env.Stdout.WriteByte('\t')
		}
		env.Stdout.WriteString(strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, fmt.Sprint(cell)))
	}
	return env.Stdout.WriteByte('\n')
}
