package render

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/report"
	"retro/pkg/rules"
	"retro/pkg/store"
)

// proposalCommand writes a change of the guardrails for a person to approve.
type proposalCommand struct {
	cli.Input
	Root   string   `placeholder:"DIR" help:"The project, whose registry the edits are made of (default: the one around the working directory)."`
	Out    string   `placeholder:"DIR" help:"Directory of the change, which must not be there yet (default: openspec/changes/DATE-retro-N of the project, N one more than the highest there is)."`
	Format string   `enum:"openspec,json" default:"openspec" help:"openspec: write the directory; json: print one record a change and write nothing."`
	Date   string   `placeholder:"DATE" help:"Day of the proposal (default: today in UTC)."`
	Loosen []string `placeholder:"FIELD=VALUE" help:"Ask for a threshold or a detector to be loosened; it becomes a task of its own and no patch. May be repeated."`
}

// Help says what is read and written.
func (*proposalCommand) Help() string {
	return `Reads the buckets of retro-episode (with --instructions DIR, or changes of instruction files and gotchas are not proposed) and draws up an OpenSpec change: proposal.md, specs/guardrails/spec.md, tasks.md, patches/. Every number comes from a record. Nothing is applied, and nothing outside the directory is written. What a person has to write is marked TODO(person), which retro-episode rules merge-seed, rules validate and layout refuse until it is written.`
}

// Run draws the proposal up.
func (c *proposalCommand) Run(env *cli.Env) error {
	if err := c.check(); err != nil {
		return err
	}
	var b report.Builder
	err := c.Each(env, "retro-render proposal [FILE...]", func(l *cli.Line) error {
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
	r := b.Report()
	if r.Summary == nil && r.Layout == nil {
		return cli.Usagef("no figures in the input: give it what retro-episode prints")
	}
	opt, out, err := c.options(env)
	if err != nil {
		return err
	}
	p := report.NewProposal(r, opt)
	if c.Format == "json" {
		w := ndjson.NewWriter(env.Stdout)
		for _, change := range p.Changes() {
			if err := w.Encode(change); err != nil {
				return err
			}
		}
		return nil
	}
	files, err := p.Files()
	if err != nil {
		return cli.Usagef("%s: %s", rules.Path, err)
	}
	if err := writeDir(out, files); err != nil {
		return err
	}
	_, err = env.Stdout.WriteString(c.shown(out) + "\n")
	return err
}

// shown is the name under which the directory is told: as it was given.
func (c *proposalCommand) shown(out string) string {
	return cmp.Or(strings.TrimSuffix(c.Out, "/"), out)
}

func (c *proposalCommand) check() error {
	if _, ok := record.ParseDay(c.Date); c.Date != "" && !ok {
		return cli.Usagef("--date: want a day (2026-03-01)")
	}
	for _, field := range c.Loosen {
		key, value, _ := strings.Cut(field, "=")
		if !loosenable.MatchString(key) || value == "" {
			return cli.Usagef("--loosen: want thresholds.NAME=VALUE, rules.ID.detector=VALUE or correction_patterns.ID=VALUE")
		}
	}
	return nil
}

var loosenable = regexp.MustCompile(`^(thresholds\.[a-z_]+|rules\.[A-Za-z0-9_-]+\.detector|correction_patterns\.[A-Za-z0-9_-]+)$`)

func (c *proposalCommand) options(env *cli.Env) (opt report.ProposalOptions, out string, err error) {
	dir := c.Root
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	project, err := store.FindProject(dir)
	if err != nil {
		return opt, "", cli.Usagef("--root: %s", err)
	}
	opt = report.ProposalOptions{Date: cmp.Or(c.Date, env.Now().UTC().Format(time.DateOnly)), Loosen: c.Loosen}
	changes := rules.Default().Settings.OpenSpec
	data, err := os.ReadFile(project.Registry())
	switch {
	case err == nil:
		registry, err := rules.Parse(data)
		if err != nil {
			return opt, "", cli.Usagef("%s: %s", rules.Path, err)
		}
		opt.Registry, changes = data, registry.Settings.OpenSpec
	case !errors.Is(err, fs.ErrNotExist):
		return opt, "", cli.Failf("%s: %s", rules.Path, cli.Reason(err))
	}
	opt.Number = 1 + max(highest(filepath.Join(project.Root(), changes.Changes)), highest(filepath.Join(project.Root(), changes.Archive)))
	opt.Dir = opt.Date + "-retro-" + strconv.Itoa(opt.Number)
	if c.Out == "" {
		return opt, filepath.Join(project.Root(), changes.Changes, opt.Dir), nil
	}
	out = c.Out
	if !filepath.IsAbs(out) {
		out = filepath.Join(env.Dir, out)
	}
	if opt.Dir = filepath.Base(out); !plainName.MatchString(opt.Dir) {
		return opt, "", cli.Usagef("--out: want a name of letters, digits and - . _")
	}
	if m := retroName.FindStringSubmatch(opt.Dir); m != nil {
		opt.Number, _ = strconv.Atoi(m[1])
	}
	return opt, out, nil
}

// plainName is a name that stands in commands and comments as it is.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

var retroName = regexp.MustCompile(`-retro-([0-9]{1,6})$`)

// highest is the highest number of a retrospective among the changes in a
// directory.
func highest(dir string) (n int) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if m := retroName.FindStringSubmatch(e.Name()); m != nil {
			i, _ := strconv.Atoi(m[1])
			n = max(n, i)
		}
	}
	return n
}

// writeDir writes the files into a new directory, all or none: they are written
// beside it and appear under its name in one step. What is there already may
// have been edited, so it is never replaced.
func writeDir(dir string, files []report.ProposalFile) (err error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s is there already; a proposal is never written over", dir)
	}
	fail := func(err error) error { return cli.Failf("%s: %s", dir, cli.Reason(err)) }
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fail(err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(temp)
	for _, f := range files {
		name := filepath.Join(temp, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fail(err)
		}
		if err := ndjson.WriteFile(name, []byte(f.Text), 0o644); err != nil {
			return fail(err)
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return fail(err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return fail(err)
	}
	return nil
}
