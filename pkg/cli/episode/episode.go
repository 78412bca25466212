// Package episode holds the commands of retro-episode, one file a command.
package episode

import (
	"path/filepath"

	"retro/pkg/cli"
	"retro/pkg/record"
	"retro/pkg/store"
)

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-episode",
		Manual:  manual,
		Schema:  func() []byte { return record.Schema("retro-episode") },
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	Count   bucketsCommand `cmd:"" default:"withargs" help:"Add records up by session and day (the default)."`
	Metrics metricsCommand `cmd:"" help:"Count one period of one project: the file that the next retrospective is compared with."`
	Layout  layoutCommand  `cmd:"" help:"Check the instruction files: budgets, imports, gotcha entries. Exit 1 when something needs an edit."`
	Rules   rulesCommands  `cmd:"" help:"The registry of rules: validate, merge-seed, mark-retro, status."`
}

// projectFlag names the project whose registry and state a command reads.
type projectFlag struct {
	Root string `placeholder:"DIR" help:"The project, whose registry and archived changes are read (default: the one around the working directory)."`
}

// project finds it.
func (f projectFlag) project(env *cli.Env) (store.Project, error) {
	dir := f.Root
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	p, err := store.FindProject(dir)
	if err != nil {
		return p, cli.Usagef("--root: %s", err)
	}
	return p, nil
}
