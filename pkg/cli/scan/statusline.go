package scan

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"retro/pkg/cli"
	"retro/pkg/episode"
	"retro/pkg/instruct"
	"retro/pkg/ndjson"
	"retro/pkg/report"
	"retro/pkg/transcript"
)

// statusLine is what a starting session is told of the store; "" for nothing.
// A store that cannot be read tells nothing: a session must start all the same.
func statusLine(env *cli.Env, h *transcript.Hook) string {
	p, err := hookProject(env, h)
	if err != nil {
		return ""
	}
	// A registry that cannot be used is what the line is about then.
	project, _ := episode.LoadProject(p.Registry(), p.Root())
	collector, err := episode.NewCollector(episode.Options{MixedConfig: true})
	if err != nil {
		return ""
	}
	if project.Registry != nil && collect(collector, p.Signals()) != nil {
		return ""
	}
	lines := []string{report.StatusLine(episode.Summarize(collector.Episodes(), project)), layoutLine(p.Root())}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// layoutLine is about the instruction files of a project that has budgets of its
// own; others did not ask to be told.
func layoutLine(dir string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	if !instruct.HasConfig(root.FS()) {
		return ""
	}
	m, err := instruct.Measure(root.FS())
	var invalid *instruct.Invalid
	switch {
	case errors.As(err, &invalid):
		return "[layout] " + instruct.Path + " invalid, run retro-episode layout"
	case err != nil:
		return ""
	}
	return report.LayoutLine(m.Layout)
}

// collect counts the records of the store; lines that are none are passed over.
func collect(c *episode.Collector, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := ndjson.NewLines(f)
	for lines.Next() {
		c.Add(lines.Line().Bytes)
	}
	return lines.Err()
}
