package episode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/episode"
	"retro/pkg/record"
	"retro/pkg/rules"
)

// rulesCommands tend the registry. Their answers are lines for people and for
// the prompts that call them, headed `retro:` whatever the program is called.
type rulesCommands struct {
	Validate  validateCommand  `cmd:"" help:"Check the registry: exit 0 when it is valid, else 2 and the first field at fault."`
	MergeSeed mergeSeedCommand `cmd:"" help:"Write the registry, or add what is new in the seed to it. Nothing that is there is touched."`
	MarkRetro markRetroCommand `cmd:"" help:"Note in the registry that a retrospective was held in a session."`
	Status    statusCommand    `cmd:"" help:"One line: is a retrospective due? Exit 0 when it is, 3 when not, 4 when the project could start."`
}

// registryFlag names the registry.
type registryFlag struct {
	projectFlag
	Registry string `placeholder:"FILE" help:"The registry (default: .github/retro/rules.json of the project)."`
}

func (f registryFlag) path(env *cli.Env) (string, error) {
	if f.Registry != "" {
		return f.Registry, nil
	}
	p, err := f.project(env)
	return p.Registry(), err
}

// say ends a command with a line on stderr in the form of its answers.
func say(env *cli.Env, code int, format string, args ...any) error {
	fmt.Fprintf(env.Stderr, "retro: "+format+"\n", args...)
	return cli.Exit(code)
}

type validateCommand struct{ registryFlag }

// Run checks the registry.
func (c *validateCommand) Run(env *cli.Env) error {
	path, err := c.path(env)
	if err != nil {
		return err
	}
	if _, err = rules.Read(path); err == nil {
		fmt.Fprintln(env.Stdout, "retro: rules.json valid")
		return nil
	}
	return sayFault(env, path, err)
}

// sayFault says what is wrong with the registry.
func sayFault(env *cli.Env, path string, err error) error {
	var invalid *rules.Invalid
	switch {
	case errors.As(err, &invalid):
		return say(env, cli.ExitUsage, "rules.json invalid at %s", invalid.Field)
	case errors.Is(err, rules.ErrMalformed):
		return say(env, cli.ExitUsage, "rules.json is not valid JSON: %s", err)
	case errors.Is(err, fs.ErrNotExist):
		return say(env, cli.ExitUsage, "rules.json not found at %s", path)
	}
	return say(env, cli.ExitUsage, "cannot read rules.json: %s", cli.Reason(err))
}

type mergeSeedCommand struct {
	registryFlag
	Seed string `arg:"" optional:"" name:"seed" help:"The seed (default: the one that comes with the program)."`
}

// Run merges the seed.
func (c *mergeSeedCommand) Run(env *cli.Env) error {
	path, err := c.path(env)
	if err != nil {
		return err
	}
	seed := rules.Seed()
	if c.Seed != "" {
		if seed, err = os.ReadFile(c.Seed); errors.Is(err, fs.ErrNotExist) {
			return say(env, cli.ExitUsage, "seed not found: %s", c.Seed)
		} else if err != nil {
			return say(env, cli.ExitUsage, "cannot read seed %s: %s", c.Seed, cli.Reason(err))
		}
	}
	added, err := rules.MergeSeed(path, seed)
	switch {
	case errors.Is(err, rules.ErrSeedMalformed):
		return say(env, cli.ExitUsage, "seed %s is not valid JSON: %s", c.Seed, err)
	case errors.Is(err, rules.ErrMalformed):
		return say(env, cli.ExitUsage, "%s is not valid JSON, fix or delete it: %s", path, err)
	case err != nil:
		return sayFault(env, path, err)
	}
	what := "no new rules"
	if len(added) > 0 {
		what = "added " + strings.Join(added, ", ")
	}
	fmt.Fprintf(env.Stdout, "retro: registry %s (%s)\n", path, what)
	return nil
}

type markRetroCommand struct {
	registryFlag
	SID     string   `arg:"" name:"session" help:"Id of the session in which the retrospective was held."`
	Signals []string `arg:"" optional:"" name:"file" help:"Where the captured sessions are (default: the project's signals store); - is standard input."`
}

