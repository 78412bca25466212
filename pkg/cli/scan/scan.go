// Package scan holds the commands of retro-scan, one file a command.
package scan

import (
	"cmp"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-scan",
		Manual:  manual,
		Schema:  func() []byte { return record.Schema("retro-scan") },
		Grammar: func() any { return new(grammar) },
		Direct:  directHook,
	}
}

type grammar struct {
	Scan     scanCommand     `cmd:"" default:"withargs" help:"Read transcripts and write their signals (the default)."`
	Hook     hookCommand     `cmd:"" help:"Be a hook of a running agent session: one event on standard input."`
	Backfill backfillCommand `cmd:"" help:"Capture the transcripts of a folder into the signals store."`
	Lock     lockCommand     `cmd:"" help:"Keep two scheduled runs apart."`

	Corrections correctionsCommand `cmd:"" help:"List prompts that may have corrected the agent, for a person to read."`
	Blocks      blocksCommand      `cmd:"" help:"Export the tool calls that hooks blocked, to be labelled and run again (retro-score corpus)."`
}

// scanCommand reads transcripts and writes signals.
type scanCommand struct {
	selection  `embed:""`
	picking    `embed:""`
	period     `embed:""`
	gate       `embed:""`
	measuring  `embed:""`
	Candidates bool     `help:"Also write the prompts that are no pushback, and what held them back, for retro-score calibrate."`
	Without    []string `sep:"none" placeholder:"GUARD" help:"Turn a guard of the profile off, to see what it is good for. May be given again."`
	Strict     bool     `help:"Exit 1 when a line was malformed."`
	Jobs       int      `short:"j" placeholder:"N" help:"Read so many sessions at a time (default: one for each processor). The output is the same."`
	State      string   `placeholder:"FILE" help:"Remember in this file what came of every session, and read only those that are new or have changed since, and with --root those of which something that they looked at in the project has changed. The output is the same."`
	Progress   bool     `negatable:"" default:"true" help:"On a terminal, show how far a long scan is. Never when stderr is no terminal, or stdout is one."`
}

// Run scans.
func (c *scanCommand) Run(env *cli.Env) error {
	when, err := c.resolve(env)
	if err != nil {
		return err
	}
	sessions, err := c.sessions(env)
	if err != nil {
		return err
	}
	project := c.projectDir(env)
	opt := &detect.Options{Candidates: c.Candidates, Root: c.Root, Project: project, CodePaths: codePaths(cmp.Or(c.Root, project)),
		Since: when.since, Until: when.until, Zone: when.zone, Now: env.Now()}
	if err := c.apply(env, opt); err != nil {
		return err
	}
	if opt.Profile, err = opt.Profile.Without(c.Without...); err != nil {
		return cli.Usagef("without: %s", err)
	}
	c.configure(env, opt)
	opt.Config = detect.ConfigHash(opt, !c.NoSubagents)
	if !c.picking.used() {
		_, err := c.scanAll(env, sessions, opt)
		return err
	}
	chosen, err := c.pick(env, sessions)
	if err != nil {
		return err
	}
	if err := ndjson.NewWriter(env.Stdout).Encode(chosen.record); err != nil {
		return cli.Failf("write error on standard output")
	}
	read, err := c.scanAll(env, chosen.sessions, opt)
	if err != nil {
		return err
	}
	return c.mark(env, chosen, read)
}

// say tells a damaged place on stderr; with --strict it makes the exit code 1.
func (c *scanCommand) say(env *cli.Env, f fault) {
	say := env.Diagnostics().Warn
	if c.Strict {
		say = env.Diagnostics().Fail
	}
	say(f.kind, f.file, f.line, faultText(f.kind))
}

// faultText is what a kind of damage is called on stderr.
func faultText(kind string) string {
	switch kind {
	case transcript.SchemaDrift:
		return "no known field in the first 50 lines, the format may have changed"
	case "subagent-unreadable":
		return "transcript of a sub-agent cannot be read"
	}
	return cli.FaultText(kind)
}
