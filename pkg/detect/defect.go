package detect

import (
	"io/fs"
	"regexp"
	"slices"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/repo"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "defect",
		Doc:  "A fix was committed in the session on files that another recent commit touched.",
		New:  defect,
	})
}

// Limits of the defect detector, of the rules specification.
const (
	maxDefects      = 20
	maxRepositories = 5
	defaultLookback = 14 // days
	// commitGrace is how long after the end of a `git commit` call, or of the
	// session, a commit still belongs to it: git's clock has whole seconds.
	commitGrace = 2 * time.Second
)

// fixSubject tells a fix by the first line of its message.
var fixSubject = regexp.MustCompile(`(?i)^(?:fix|hotfix|revert)\b`)

// notRepositories are the names of directories in which no repository of the
// project is looked for, besides those that begin with a dot.
var notRepositories = []string{"node_modules", "dist", "build", "vendor", "__pycache__", "openspec"}

// commitCall is a `git commit` that the session ran.
type commitCall struct {
	place
	end time.Time
}

// defect looks at the history of the project when the session has been read.
//
// A fix belongs to one session: to the one that ran `git commit` when it was
// made, or, if the person commits by hand, to one that ran no commit at all, was
// open, and had edited a file of the fix before. So sessions that merely
// overlap do not report each other's fixes, and a session can be scanned alone.
//
// Note: its precision is not measured. No recorded session comes with the
// history of its repository; the tests build theirs.
func defect(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("defect")
	if !on || opt.Log == nil || opt.Root == "" {
		return nil
	}
	w := &work{edits: make(map[string]place)}
	return &Observer{
		Block: func(b *transcript.Block) { w.block(s, b) },
		End: func(*transcript.Summary) {
			if s.first.IsZero() || len(w.commits) == 0 && len(w.edits) == 0 {
				return
			}
			for n, d := range w.defects(s, opt) {
				if n < maxDefects {
					report(d.at.hit(d.evidence, rule, d.repository+" "+d.evidence.Fix.String()+" "+d.evidence.Origin.String()))
				}
			}
		},
	}
}

// defects are those of all the project's repositories. A repository whose
// history cannot be read has none.
func (w *work) defects(s *ruleSession, opt *Options) []pair {
	var out []pair
	for _, prefix := range opt.view.allRepositories() {
		h := history{prefix: prefix, lookback: lookback(s)}
		var err error
		h.commits, err = opt.view.logOf(prefix, s.first.AddDate(0, 0, -h.lookback-1), s.last.Add(commitGrace))
		if err != nil {
			continue
		}
		for i := range h.commits {
			out = append(out, h.defects(i, w, s)...)
		}
	}
	return out
}

func lookback(s *ruleSession) int {
	if days := s.registry.Thresholds.DefectLookbackDays; days > 0 {
		return days
	}
	return defaultLookback
}

// work is what a session did to files and history.
type work struct {
	commits []commitCall
	edits   map[string]place // the first edit of each path of the project
}

func (w *work) block(s *ruleSession, b *transcript.Block) {
	switch {
	case b.Kind == transcript.ToolResult && b.Call != nil:
		for i := len(w.commits) - 1; i >= 0; i-- {
			if w.commits[i].id == string(b.Call.ID) {
				w.commits[i].end = b.Time
				return
			}
		}
	case b.Kind != transcript.ToolCall:
	case s.call.IsShell() && predicate.Commits(s.call):
		w.commits = append(w.commits, commitCall{placeOf(b), b.Time})
	case s.call.IsEdit():
		file := s.project.Path(s.call.Dir, s.call.Path).String()
		if _, again := w.edits[file]; !again {
			w.edits[file] = placeOf(b)
		}
	}
}

// made tells whether a commit is the session's, and where in it that shows.
func (w *work) made(c *repo.Commit, prefix string, s *ruleSession) (place, bool) {
	for _, call := range w.commits {
		if !c.Time.Before(call.time.Truncate(time.Second)) && !c.Time.After(call.end.Add(commitGrace)) {
			return call.place, true
		}
	}
	if len(w.commits) > 0 || c.Time.Before(s.first.Truncate(time.Second)) || c.Time.After(s.last.Add(commitGrace)) {
		return place{}, false
	}
	for _, file := range c.Files {
		if at, edited := w.edits[record.NewPath(prefix+file).String()]; edited && !at.time.After(c.Time.Add(commitGrace)) {
			return at, true
		}
	}
	return place{}, false
}

// history is the log of one repository, newest first.
type history struct {
	prefix   string // of its paths in the project, with a slash at the end
	lookback int    // days
	commits  []repo.Commit
}

// pair is a fix and the commit that it mends.
type pair struct {
	repository string // prefix of its paths
	evidence   *record.DefectEvidence
	at         place
}

// defects are the defects that the commit at an index fixes: one for each older
// commit that was the last, fixes left out, to touch a file of it. The lookback
// counts from the fix.
func (h *history) defects(i int, w *work, s *ruleSession) []pair {
	fix := &h.commits[i]
	if !fixSubject.MatchString(fix.Subject) {
		return nil
	}
	at, ours := w.made(fix, h.prefix, s)
	if !ours {
		return nil
	}
	at.time = fix.Time
	var out []pair
	byOrigin := make(map[string]*record.DefectEvidence)
	for _, file := range slices.Sorted(slices.Values(fix.Files)) {
		origin, known := h.origin(i, file)
		if !known {
			continue
		}
		e := byOrigin[origin.Hash]
		if e == nil {
			e = &record.DefectEvidence{Fix: shortHash(fix), Origin: shortHash(origin), Days: h.lookback, Site: at.site()}
			byOrigin[origin.Hash] = e
			out = append(out, pair{h.prefix, e, at})
		}
		if e.Count++; e.Count <= maxFiles {
			e.Files = append(e.Files, record.NewPath(h.prefix+file))
		}
	}
	return out
}

// origin is the newest commit older than the one at i that touched a file and is
// no fix itself, within the lookback.
func (h *history) origin(i int, file string) (*repo.Commit, bool) {
	oldest := h.commits[i].Time.AddDate(0, 0, -h.lookback)
	for j := i + 1; j < len(h.commits); j++ {
		c := &h.commits[j]
		if c.Time.Before(oldest) {
			continue
		}
		if !fixSubject.MatchString(c.Subject) && slices.Contains(c.Files, file) {
			return c, true
		}
	}
	return nil, false
}

// shortHash is the same length in every repository, so that a commit has one
// name between captures.
func shortHash(c *repo.Commit) record.Hash {
	hash, _ := record.NewHash(c.Hash[:min(12, len(c.Hash))])
	return hash
}

// repositories are the prefixes of the project's repositories: "" when the root
// is one, else the directories directly below it that are.
func repositories(p *predicate.Project) []string {
	if exists(p.Files, ".git") {
		return []string{""}
	}
	entries, err := fs.ReadDir(p.Files, ".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && name[0] != '.' && !slices.Contains(notRepositories, name) && exists(p.Files, name+"/.git") && len(out) < maxRepositories {
			out = append(out, name+"/")
		}
	}
	return out
}

func exists(files fs.FS, name string) bool {
	if files == nil {
		return false
	}
	_, err := fs.Stat(files, name)
	return err == nil
}
