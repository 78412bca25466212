package render

import (
	"retro/pkg/cli"
	"retro/pkg/ndjson"
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
	var summary *record.Summary
	err := c.Each(env, "retro-render status [FILE...]", func(l *cli.Line) error {
		kind, ok := record.KindOf(l.Bytes)
		if !ok {
			l.Bad("not a record")
			return nil
		}
		var head record.BucketHead
		if kind != record.KindBucket || ndjson.Unmarshal(l.Bytes, &head) != nil || head.Bucket != record.BucketSummary {
			return nil
		}
		summary = new(record.Summary)
		if ndjson.Unmarshal(l.Bytes, summary) != nil {
			l.Bad("not a record of its kind")
			summary = nil
		}
		return nil
	})
	if err != nil || summary == nil {
		return err
	}
	line := report.StatusLine(summary)
	switch {
	case line == "":
		return nil
	case c.Hook:
		return env.PrintContext("SessionStart", line)
	}
	_, err = env.Stdout.WriteString(line + "\n")
	return err
}
