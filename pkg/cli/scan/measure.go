package scan

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/record"
	"retro/pkg/repo"
	"retro/pkg/rules"
	"retro/pkg/store"
)

// measuring says which rules are measured and what may be looked at for it.
type measuring struct {
	Root      string `placeholder:"DIR" help:"Look at the facts of the project in this directory too: code graph, open changes, gotchas, git log."`
	Registry  string `placeholder:"FILE" help:"Measure the rules of this registry (default: that of --root, else of --project; without one no rule is measured)."`
	Decisions string `placeholder:"FILE" help:"Tell what came of the decisions of rule hooks in this signals store (default: the store of --root)."`

	source string // the path of the registry that is used
}

// configure fills in the options. A registry or a store that cannot be used is
// told; everything else is scanned all the same.
func (m *measuring) configure(env *cli.Env, opt *detect.Options) {
	if m.Root != "" {
		opt.Root = absolute(env, m.Root)
	}
	opt.Registry = m.registry(env, cmp.Or(m.Root, opt.Project))
	if opt.Registry == nil || m.Root == "" && m.Decisions == "" {
		return
	}
	if m.Root != "" {
		opt.Log = gitLog(env)
	}
	opt.Decisions = m.decisions(env)
}

// registry reads the registry; nil when there is none.
func (m *measuring) registry(env *cli.Env, dir string) *rules.Registry {
	path := m.Registry
	if path == "" {
		project, err := store.FindProject(absolute(env, dir))
		if dir == "" || err != nil || !project.HasRegistry() {
			return nil
		}
		path = project.Registry()
	}
	registry, err := rules.Read(path)
	if err == nil {
		m.source = path
		return registry
	}
	reason := why(err)
	if invalid := new(rules.Invalid); errors.As(err, &invalid) || errors.Is(err, rules.ErrMalformed) {
		reason = err.Error()
	}
	env.Diagnostics().Fail("registry", path, 0, reason)
	return nil
}

// decisions reads what rule hooks noted. A store that is not there holds
// nothing, unless it was named.
func (m *measuring) decisions(env *cli.Env) []record.Signal {
	path := m.Decisions
	if path == "" {
		project, err := store.FindProject(absolute(env, m.Root))
		if err != nil {
			return nil
		}
		path = project.Signals()
	}
	f, err := os.Open(path)
	if err != nil {
		if m.Decisions != "" || !errors.Is(err, fs.ErrNotExist) {
			env.Diagnostics().Fail("signals", path, 0, why(err))
		}
		return nil
	}
	defer f.Close()
	var out []record.Signal
	for s, err := range store.ReadSignals(f) {
		if err != nil {
			env.Diagnostics().Warn("signals", path, 0, "a line of the store is not a record")
		} else if s.Kind == record.Decision {
			out = append(out, s)
		}
	}
	return out
}

func absolute(env *cli.Env, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(env.Dir, dir)
}

// gitLimit is the time limit of one git call (rules specification, defect).
const gitLimit = 5 * time.Second

// gitLog reads histories and remembers the longest of each repository, so that
// many sessions of one project start git once or twice; what each is told does
// not depend on the others. It is nil without git.
func gitLog(env *cli.Env) func(dir string, since, until time.Time) ([]repo.Commit, error) {
	git, err := repo.NewGit(env.Getenv, gitLimit)
	if err != nil {
		return nil
	}
	type reading struct {
		since   time.Time
		history *repo.History
		err     error // reading further back failed, and is not tried again
	}
	var mu sync.Mutex
	known := make(map[string]*reading)
	return func(dir string, since, until time.Time) ([]repo.Commit, error) {
		mu.Lock()
		defer mu.Unlock()
		r := known[dir]
		if r == nil {
			r = new(reading)
			known[dir] = r
		}
		if r.history == nil || since.Before(r.since) {
			if r.err != nil {
				return nil, r.err
			}
			history, err := git.Log(context.Background(), dir, since)
			if err != nil {
				r.err = err
				return nil, err
			}
			r.since, r.history = since, history
		}
		return r.history.Between(since, until), nil
	}
}
