// Package score holds the commands of retro-score, one file a command.
package score

import (
	"retro/pkg/cli"
	"retro/pkg/record"
)

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-score",
		Manual:  manual,
		Schema:  func() []byte { return record.Schema("retro-score") },
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	Verdicts verdicts      `cmd:"" default:"withargs" hidden:""`
	Corpus   corpusCommand `cmd:"" help:"Keep blocked tool calls as regression cases for the hooks."`
	Trial    trialCommand  `cmd:"" help:"Keep score of directives on trial."`

	Calibrate calibrateCommand `cmd:"" help:"Say how often the gate is right, by sessions that people labelled."`
	Profile   profileCommand   `cmd:"" help:"Print a built-in profile, to copy and change."`
}
