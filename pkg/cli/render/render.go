// Package render holds the commands of retro-render, one file a command.
package render

import "retro/pkg/cli"

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-render",
		Manual:  manual,
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	Report    reportCommand    `cmd:"" default:"withargs" hidden:""`
	Why       whyCommand       `cmd:"" help:"How each verdict came about: the table that tunes the gate."`
	Metrics   metricsCommand   `cmd:"" help:"The figures of a period, compared with those of an earlier one."`
	Status    statusCommand    `cmd:"" help:"One line: how the figures stand. Nothing when there is nothing to tell."`
	Draft     draftCommand     `cmd:"" help:"The draft of a retrospective, of figures, corrections, blocks and leftovers."`
	Proposal  proposalCommand  `cmd:"" help:"An OpenSpec change of the guardrails, drawn up from the figures for a person to approve."`
	Scheduled scheduledCommand `cmd:"" help:"Write the report file of a scheduled run."`
}
