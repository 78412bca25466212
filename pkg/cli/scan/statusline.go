package scan

import (
	"errors"
	"io/fs"
	"os"

	"retro/pkg/cli"
	"retro/pkg/episode"
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
	return report.StatusLine(episode.Summarize(collector.Episodes(), project))
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
