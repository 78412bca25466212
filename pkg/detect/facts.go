package detect

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/repo"
)

// Facts are the facts of the project at [Options.Root], each read at the first
// question and the same for all sessions of a run. They are safe for use by
// several goroutines.
//
// What a session's records owe to the project is exactly what the session
// asked, and what it saw: [Options.Looked] lists that, and [Facts.Same] tells
// in a later run whether it would see the same. These are the questions:
//
//   - graph: whether there is a code graph. Every session asks, where rules are
//     measured: its record tells it;
//   - changes: whether a change is open, of sessions that edited source files;
//   - gotchas: the complete entries with commands, of sessions that ran one
//     command three times;
//   - repositories: where there are any, of sessions that edited or committed,
//     where defects are measured;
//   - log: the history of each of these from the end of the session back to
//     the lookback before its start. What was committed later is not among it,
//     so a project can grow without its sessions being read again, but when
//     older commits come in by a merge or go by a rebase;
//   - the places of [predicate.Sight]: which names of the session are links, and,
//     of code outside the project, where the repositories are.
type Facts struct {
	rules, counts *predicate.Project // counts: with the settings that reads of code are counted by
	history       func(dir string, since, until time.Time) ([]repo.Commit, error)
	graph         func() bool
	changes       func() bool
	gotchas       func() []predicate.Gotcha
	repositories  func() []string
	ground        predicate.Ground
}

// NewFacts are the facts that the options let a scan look at; nil without a
// root.
func NewFacts(o *Options) *Facts {
	if o.Root == "" {
		return nil
	}
	files := os.DirFS(o.Root)
	f := &Facts{counts: predicate.NewProject(o.Root, files, predicate.DefaultSettings()), history: o.Log}
	f.rules = f.counts
	if o.Registry != nil {
		f.rules = predicate.NewProject(o.Root, files, settingsOf(o.Registry))
	}
	f.graph = sync.OnceValue(f.rules.HasGraph)
	f.changes = sync.OnceValue(func() bool { return len(f.rules.OpenChanges()) > 0 })
	f.gotchas = sync.OnceValue(f.rules.Gotchas)
	f.repositories = sync.OnceValue(func() []string { return repositories(f.rules) })
	return f
}

// Looked is what was looked at of the project while one session was read, and
// what was seen. The zero value is ready to be filled.
type Looked struct {
	Looks  []Look            `json:"looks,omitempty"`
	Places []predicate.Place `json:"places,omitempty"`
	// Unclear tells that something was seen that cannot be told later.
	Unclear bool `json:"unclear,omitempty"`
}

// Look is a question and the answer.
type Look struct {
	About string `json:"about"`
	// Repository is the prefix of a log's paths in the project, Since and Until
	// are its ends in seconds since 1970.
	Repository string `json:"repository,omitempty"`
	Since      int64  `json:"since,omitempty"`
	Until      int64  `json:"until,omitempty"`
	// Saw is a hash of the answer.
	Saw string `json:"saw"`
}

// Same tells whether a session that looked at these would see the same now.
// Where nothing may be looked at, only one that looked at nothing does.
func (f *Facts) Same(l *Looked) bool {
	if f == nil {
		return len(l.Looks)+len(l.Places) == 0 && !l.Unclear
	}
	for _, look := range l.Looks {
		if f.answer(look) != look.Saw {
			return false
		}
	}
	return !l.Unclear && f.ground.Same(l.Places)
}

// answer is a hash of the answer to a question.
func (f *Facts) answer(l Look) string {
	var parts []string
	switch l.About {
	case "graph":
		parts = append(parts, strconv.FormatBool(f.graph()))
	case "changes":
		parts = append(parts, strconv.FormatBool(f.changes()))
	case "gotchas":
		for _, g := range f.gotchas() {
			if len(g.Missing) == 0 && len(g.Commands) > 0 {
				parts = append(parts, g.ID, strconv.Itoa(len(g.Commands)))
				parts = append(parts, g.Commands...)
			}
		}
	case "repositories":
		parts = f.repositories()
	case "log":
		commits, err := f.log(l)
		if err != nil {
			parts = append(parts, "error")
		}
		for _, c := range commits {
			parts = append(parts, c.Hash, strconv.FormatInt(c.Time.Unix(), 10), c.Subject, strconv.Itoa(len(c.Files)))
			parts = append(parts, c.Files...)
		}
	}
	return record.HashOf(16, append(parts, l.About)...).String()
}

func (f *Facts) log(l Look) ([]repo.Commit, error) {
	if f.history == nil {
		return nil, os.ErrPermission
	}
	return f.history(filepath.Join(f.rules.Root, l.Repository), time.Unix(l.Since, 0).UTC(), time.Unix(l.Until, 0).UTC())
}

// view is how one session looks at the facts, which notes what it sees when
// somebody wants to know. The nil view sees nothing.
type view struct {
	*Facts
	looked *Looked
	sight  *predicate.Sight
}

func newView(f *Facts, looked *Looked) *view {
	if f == nil {
		return nil
	}
	v := &view{Facts: f, looked: looked}
	if looked != nil {
		v.sight = new(predicate.Sight)
	}
	return v
}

// asks notes a question.
func (v *view) asks(l Look) {
	if v.looked == nil {
		return
	}
	for _, known := range v.looked.Looks {
		if known.Saw, l.Saw = "", ""; known == l {
			return
		}
	}
	l.Saw = v.answer(l)
	v.looked.Looks = append(v.looked.Looks, l)
}

func (v *view) hasGraph() bool {
	if v == nil {
		return false
	}
	v.asks(Look{About: "graph"})
	return v.graph()
}

func (v *view) hasOpenChange() bool {
	if v == nil {
		return false
	}
	v.asks(Look{About: "changes"})
	return v.changes()
}

func (v *view) allGotchas() []predicate.Gotcha {
	if v == nil {
		return nil
	}
	v.asks(Look{About: "gotchas"})
	return v.gotchas()
}

func (v *view) allRepositories() []string {
	v.asks(Look{About: "repositories"})
	return v.repositories()
}

// logOf is the history of a repository of the project, in whole seconds, as
// git's clock is.
func (v *view) logOf(repository string, since, until time.Time) ([]repo.Commit, error) {
	l := Look{About: "log", Repository: repository, Since: since.Unix(), Until: until.Unix()}
	v.asks(l)
	return v.log(l)
}

// close completes what was looked at.
func (v *view) close() {
	if v != nil && v.looked != nil {
		places, ok := v.sight.Places()
		v.looked.Places, v.looked.Unclear = places, !ok
	}
}
