package scan

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/store"
)

// period cuts the records that are counted. Without --since it begins where the
// last retrospective ended, as far as somebody says where those are kept.
type period struct {
	Since   string `placeholder:"DATE" help:"Count from this day or RFC 3339 time on. What is no hit does not become one by it: detectors see all records."`
	Until   string `placeholder:"DATE" help:"Count what comes before this day or RFC 3339 time."`
	TZ      string `name:"tz" default:"UTC" help:"Zone of days: an IANA name, or local."`
	Metrics string `placeholder:"FILE" help:"Without --since: take the period of this metrics file, when it exists."`
	Harness string `placeholder:"DIR" help:"Without --since: begin with the day of the newest earlier retrospective in this directory (files named YYYY-MM-DD.metrics.json or YYYY-MM-DD.md)."`
}

// span is a resolved period; zero times are open ends.
type span struct {
	since, until time.Time
	zone         *time.Location
}

// resolve finds the period.
func (p *period) resolve(env *cli.Env) (s span, err error) {
	if s.zone, err = env.Zone(p.TZ); err != nil {
		return s, err
	}
	since, until := p.Since, p.Until
	if since == "" && p.Metrics != "" {
		stored, err := periodOf(p.Metrics)
		if err != nil {
			return s, err
		}
		since, until = stored.Since, cmp.Or(until, stored.Until)
	}
	if until != "" {
		if s.until, err = env.Moment("--until", until, s.zone); err != nil {
			return s, err
		}
	}
	if since == "" && p.Harness != "" {
		if since, err = p.lastRetrospective(env, s); err != nil {
			return s, err
		}
	}
	if since != "" {
		if s.since, err = env.Moment("--since", since, s.zone); err != nil {
			return s, err
		}
	}
	if !s.until.IsZero() && !s.since.Before(s.until) {
		return s, cli.Usagef("the period is empty: --since is not before --until")
	}
	return s, nil
}

// storedPeriod is the period of a metrics file.
type storedPeriod struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

func periodOf(file string) (storedPeriod, error) {
	var stored struct {
		Period storedPeriod `json:"period"`
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return storedPeriod{}, nil
	case err != nil:
		return storedPeriod{}, cli.Failf("%s: %s", file, why(err))
	case ndjson.Unmarshal(data, &stored) != nil:
		return storedPeriod{}, cli.Failf("%s: not a metrics file", file)
	}
	return stored.Period, nil
}

var retrospective = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(\.metrics\.json|\.md)$`)

// lastRetrospective is the day of the newest retrospective before the period's
// end, which is today when it has none; "" when there is none.
func (p *period) lastRetrospective(env *cli.Env, s span) (string, error) {
	entries, err := os.ReadDir(p.Harness)
	if err != nil {
		return "", cli.Failf("%s: %s", p.Harness, why(err))
	}
	end := s.until
	if end.IsZero() {
		end = env.Now()
	}
	day := end.In(s.zone).Format(time.DateOnly)
	newest := ""
	for _, e := range entries {
		m := retrospective.FindStringSubmatch(e.Name())
		if m == nil || m[1] >= day {
			continue
		}
		if _, err := time.Parse(time.DateOnly, m[1]); err == nil {
			newest = max(newest, m[1])
		}
	}
	return newest, nil
}

// codePaths reads the directories of code from .claude/code-paths of the main
// repository that dir belongs to: one a line, # begins a comment. No dir, none.
func codePaths(dir string) (paths []string) {
	if dir == "" {
		return nil
	}
	project, err := store.FindProject(dir)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(project.Main(), ".claude", "code-paths"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.Trim(strings.TrimSpace(line), "/"); line != "" {
			paths = append(paths, strings.TrimPrefix(line, "./"))
		}
	}
	return paths
}
