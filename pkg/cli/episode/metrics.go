package episode

import (
	"errors"
	"io/fs"
	"os"

	"retro/pkg/cli"
	"retro/pkg/episode"
	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// metricsCommand counts one period of one project.
type metricsCommand struct {
	cli.Input
	Out         string `placeholder:"FILE" help:"Write the figures to this file instead of standard output. What it says is retired stays so."`
	From        string `placeholder:"FILE" help:"Take the figures from this file; nothing is read from standard input."`
	Project     string `placeholder:"NAME" help:"Name of the project in the file (default: that of most sessions)."`
	MixedConfig bool   `name:"mixed-config" help:"Count records scanned with different configurations together instead of refusing them."`
}

// Help says where the period comes from.
func (*metricsCommand) Help() string {
	return `Reads session records, or the partials of retro-episode --partial, and adds them up to the figures of one project over one period. The period is the one by which retro-scan cut the records, so figures are never of another period than they say:

  retro-scan --project . --harness docs/retro --metrics docs/retro/2026-03-01.metrics.json |
    retro-episode metrics --out docs/retro/2026-03-01.metrics.json

retro-scan takes the period from its --since and --until, else from the file that --metrics names when it exists, else from the newest earlier retrospective in --harness, else all.`
}

// Run writes the figures.
func (c *metricsCommand) Run(env *cli.Env) error {
	m, err := c.figures(env)
	if err != nil {
		return err
	}
	line, err := ndjson.Marshal(m)
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err = env.Stdout.Write(append(line, '\n'))
		return err
	}
	if err := ndjson.WriteFile(c.Out, ndjson.Indent(line), 0o644); err != nil {
		return cli.Failf("%s: %s", c.Out, cli.Reason(err))
	}
	return nil
}

func (c *metricsCommand) figures(env *cli.Env) (*record.Metrics, error) {
	if c.From != "" {
		return readMetrics(c.From)
	}
	m, err := c.count(env)
	if err != nil || c.Out == "" {
		return m, err
	}
	old, err := readMetrics(c.Out)
	switch {
	case err == nil:
		episode.KeepRetired(m, old)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return m, nil
}

// count adds the input up.
func (c *metricsCommand) count(env *cli.Env) (*record.Metrics, error) {
	collector, err := episode.NewCollector(episode.Options{MixedConfig: c.MixedConfig})
	if err != nil {
		return nil, err
	}
	in := shares{collector: collector}
	err = c.Each(env, "retro-episode metrics [FILE...]", func(l *cli.Line) error { return in.add(env, l) })
	if err != nil {
		return nil, err
	}
	in.close(env)
	m, err := episode.Metrics(collector.Episodes())
	if err != nil {
		return nil, cli.Usagef("%s", err)
	}
	if c.Project != "" {
		m.Project = record.NewName(c.Project)
	}
	return m, nil
}

// readMetrics reads a file of figures.
func readMetrics(name string) (*record.Metrics, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missing{cli.Failf("%s: file not found", name)}
	}
	if err != nil {
		return nil, cli.Failf("%s: %s", name, cli.Reason(err))
	}
	m := new(record.Metrics)
	if ndjson.Unmarshal(data, m) != nil || m.Schema != 1 {
		return nil, cli.Failf("%s: not a metrics file of schema 1", name)
	}
	m.Kind = record.KindMetrics
	return m, nil
}

// missing is the error of a file that is not there.
type missing struct{ error }

func (missing) Is(target error) bool { return target == fs.ErrNotExist }
func (m missing) Unwrap() error      { return m.error }
