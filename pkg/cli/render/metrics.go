package render

import (
	"io"
	"os"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/report"
)

// metricsCommand prints the figures of a period, compared with an earlier one.
type metricsCommand struct {
	File string `arg:"" optional:"" default:"-" name:"file" help:"The metrics file of retro-episode metrics; - is stdin."`
	Prev string `placeholder:"FILE" help:"The metrics file of an earlier period to compare with."`
}

// Run prints the table.
func (c *metricsCommand) Run(env *cli.Env) error {
	if c.File == "-" && env.StdinTerminal {
		return cli.ShortHelp(env, "retro-render metrics FILE [--prev FILE]")
	}
	now, err := readMetrics(env, c.File)
	if err != nil {
		return err
	}
	var before *record.Metrics
	if c.Prev != "" {
		if before, err = readMetrics(env, c.Prev); err != nil {
			return err
		}
	}
	return report.Compare(now, before).WriteMarkdown(env.Stdout)
}

// readMetrics reads a metrics file.
func readMetrics(env *cli.Env, name string) (*record.Metrics, error) {
	data, err := readWhole(env, name)
	if err != nil {
		return nil, err
	}
	m := new(record.Metrics)
	if ndjson.Unmarshal(data, m) != nil || m.Schema != 1 {
		return nil, cli.Failf("%s: not a metrics file of schema 1", name)
	}
	return m, nil
}

func readWhole(env *cli.Env, name string) (data []byte, err error) {
	if name == "-" {
		data, err = io.ReadAll(env.Stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, cli.Failf("%s: %s", name, cli.Reason(err))
	}
	return data, nil
}
