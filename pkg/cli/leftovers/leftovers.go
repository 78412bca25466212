// Package leftovers holds the commands of retro-leftovers, one file a command.
package leftovers

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/repo"
)

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-leftovers",
		Manual:  manual,
		Schema:  func() []byte { return record.Schema("retro-leftovers") },
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	List listCommand `cmd:"" default:"withargs" hidden:""`
}

// listCommand lists leftovers: the job of the binary when no sub-command is
// named.
type listCommand struct {
	Repos     []string      `arg:"" optional:"" name:"repo" help:"Repositories: any directory in one. - is NDJSON of {\"path\":DIR} on stdin, which is also read when nothing is named; with nothing there, the repository one stands in."`
	Workspace []string      `sep:"none" placeholder:"DIR|FILE" help:"The repositories one level below a directory, or those that a Markdown table with a path column lists."`
	Fetch     bool          `help:"First fetch from origin and drop the tracking branches whose branch is gone. Nothing else uses a network."`
	Base      string        `placeholder:"REF" help:"Compare with this branch (default: what origin/HEAD points to, else origin/main)."`
	Keep      []string      `sep:"none" placeholder:"PATTERN" help:"Branches that are never leftovers; instead of the default: main, master, trunk, develop, staging, production, gh-pages, release/*, releases/*. The default branch is never one."`
	Signals   string        `placeholder:"FILE" help:"Tie leftovers to sessions by the session records in this file; - is stdin."`
	Tee       bool          `help:"Copy the lines of stdin to stdout too."`
	ExitCode  bool          `name:"exit-code" help:"Exit 3 when there is a leftover."`
	Limit     time.Duration `default:"1m" help:"Time limit of one git call (${default}); a branch it cuts off is kept."`
	Strict    bool          `help:"Exit 1 when a line of input could not be read as a record."`
}

// livingNames are branches that stay when they are merged: deployments and
// lines of releases trail the base all the time.
var livingNames = []string{"main", "master", "trunk", "develop", "staging", "production", "gh-pages", "release/*", "releases/*"}

// Run lists the leftovers of each repository, in the order they are named.
func (c *listCommand) Run(env *cli.Env) error {
	git, err := repo.NewGit(env.Getenv, c.Limit)
	if err != nil {
		return cli.Failf("%s", err)
	}
	// A git call that is interrupted ends at once, and its temporary directory
	// goes with it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	opt := repo.Options{Base: c.Base, Keep: c.Keep, From: env.Dir}
	if c.Keep == nil {
		opt.Keep = livingNames
	}
	if opt.Sessions, err = c.sessions(env); err != nil {
		return err
	}
	places, err := c.places(env)
	if err != nil {
		return err
	}
	r := run{listCommand: c, env: env, git: git, opt: opt, out: ndjson.NewWriter(env.Stdout)}
	if err := r.all(ctx, places); err != nil {
		return err
	}
	if c.ExitCode && r.found && !env.Diagnostics().Failed() {
		return cli.Exit(cli.ExitMatched)
	}
	return nil
}

// run is one run over the places.
type run struct {
	*listCommand
	env   *cli.Env
	git   *repo.Git
	opt   repo.Options
	out   *ndjson.Writer
	seen  []string // common directories of the repositories that were listed
	found bool
}

// answer is what became of one place.
type answer struct {
	place    place
	repo     *repo.Repository
	rows     []record.Leftover
	fetchErr error
	err      error
}

// ahead is how many repositories are read at a time; git mostly waits for the
// disk.
const ahead = 4

// all looks at the places side by side and writes their rows in order. Nothing
// is written before the last look is over: a closed pipe ends the program, and
// then no temporary directory may be left.
func (r *run) all(ctx context.Context, places []place) error {
	answers := r.open(ctx, places)
	slots := make(chan struct{}, ahead)
	var looks sync.WaitGroup
	for i := range answers {
		looks.Go(func() {
			slots <- struct{}{}
			r.look(ctx, &answers[i])
			<-slots
		})
	}
	looks.Wait()
	if ctx.Err() != nil {
		return cli.Failf("interrupted")
	}
	for i := range answers {
		if err := r.write(&answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// open finds the repositories and drops the places that belong to one that
// was named before.
func (r *run) open(ctx context.Context, places []place) []answer {
	var opened []answer
	for _, p := range places {
		a := answer{place: p}
		a.repo, a.err = r.git.Open(ctx, p.Dir)
		if a.err == nil {
			if slices.Contains(r.seen, a.repo.CommonDir) {
				continue
			}
			r.seen = append(r.seen, a.repo.CommonDir)
		}
		opened = append(opened, a)
	}
	return opened
}

func (r *run) look(ctx context.Context, a *answer) {
	if a.err != nil || ctx.Err() != nil {
		return
	}
	if r.Fetch {
		a.fetchErr = a.repo.Fetch(ctx)
	}
	a.rows, a.err = a.repo.Leftovers(ctx, r.opt)
}

// write prints the rows of a repository and what went wrong with it.
func (r *run) write(a *answer) error {
	if a.fetchErr != nil {
		r.fail(a, "fetch", "could not be fetched, so what follows is its state before: "+a.fetchErr.Error())
	}
	for i := range a.rows {
		if a.rows[i].Leftover != record.Unreadable {
			r.found = true
		}
		if a.rows[i].Error != "" {
			r.fail(a, "row", a.rows[i].Error)
		}
		if r.out.Encode(&a.rows[i]) != nil {
			return cli.Failf("write error on standard output")
		}
	}
	if a.err == nil {
		return nil
	}
	r.fail(a, "repository", a.err.Error())
	// The fault travels in the stream too: silence would read as "no leftovers".
	row := record.Leftover{V: record.Version, Kind: record.KindLeftover, Leftover: record.Unreadable,
		Repo: record.NewPlace(a.place.Dir), Holds: []record.Hold{record.HoldUnchecked}, Error: a.err.Error()}
	if a.repo != nil {
		row.Repo = record.NewPlace(a.repo.Root)
	}
	if r.out.Encode(&row) != nil {
		return cli.Failf("write error on standard output")
	}
	return nil
}

func (r *run) fail(a *answer, kind, message string) {
	if a.place.file != "" {
		r.env.Diagnostics().Fail(kind, a.place.file, a.place.Line, message)
	} else {
		r.env.Diagnostics().Fail(kind, a.place.Dir, 0, message)
	}
}
