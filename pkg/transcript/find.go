package transcript

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"retro/pkg/ndjson"
)

// Finder finds sessions on disk. It is used for one run: it remembers what it
// has seen, so that a session reached by two ways is read once.
type Finder struct {
	// Subagents takes the transcripts of sub-agents along.
	Subagents bool
	// Skipped is told every file or directory that is left out, and why; may be
	// nil.
	Skipped func(path, reason string)
	// Unreadable is told every file or directory that could not be read; may be
	// nil.
	Unreadable func(path string, err error)

	seen     map[fileKey]bool
	siblings map[string]map[string][]string // by directory: sub-agent files by their session
}

// NewFinder returns a Finder.
func NewFinder(subagents bool) *Finder {
	return &Finder{Subagents: subagents, seen: map[fileKey]bool{}, siblings: map[string]map[string][]string{}}
}

func (f *Finder) skip(path, reason string) {
	if f.Skipped != nil {
		f.Skipped(path, reason)
	}
}

func (f *Finder) unreadable(path string, err error) {
	if f.Unreadable != nil {
		f.Unreadable(path, err)
	}
}

// Path finds the session of a file, or all sessions below a directory in path
// order. A path that is not there gives a session whose reading fails, so that
// the error travels with it.
func (f *Finder) Path(path string) []*Session {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		if err == nil && f.again(path, info) {
			f.skip(path, "read already under another name")
			return nil
		}
		return []*Session{f.at(path)}
	}
	var sessions []*Session
	f.walk(path, func(file string) { sessions = append(sessions, f.at(file)) })
	return sessions
}

// walk visits the main transcripts below a directory in path order. Symbolic
// links to directories are followed, each directory once.
func (f *Finder) walk(dir string, visit func(path string)) {
	info, err := os.Stat(dir)
	if err != nil {
		f.unreadable(dir, err)
		return
	}
	if f.again(dir, info) {
		f.skip(dir, "directory read already")
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.unreadable(dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // behind a link
		switch {
		case err != nil:
			f.unreadable(path, err)
		case info.IsDir():
			f.directory(path, e.Name(), visit)
		case !isTranscriptName(e.Name()), isAgentFile(e.Name()):
		case !f.isFile(path, info):
		case f.again(path, info):
			f.skip(path, "read already under another name")
		default:
			visit(path)
		}
	}
}

// directory goes into a directory unless it belongs to a session beside it.
func (f *Finder) directory(path, name string, visit func(string)) {
	switch name {
	case "subagents", "tool-results":
		if !f.hasTranscript(filepath.Dir(path)) {
			f.skip(path, "companion of a session whose transcript is gone")
		}
		return
	}
	f.walk(path, visit)
}

// hasTranscript tells whether a session's directory has its transcript beside it.
func (f *Finder) hasTranscript(sessionDir string) bool {
	for _, ending := range []string{".jsonl", ".jsonl.gz", ".jsonl.zst"} {
		if _, err := os.Stat(sessionDir + ending); err == nil {
			return true
		}
	}
	return false
}

// isFile tells whether what was found is a file. A pipe or a socket with a
// transcript's name would be waited for without end; who names one wants that.
func (f *Finder) isFile(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		f.skip(path, "no regular file")
	}
	return info.Mode().IsRegular()
}

// again tells whether the file was met before, under whatever name.
func (f *Finder) again(path string, info fs.FileInfo) bool {
	key := keyOf(path, info)
	if f.seen[key] {
		return true
	}
	f.seen[key] = true
	return false
}

// at is the session whose main transcript is at the path.
func (f *Finder) at(path string) *Session {
	stem := stemOf(path)
	s := &Session{ID: stem, Main: FileAt(path)}
	if f.Subagents {
		f.takeAlong(s, filepath.Join(filepath.Dir(path), stem, "subagents"))
		for _, sibling := range f.agentsBeside(filepath.Dir(path))[stem] {
			s.addSubagent(sibling)
		}
	}
	return s
}

