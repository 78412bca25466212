package scan

import (
	"fmt"
	"os"
	"path/filepath"

	"retro/pkg/cli"
	"retro/pkg/store"
)

// backfillCommand captures the sessions of a folder into the signals store.
type backfillCommand struct {
	Dir   string `arg:"" help:"Folder of transcripts."`
	Cwd   string `placeholder:"PROJECT" help:"Project whose store is filled; CLAUDE_PROJECT_DIR, else the working directory, by default."`
	Force bool   `help:"Also capture sessions that the store already has."`
}

// Help is the long help of the command.
func (*backfillCommand) Help() string {
	return `Captures each transcript that lies directly in DIR, the newest first, as the hook does at a session's end. A session whose transcripts have the size that the store remembers is skipped without opening them. Transcripts of sub-agents are taken with their parent's. Prints one line: how many sessions were captured, skipped and failed.`
}

// Run captures.
func (c *backfillCommand) Run(env *cli.Env) error {
	paths, err := transcriptsIn(c.Dir)
	if err != nil {
		return cli.Usagef("backfill: not a directory: %s", c.Dir)
	}
	project, err := store.FindProject(c.project(env))
	if err != nil {
		return cli.Usagef("backfill: %s", err)
	}
	into, err := newCapturer(env, project)
	if err == errNoRegistry {
		return cli.Usagef("backfill: the project has no %s: retro-episode rules merge-seed makes one",
			filepath.Join(".github", "retro", "rules.json"))
	}
	if err != nil {
		return cli.Usagef("backfill: %s", err)
	}
	into.force = c.Force
	for _, path := range paths {
		switch err := into.take(path); {
		case err == errNoMessages:
			env.Diagnostics().Warn("capture", path, 0, err.Error())
		case err != nil:
			env.Diagnostics().Fail("capture", path, 0, err.Error())
		}
	}
	fmt.Fprintf(env.Stdout, "captured %d sessions, skipped %d (already present), failed %d\n",
		into.captured, into.skipped, into.failed)
	return nil
}

func (c *backfillCommand) project(env *cli.Env) string {
	for _, dir := range []string{c.Cwd, env.Getenv("CLAUDE_PROJECT_DIR")} {
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == c.Cwd {
			return dir
		}
	}
	return env.Dir
}