// Run notes the retrospective.
func (c *markRetroCommand) Run(env *cli.Env) error {
	path, err := c.path(env)
	if err != nil {
		return err
	}
	registry, err := rules.Read(path)
	var invalid *rules.Invalid
	switch {
	case errors.As(err, &invalid), errors.Is(err, rules.ErrMalformed):
		return say(env, cli.ExitUsage, "rules.json invalid; run retro-episode rules validate")
	case err != nil:
		return say(env, cli.ExitUsage, "cannot read rules.json: %s", cli.Reason(err))
	}
	summary, err := c.captured(env, c.Signals, episode.Project{Registry: registry})
	if err != nil {
		return err
	}
	last := rules.LastRetro{
		Date:             env.Now().UTC().Format(time.RFC3339),
		SessionID:        record.NewSessionID(c.SID).String(),
		CapturedSessions: summary.Sessions,
	}
	if err := rules.MarkRetro(path, last); err != nil {
		return say(env, cli.ExitUsage, "cannot write rules.json: %s", cli.Reason(err))
	}
	fmt.Fprintf(env.Stdout, "retro: marked retro in session %s at %s (%d sessions captured)\n", last.SessionID, last.Date, last.CapturedSessions)
	return nil
}

// captured sums the project's signals store up, or the files. A store that is
// not there is an empty one.
func (f registryFlag) captured(env *cli.Env, files []string, p episode.Project) (*record.Summary, error) {
	// The store holds sessions of every configuration there ever was.
	collector, err := episode.NewCollector(episode.Options{MixedConfig: true})
	if err != nil {
		return nil, err
	}
	in := cli.Input{Files: files}
	if len(files) == 0 {
		project, err := f.project(env)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(project.Signals()); errors.Is(err, fs.ErrNotExist) {
			return episode.Summarize(nil, p), nil
		}
		in.Files = []string{project.Signals()}
	}
	if err := in.Each(env, "", func(l *cli.Line) error { return add(collector, l) }); err != nil {
		return nil, err
	}
	return episode.Summarize(collector.Episodes(), p), nil
}

type statusCommand struct {
	registryFlag
	Signals []string `arg:"" optional:"" name:"file" help:"Where the captured sessions are (default: the project's signals store); - is standard input."`
}

// The exit codes of status that say what to do next.
const (
	notDue       = 3
	canBootstrap = 4
)

// Run says whether a retrospective is due.
func (c *statusCommand) Run(env *cli.Env) error {
	path, err := c.path(env)
	if err != nil {
		return err
	}
	p, err := c.project(env)
	if err != nil {
		return err
	}
	project, err := episode.LoadProject(path, p.Root())
	if err != nil {
		return sayFault(env, path, err)
	}
	summary, err := c.captured(env, c.Signals, project)
	if err != nil {
		return err
	}
	line, code := due(summary)
	fmt.Fprintf(env.Stdout, "retro: %s\n", line)
	if code != cli.ExitDone {
		return cli.Exit(code)
	}
	return nil
}

// due is the line of the status and its exit code.
func due(s *record.Summary) (line string, code int) {
	switch {
	case s.Registry == record.RegistryAbsent && s.Archives >= rules.Default().Thresholds.BootstrapMinArchives:
		return fmt.Sprintf("not enabled; %d archived changes found, bootstrap available", s.Archives), canBootstrap
	case s.Registry == record.RegistryAbsent:
		return "not enabled", notDue
	case s.Sessions+s.IgnoredSessions == 0:
		return "no signals captured", notDue
	}
	last := s.LastRetro
	if last == "" {
		last = "never"
	}
	code = notDue
	if s.SinceLastRetro >= s.Thresholds.RetroPromptMinSessions {
		code = cli.ExitDone
	}
	return fmt.Sprintf("%d episodes since last retro (%s); threshold %d", s.SinceLastRetro, last, s.Thresholds.RetroPromptMinSessions), code
}
