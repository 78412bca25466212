// Package leftovers holds the commands of retro-leftovers, one file a command.
package leftovers

import "retro/pkg/cli"

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-leftovers",
		Manual:  manual,
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	Main mainCommand `cmd:"" default:"withargs" hidden:""`
}

// mainCommand is the job of the binary when no sub-command is named.
type mainCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Input files; - is stdin."`
}

// Run says that the job is not built.
func (c *mainCommand) Run(env *cli.Env) error { return cli.NotYet("retro-leftovers") }
