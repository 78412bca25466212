package transcript

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FileAt is the transcript file at a path.
func FileAt(path string) File {
	f := File{Path: path, Open: func() (io.ReadCloser, error) { return openPath(path) }}
	if info, err := os.Stat(path); err == nil {
		f.Size = info.Size()
	}
	return f
}

// AtPath is the session whose main transcript is at the path, with the
// transcripts of its sub-agents: `x.jsonl` takes `x/subagents/` along.
func AtPath(path string, subagents bool) *Session {
	stem := stemOf(path)
	s := &Session{ID: stem, Main: FileAt(path)}
	if subagents {
		s.takeAlong(filepath.Join(filepath.Dir(path), stem, "subagents"))
	}
	return s
}

// FromStream is the session that a stream holds; id names it, and may be empty.
func FromStream(name, id string, r io.Reader) *Session {
	return &Session{ID: id, Main: File{Path: name, Open: func() (io.ReadCloser, error) { return decompress(io.NopCloser(r)) }}}
}

// stemOf is a transcript's file name without its endings.
func stemOf(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".jsonl", ".json"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// takeAlong adds the sub-agent transcripts at any depth below dir. Files that
// an agent made as copies of the session are counted, not read.
func (s *Session) takeAlong(dir string) {
	var paths []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isAgentFile(d.Name()) {
			paths = append(paths, path)
		}
		return nil
	})
	slices.Sort(paths)
	for _, p := range paths {
		s.addSubagent(p)
	}
}

func (s *Session) addSubagent(path string) {
	if isCopyFile(filepath.Base(path)) {
		s.Copies++
		return
	}
	s.Subagents = append(s.Subagents, FileAt(path))
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
