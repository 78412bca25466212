package render

import (
	"retro/pkg/cli"
	"retro/pkg/record"
	"retro/pkg/report"
)

// reportCommand is the job of the binary when no sub-command is named: records
// of any kind in, one report out.
type reportCommand struct {
	cli.Input
}

// Run prints the report of the records.
func (c *reportCommand) Run(env *cli.Env) error {
	var b report.Builder
	err := c.Each(env, "retro-render [FILE...]", func(l *cli.Line) error {
		kind, ok := record.KindOf(l.Bytes)
		if !ok {
			l.Bad("not a record")
		} else if err := b.Add(kind, l.Bytes); err != nil {
			l.Bad(err.Error())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.Report().WriteMarkdown(env.Stdout)
}