// agentsBeside lists the sub-agent transcripts that older versions put beside
// the session's own, by the session they name.
func (f *Finder) agentsBeside(dir string) map[string][]string {
	if found, ok := f.siblings[dir]; ok {
		return found
	}
	found := map[string][]string{}
	f.siblings[dir] = found
	entries, err := os.ReadDir(dir)
	if err != nil {
		return found
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if isAgentFile(e.Name()) && f.isThere(path) {
			file := FileAt(path)
			owner := headOf(&file).sessionID
			found[owner] = append(found[owner], path)
		}
	}
	return found
}

// ProjectsRoot is where Claude Code keeps transcripts, one folder a project:
// below configDir, the value of CLAUDE_CONFIG_DIR, else below home.
func ProjectsRoot(configDir, home string) string {
	if configDir == "" {
		configDir = filepath.Join(home, ".claude")
	}
	return filepath.Join(configDir, "projects")
}

// All finds every session below a projects root. The copies of one session id
// count once: the largest file stands, of equal ones the newest.
func (f *Finder) All(root string) []*Session {
	return f.pick(f.Path(root))
}

// Project finds the sessions of one project: those whose first working
// directory lies in dir or in `dir.wt/`. The folders that are looked at are the
// ones whose names begin with the project's slug; worktrees are among them.
// dir must be absolute.
func (f *Finder) Project(root, dir string) []*Session {
	entries, err := os.ReadDir(root)
	if err != nil {
		f.unreadable(root, err)
		return nil
	}
	dirs := []string{filepath.Clean(dir)}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil && resolved != dirs[0] {
		dirs = append(dirs, resolved)
	}
	var found []*Session
	for _, e := range entries {
		if startsWithAny(e.Name(), dirs, Slug) {
			found = append(found, f.inProject(filepath.Join(root, e.Name()), dirs)...)
		}
	}
	return f.pick(found)
}

func startsWithAny(name string, dirs []string, form func(string) string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(name, form(d)) })
}

// inProject finds the sessions of one folder that began inside the project.
func (f *Finder) inProject(folder string, dirs []string) (found []*Session) {
	f.walk(folder, func(path string) {
		file := FileAt(path)
		first := headOf(&file).dir
		switch {
		case first == "":
			f.skip(path, "names no working directory")
		case !slices.ContainsFunc(dirs, func(d string) bool { return within(first, d) || within(first, d+".wt") }):
			f.skip(path, "belongs to another project")
		default:
			found = append(found, f.at(path))
		}
	})
	return found
}

