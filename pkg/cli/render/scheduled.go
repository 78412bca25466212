package render

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"retro/pkg/cli"
	"retro/pkg/record"
	"retro/pkg/report"
	"retro/pkg/store"
)

// scheduledCommand writes the report of a scheduled run.
type scheduledCommand struct {
	cli.Input
	Root          string  `aliases:"mroot" default:"." placeholder:"DIR" help:"The project (default: this directory)."`
	Note          *string `placeholder:"TEXT" help:"Say that there is nothing to say, and why. Nothing is read from standard input then."`
	Mode          *string `placeholder:"all-auto" help:"For callers of the original helper; nothing is read from standard input then."`
	Applied       string  `aliases:"applied-file" placeholder:"FILE" help:"What was applied: target, action and text a line, with tabs between."`
	Followup      string  `aliases:"followup-file" placeholder:"FILE" help:"What is left to do by hand, a line each."`
	Duplicates    string  `aliases:"duplicates-file" placeholder:"FILE" help:"Duplicates, printed as they are."`
	Observations  string  `aliases:"observations-file" placeholder:"FILE" help:"Observations, a line each."`
	AppliedCount  *int    `placeholder:"N" help:"How many were applied (default: the lines of --applied)."`
	FollowupCount *int    `placeholder:"N" help:"How many are left to do (default: the lines)."`
	Scanned       *int    `placeholder:"N" help:"Sessions judged (default: those of the input)."`
	Skipped       *int    `placeholder:"N" help:"Sessions left out (default: those the input tells)."`
	Gated         *int    `placeholder:"N" help:"Sessions that passed the gate (default: those of the input)."`
	DeepRead      *int    `placeholder:"N" help:"Sessions that a model read (default: 0)."`
	Summary       string  `placeholder:"TEXT" help:"The last line, in place of the counts."`
}

// Help says what is written.
func (*scheduledCommand) Help() string {
	return `Reads what a scheduled run found (records of retro-scan, retro-score and retro-score trial review), writes .claude/retro/scheduled-YYYY-MM-DDTHHMMSSZ.md of the main worktree, prints its path, and deletes all but the 12 newest reports of that form.

When AGENT_WEBHOOK_URL is set, the path and the counts are posted there by curl: at most 5 seconds, once, and whatever comes of it the report stands. No text of a session is ever sent.`
}

// Run writes the report.
func (c *scheduledCommand) Run(env *cli.Env) error {
	if c.Mode != nil && *c.Mode != "all-auto" {
		return cli.Failf("scheduled: --mode must be all-auto")
	}
	project, err := store.FindProject(c.Root)
	if err != nil {
		return cli.Failf("%s: %s", c.Root, err)
	}
	s, err := c.arrange(env)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := s.WriteMarkdown(&text); err != nil {
		return cli.Failf("scheduled: %s", err)
	}
	path, err := project.WriteScheduled(s.Stamp(), os.Getpid(), text.Bytes())
	if err != nil {
		return cli.Failf("%s: %s", project.StateDir(), err)
	}
	if url := env.Getenv("AGENT_WEBHOOK_URL"); url != "" {
		if err := post(url, notice(path, s), webhookLimit); err != nil {
			env.Diagnostics().Warn("webhook", "", 0, "webhook: "+err.Error())
		}
	}
	_, err = env.Stdout.WriteString(path + "\n")
	return err
}

// arrange makes the report of the input and of what the flags add to it.
func (c *scheduledCommand) arrange(env *cli.Env) (*report.Scheduled, error) {
	var s *report.Scheduled
	if (c.Note != nil || c.Mode != nil) && len(c.Files) == 0 {
		s = &report.Scheduled{At: env.Now()}
	} else {
		var b report.ScheduledBuilder
		err := c.Each(env, "retro-render scheduled [FILE...], or --note TEXT", func(l *cli.Line) error {
			if kind, ok := record.KindOf(l.Bytes); !ok {
				l.Bad("not a record")
			} else if err := b.Add(kind, l.Bytes); err != nil {
				l.Bad(err.Error())
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		s = b.Scheduled(env.Now())
	}
	c.override(env, s)
	return s, nil
}

// override puts what the flags say into the report. A list from a file is there
// to be said, so a note that there is nothing to say goes.
func (c *scheduledCommand) override(env *cli.Env, s *report.Scheduled) {
	said := len(s.Followup) + len(s.Observations)
	s.Applied = append(s.Applied, lines(env, c.Applied)...)
	s.Followup = append(s.Followup, lines(env, c.Followup)...)
	s.Duplicates = strings.Join(lines(env, c.Duplicates), "\n")
	s.Observations = append(s.Observations, lines(env, c.Observations)...)
	if said == 0 && len(s.Applied)+len(s.Followup)+len(s.Duplicates)+len(s.Observations) > 0 {
		s.Note, s.Summary = "", ""
	}
	if c.Note != nil {
		s.Note = *c.Note
	}
	if c.Summary != "" {
		s.Summary = c.Summary
	}
	s.AppliedCount, s.FollowupCount = count(s.Applied), count(s.Followup)
	for _, set := range []struct {
		to   *int
		from *int
	}{
		{&s.AppliedCount, c.AppliedCount}, {&s.FollowupCount, c.FollowupCount}, {&s.Scanned, c.Scanned},
		{&s.Skipped, c.Skipped}, {&s.Gated, c.Gated}, {&s.DeepRead, c.DeepRead},
	} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
}

// lines reads the lines of a file. One that is not there has none, as with the
// original helper; one that cannot be read is a fault.
func lines(env *cli.Env, path string) []string {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		env.Diagnostics().Fail("open", filepath.Clean(path), 0, cli.Reason(err))
	}
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func count(lines []string) (n int) {
	for _, line := range lines {
		if strings.TrimSuffix(line, "\r") != "" {
			n++
		}
	}
	return n
}
