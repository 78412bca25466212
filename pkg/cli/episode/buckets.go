package episode

import (
	"errors"
	"io/fs"
	"os"

	"retro/pkg/cli"
	"retro/pkg/episode"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/rules"
)

// bucketsCommand is the job of the binary: records in, buckets out.
type bucketsCommand struct {
	cli.Input
	projectFlag
	Instructions string `placeholder:"DIR" help:"Weigh the instruction files of this project, too: records layout and gotcha-entry. Started by hand without files, it prints these alone."`
	Hooks        string `placeholder:"FILE" help:"The signals store with what hooks wrote at the time, which is counted for the sessions of the input (default: that of the project; with --partial none)."`
	Partial      bool   `help:"Print episodes (session x day) as partial aggregates, which this program takes as input again, instead of the figures."`
	Tee          bool   `help:"Copy every input line through, too."`
	TZ           string `name:"tz" placeholder:"ZONE" help:"Zone of days: an IANA name, or local. Default: the one that the records name, else UTC. Records of another zone are refused."`
	MixedConfig  bool   `name:"mixed-config" help:"Count records scanned with different configurations together instead of refusing them."`
}

// Run counts the stream.
func (c *bucketsCommand) Run(env *cli.Env) error {
	layout, err := c.layout(env)
	if err != nil {
		return err
	}
	if c.Instructions != "" && len(c.Files) == 0 && env.StdinTerminal {
		return encodeAll(ndjson.NewWriter(env.Stdout), layout)
	}
	collector, err := c.collector(env)
	if err != nil {
		return err
	}
	out := ndjson.NewWriter(env.Stdout)
	in := shares{collector: collector}
	err = c.Each(env, "retro-episode [FILE...]", func(l *cli.Line) error {
		if c.Tee {
			if err := l.Copy(out); err != nil {
				return err
			}
		}
		return in.add(env, l)
	})
	if err != nil {
		return err
	}
	in.close(env)
	if err := c.aside(env, collector); err != nil {
		return err
	}
	episodes := collector.Episodes()
	if c.Partial {
		if err := encodeAll(out, episodes); err != nil {
			return err
		}
		return out.Encode(record.NewShare(len(episodes)))
	}
	project, err := c.load(env)
	if err != nil {
		return err
	}
	return encodeAll(out, append(episode.Buckets(episodes, project), layout...))
}

// layout weighs the instruction files when it is asked to.
func (c *bucketsCommand) layout(env *cli.Env) ([]any, error) {
	switch {
	case c.Instructions == "":
		return nil, nil
	case c.Partial:
		return nil, cli.Usagef("--instructions: partials have no place for the layout; give it where they are added up")
	}
	m, err := measureLayout(env, c.Instructions)
	if err != nil {
		return nil, err
	}
	out := []any{m.Layout}
	for _, g := range m.Gotchas {
		out = append(out, g)
	}
	return out, nil
}

func (c *bucketsCommand) collector(env *cli.Env) (*episode.Collector, error) {
	opt := episode.Options{MixedConfig: c.MixedConfig}
	if c.TZ != "" {
		zone, err := env.Zone(c.TZ)
		if err != nil {
			return nil, err
		}
		opt.Zone = zone.String()
	}
	return episode.NewCollector(opt)
}

// aside reads what hooks wrote about the sessions of the input: half of what is
// known of the rules that only a hook can see broken.
func (c *bucketsCommand) aside(env *cli.Env, collector *episode.Collector) error {
	file := c.Hooks
	if file == "" {
		if c.Partial {
			return nil
		}
		p, err := c.project(env)
		if err != nil {
			return err
		}
		file = p.Signals()
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	in := cli.Input{Files: []string{file}, Strict: c.Strict}
	return in.Each(env, "", func(l *cli.Line) error {
		if !l.Object || collector.AddAside(&l.Envelope) != nil {
			l.Bad("not a record")
		}
		return nil
	})
}

// load reads what is known of the project. A registry that cannot be used is no
// reason to lose the rest of the report: it is said here, in the summary, and
// by the exit code.
func (c *bucketsCommand) load(env *cli.Env) (episode.Project, error) {
	p, err := c.project(env)
	if err != nil {
		return episode.Project{}, err
	}
	project, err := episode.LoadProject(p.Registry(), p.Root())
	if err != nil {
		env.Diagnostics().Fail("registry", rules.Path, 0, fault(err))
	}
	return project, nil
}

// fault is an error about a registry in words.
func fault(err error) string {
	var invalid *rules.Invalid
	if errors.As(err, &invalid) || errors.Is(err, rules.ErrMalformed) {
		return err.Error()
	}
	return cli.Reason(err)
}

// add feeds a line to the collector. A line that is no record is skipped; one
// that must not be counted with the others ends the command, because figures
// without it would be wrong and figures with it too.
func add(c *episode.Collector, l *cli.Line) error {
	if !l.Object {
		l.Bad("not a record")
		return nil
	}
	err := c.AddRecord(&l.Envelope, l.Bytes)
	var refused *episode.Refused
	switch {
	case errors.As(err, &refused):
		return cli.Usagef("%s:%d: %s", l.File, l.Number, refused)
	case err != nil:
		l.Bad("not a record")
	}
	return nil
}

func encodeAll[T any](out *ndjson.Writer, list []T) error {
	for _, v := range list {
		if err := out.Encode(v); err != nil {
			return err
		}
	}
	return nil
}