// within tells whether path is dir or lies below it, by the text alone: the
// directories of old sessions are often gone.
func within(path, dir string) bool {
	path = strings.TrimRight(path, `/\`)
	if !strings.HasPrefix(path, dir) {
		return false
	}
	return len(path) == len(dir) || path[len(dir)] == '/' || path[len(dir)] == '\\' || strings.HasSuffix(dir, "/")
}

// pick keeps one session of each id, in the order of the first of them.
func (f *Finder) pick(sessions []*Session) []*Session {
	best := map[string]int{}
	var out []*Session
	for _, s := range sessions {
		i, known := best[s.ID]
		if !known {
			best[s.ID] = len(out)
			out = append(out, s)
			continue
		}
		loser := s
		if largerOrNewer(s, out[i]) {
			out[i], loser = s, out[i]
		}
		out[i].adopt(loser)
		f.skip(loser.Main.Path, "a smaller copy of a session found elsewhere")
	}
	return out
}

// adopt takes over the sub-agents of a copy of the session: when a transcript
// moves to a worktree's folder, those of earlier sub-agents stay behind. Of two
// copies of one the larger stands.
func (s *Session) adopt(other *Session) {
	at := map[string]int{}
	for i := range s.Subagents {
		at[filepath.Base(s.Subagents[i].Path)] = i
	}
	for _, f := range other.Subagents {
		switch i, known := at[filepath.Base(f.Path)]; {
		case !known:
			s.Subagents = append(s.Subagents, f)
		case f.Size > s.Subagents[i].Size:
			s.Subagents[i] = f
		}
	}
	slices.SortFunc(s.Subagents, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
}

func largerOrNewer(a, b *Session) bool {
	return cmp.Or(cmp.Compare(a.Main.Size, b.Main.Size), a.Main.ModTime.Compare(b.Main.ModTime)) > 0
}

// start is what the first records of a file tell.
type start struct {
	sessionID, dir string
	time           time.Time
}

// The bounds of what headOf reads: records without these fields stand before
// the first one with them.
const (
	headLines = 200
	headBytes = 1 << 20
)

// headOf reads the session id, the working directory and the time off the
// first records that have them.
func headOf(f *File) (s start) {
	r, err := f.Open()
	if err != nil {
		return s
	}
	defer r.Close()
	var rec claudeRecord
	var walker ndjson.Walker
	lines := ndjson.NewLines(io.LimitReader(r, headBytes))
	for n := 0; n < headLines && lines.Next() && (s.sessionID == "" || s.dir == "" || s.time.IsZero()); n++ {
		if !rec.parse(&walker, trimSpace(lines.Line().Bytes)) {
			continue
		}
		s.sessionID = cmp.Or(s.sessionID, rec.sessionID.String())
		s.dir = cmp.Or(s.dir, rec.cwd.String())
		if s.time.IsZero() {
			s.time, _ = parseTime([]byte(rec.timestamp.String()))
		}
	}
	return s
}

// FirstDir looks into the session's transcript for the working directory it began
// in, "" when its first records name none.
func (s *Session) FirstDir() string { return headOf(&s.Main).dir }

// Date looks into the session's files for the time of the records that stand
// before the first one with a time, so that a period can cut them too. A stream
// cannot be looked into.
func (s *Session) Date() {
	if s.Main.Size > 0 {
		s.Main.Start = headOf(&s.Main).time
	}
	for i := range s.Subagents {
		s.Subagents[i].Start = headOf(&s.Subagents[i]).time
	}
}

// AtPath is the session whose main transcript is at the path, with the
// transcripts of its sub-agents: `x.jsonl` takes `x/subagents/` along.
func AtPath(path string, subagents bool) *Session { return NewFinder(subagents).at(path) }

// FromStream is the session that a stream holds; id names it, and may be empty.
func FromStream(name, id string, r io.Reader) *Session {
	return &Session{ID: id, Main: File{Path: name, Open: func() (io.ReadCloser, error) { return decompress(io.NopCloser(r)) }}}
}

// FileAt is the transcript file at a path.
func FileAt(path string) File {
	f := File{Path: path, Open: func() (io.ReadCloser, error) { return openPath(path) }}
	if info, err := os.Stat(path); err == nil {
		f.Size, f.ModTime = info.Size(), info.ModTime()
		if info.IsDir() {
			f.Open = func() (io.ReadCloser, error) { return nil, errors.New("is a directory") }
		}
	}
	return f
}

// isThere is isFile for a path; what cannot be looked at is left to who reads it.
func (f *Finder) isThere(path string) bool {
	info, err := os.Stat(path)
	return err != nil || f.isFile(path, info)
}

// takeAlong adds the sub-agent transcripts at any depth below dir.
func (f *Finder) takeAlong(s *Session, dir string) {
	var paths []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isAgentFile(d.Name()) && f.isThere(path) {
			paths = append(paths, path)
		}
		return nil
	})
	slices.Sort(paths)
	for _, p := range paths {
		s.addSubagent(p)
	}
}

// addSubagent adds one. Files that an agent made as copies of the session are
// counted, not read.
func (s *Session) addSubagent(path string) {
	if isCopyFile(filepath.Base(path)) {
		s.Copies++
		return
	}
	s.Subagents = append(s.Subagents, FileAt(path))
}

// stemOf is a transcript's file name without its endings.
func stemOf(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".jsonl", ".json"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// isAgentFile tells whether a name is that of a sub-agent's transcript.
func isAgentFile(name string) bool {
	return strings.HasPrefix(name, "agent-") && isTranscriptName(name)
}

// isCopyFile tells whether a name is that of a copy of the parent's records:
// the agents of automatic compaction and of asides.
func isCopyFile(name string) bool {
	return strings.HasPrefix(name, "agent-acompact-") || strings.HasPrefix(name, "agent-aside_question-")
}

// isTranscriptName tells whether a file name is that of a transcript.
func isTranscriptName(name string) bool {
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.HasSuffix(name, ".jsonl")
}

// Slug is the name that Claude Code gives a project's folder of transcripts:
// the absolute path with every character outside A-Za-z0-9 replaced by `-`.
// It cannot be turned back into the path.
func Slug(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}
