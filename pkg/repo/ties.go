package repo

import (
	"path/filepath"
	"slices"
	"strings"

	"retro/pkg/record"
)

// Sessions tie leftovers to the sessions that made them, by the names of
// branch, worktree and project in the session records.
type Sessions struct{ all []session }

type session struct {
	id       record.SessionID
	started  string
	project  string
	branches []string
	worktree string
}

// Add takes a session record; other signals, and records that name neither a
// branch nor a worktree, are passed over.
func (s *Sessions) Add(signal *record.Signal) {
	e, ok := signal.Evidence.(*record.SessionEvidence)
	if !ok {
		return
	}
	one := session{id: signal.SessionID, started: e.Started.String(), project: e.Project.String(), worktree: tellingName(e.Worktree)}
	for _, b := range []record.Name{e.BranchFirst, e.BranchLast} {
		if name := tellingName(b); name != "" && name != "HEAD" {
			one.branches = append(one.branches, name)
		}
	}
	if len(one.branches) > 0 || one.worktree != "" {
		s.all = append(s.all, one)
	}
}

// tellingName is a name as the agent wrote it; "" for the word that stands for
// every name that is none.
func tellingName(n record.Name) string {
	if n.String() == record.NewName(" ").String() {
		return ""
	}
	return n.String()
}

// tie writes into each row the session that made what it is about: the
// earliest of those that name it. A session whose directory is known to be the
// repository goes before one whose directory only has the same name; one of
// another project is none.
func (s *Sessions) tie(rows []record.Leftover, places []string, remotes []remote) {
	if s == nil {
		return
	}
	projects, names := projectsOf(places)
	for i := range rows {
		row := &rows[i]
		branch, worktree := namesOf(row, remotes)
		best, bestRank := -1, 0
		for at, one := range s.all {
			named := branch != "" && slices.Contains(one.branches, branch) || worktree != "" && one.worktree == worktree
			rank := one.rank(projects, names)
			if !named || rank == 0 {
				continue
			}
			if best < 0 || rank > bestRank || rank == bestRank && one.before(&s.all[best]) {
				best, bestRank = at, rank
			}
		}
		if best >= 0 {
			row.SessionID = s.all[best].id
		}
	}
}

// before orders sessions by their start; the id decides when it is the same, so
// that the order of the input does not.
func (s *session) before(other *session) bool {
	if s.started != other.started {
		return s.started < other.started
	}
	return s.id.String() < other.id.String()
}

// rank tells how surely the session ran in the repository: 3 by the hash of
// its directory, 2 by the directory's name, 1 when it names no project.
func (s *session) rank(projects, names []string) int {
	if s.project == "" {
		return 1
	}
	if slices.Contains(projects, s.project) {
		return 3
	}
	if cut := strings.LastIndexByte(s.project, '-'); cut > 0 && slices.Contains(names, s.project[:cut]) {
		return 2
	}
	return 0
}

// projectsOf are the projects that sessions in these directories have in their
// records, and the names of the directories.
func projectsOf(places []string) (projects, names []string) {
	for _, p := range places {
		name := filepath.Base(p)
		names = append(names, name)
		projects = append(projects, record.NewName(name+"-"+record.HashOf(8, p).String()).String())
	}
	return projects, names
}

// namesOf are the branch, without its remote, and the worktree that a row is
// about. The rows of the main checkout are about no task.
func namesOf(row *record.Leftover, remotes []remote) (branch, worktree string) {
	if row.Evidence.Worktree != nil && !row.Evidence.Worktree.Main {
		worktree = filepath.Base(row.Evidence.Worktree.Path.String())
	}
	switch row.Leftover {
	case record.Behind, record.Dirty, record.OpenChange, record.SDDWorkspace:
		return "", ""
	case record.OrphanDir:
		return "", filepath.Base(row.Path.String())
	}
	name := row.Ref.String()
	if short, ok := strings.CutPrefix(name, headsPrefix); ok {
		return short, worktree
	}
	if _, full, ok := origin(remotes, name); ok {
		return strings.TrimPrefix(full, headsPrefix), worktree
	}
	return "", worktree
}
