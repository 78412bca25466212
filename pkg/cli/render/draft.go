package render

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/corpus"
	"retro/pkg/record"
	"retro/pkg/report"
)

// draftCommand writes what a program can write of a retrospective.
type draftCommand struct {
	cli.Input
	Metrics      string `placeholder:"FILE" help:"The figures of the period (retro-episode metrics), when they are not in the input."`
	Prev         string `placeholder:"FILE" help:"The figures of an earlier period."`
	Harness      string `placeholder:"DIR" help:"Earlier retrospectives (*.md): findings go on from their highest number RT-n."`
	Memory       string `placeholder:"DIR" help:"List the files in this directory that changed in the period."`
	Cases        string `placeholder:"FILE" help:"The hook corpus: its known errors, and which blocks are in it."`
	Date         string `placeholder:"DATE" help:"Day of the retrospective (default: today in the period's zone)."`
	Template     string `placeholder:"FILE" help:"A template (Go text/template) instead of the built-in one."`
	ShowTemplate bool   `help:"Print the built-in template and end."`
}

// Help says what is read.
func (*draftCommand) Help() string {
	return `Reads records of retro-episode metrics, retro-scan corrections, retro-scan blocks, retro-score corpus run and retro-leftovers, in any order, and prints the draft of a retrospective. What was not given is said under "Not measured". It quotes what people wrote to the agent, after redaction.`
}

// Run prints the draft.
func (c *draftCommand) Run(env *cli.Env) error {
	if c.ShowTemplate {
		_, err := env.Stdout.WriteString(report.DraftTemplate())
		return err
	}
	d := new(report.Draft)
	if err := c.read(env, d); err != nil {
		return err
	}
	if err := c.look(env, d); err != nil {
		return err
	}
	template := report.DraftTemplate()
	if c.Template != "" {
		data, err := os.ReadFile(c.Template)
		if err != nil {
			return cli.Failf("%s: %s", c.Template, cli.Reason(err))
		}
		template = string(data)
	}
	if err := d.Write(env.Stdout, template); err != nil {
		return cli.Usagef("--template: %s", err)
	}
	return nil
}

// read takes the records and the files of figures. Without files of records and
// with figures given by name, standard input is left alone.
func (c *draftCommand) read(env *cli.Env, d *report.Draft) error {
	if len(c.Files) > 0 || c.Metrics == "" {
		err := c.Each(env, "retro-render draft [FILE...]", func(l *cli.Line) error {
			if kind, ok := record.KindOf(l.Bytes); !ok {
				l.Bad("not a record")
			} else if err := d.Add(kind, l.Bytes); err != nil {
				l.Bad(err.Error())
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if c.Metrics != "" {
		m, err := readMetrics(env, c.Metrics)
		if err != nil {
			return err
		}
		d.SetMetrics(m)
	}
	if c.Prev == "" {
		return nil
	}
	var err error
	d.Before, err = readMetrics(env, c.Prev)
	return err
}

// look takes what lies beside the records: earlier retrospectives, the corpus,
// the memory.
func (c *draftCommand) look(env *cli.Env, d *report.Draft) (err error) {
	zone, err := env.Zone(cmp.Or(d.Period().Zone.String(), "UTC"))
	if err != nil {
		return err
	}
	if d.Date = cmp.Or(c.Date, env.Now().In(zone).Format(time.DateOnly)); c.Date != "" {
		if _, ok := record.ParseDay(c.Date); !ok {
			return cli.Usagef("--date: want a day (2026-03-01)")
		}
	}
	if c.Harness != "" {
		if d.LastFinding, err = lastFinding(c.Harness, d.Date+".md"); err != nil {
			return err
		}
	}
	if c.Cases != "" {
		text, err := os.ReadFile(c.Cases)
		if err != nil {
			return cli.Failf("%s: %s", c.Cases, cli.Reason(err))
		}
		d.Cases = casesOf(env, c.Cases, text)
	}
	if c.Memory != "" {
		d.Memory, err = memoryFiles(c.Memory, d.Period())
	}
	return err
}

// lastFinding is the highest number of a finding in the retrospectives of a
// directory, the draft at hand left out: it is written anew.
func lastFinding(dir, own string) (last int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		return 0, cli.Failf("%s: %s", dir, cli.Reason(cmp.Or(statErr, err)))
	}
	for _, name := range names {
		if filepath.Base(name) == own {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, cli.Failf("%s: %s", name, cli.Reason(err))
		}
		last = max(last, report.LastFinding(data))
	}
	return last, nil
}

func casesOf(env *cli.Env, name string, text []byte) []record.Case {
	all := corpus.Read(text)
	for _, f := range all.Faults {
		env.Diagnostics().Warn("malformed", name, f.Line, f.Message)
	}
	cases := []record.Case{}
	for _, s := range all.Segments {
		for _, one := range s.Cases {
			cases = append(cases, one.Case)
		}
	}
	return cases
}

// memoryFiles lists the regular files below dir that changed in the period, by
// name; hidden ones are none of the memory.
func memoryFiles(dir string, period record.MetricsPeriod) ([]report.MemoryFile, error) {
	files := []report.MemoryFile{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != dir && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil // it went away, or is no file
		}
		changed := info.ModTime()
		if !period.Since.IsZero() && changed.Before(period.Since.Time()) || !period.Until.IsZero() && !changed.Before(period.Until.Time()) {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		files = append(files, report.MemoryFile{Name: filepath.ToSlash(rel), Size: info.Size(), Changed: changed})
		return nil
	})
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, cli.Failf("%s: %s", path.Path, cli.Reason(err))
		}
		return nil, cli.Failf("%s: %s", dir, cli.Reason(err))
	}
	slices.SortFunc(files, func(a, b report.MemoryFile) int { return cmp.Compare(a.Name, b.Name) })
	return files, nil
}
