package render

import (
	"slices"
	"strings"

	"retro/pkg/cli"
	"retro/pkg/record"
	"retro/pkg/report"
)

// statusCommand prints the line that a session starts with.
type statusCommand struct {
	cli.Input
	Hook bool `help:"Print it as the answer of a SessionStart hook, in JSON."`
}

// Run prints the line; nothing when there is nothing to tell.
func (c *statusCommand) Run(env *cli.Env) error {
	var b report.Builder
	err := c.Each(env, "retro-render status [FILE...]", func(l *cli.Line) error {
		if kind, ok := record.KindOf(l.Bytes); !ok {
			l.Bad("not a record")
		} else if kind == record.KindBucket {
			if err := b.Add(kind, l.Bytes); err != nil {
				l.Bad(err.Error())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var lines []string
	figures := b.Report().Figures
	if figures.Summary != nil {
		lines = append(lines, report.StatusLine(figures.Summary))
	}
	if figures.Layout != nil {
		lines = append(lines, report.LayoutLine(figures.Layout))
	}
	line := strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
	switch {
	case line == "":
		return nil
	case c.Hook:
		return env.PrintContext("SessionStart", line)
	}
	_, err = env.Stdout.WriteString(line + "\n")
	return err
}
