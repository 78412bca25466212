package detect

import (
	"strings"

	"retro/pkg/profile"
	"retro/pkg/record"
)

// editedFiles finds the edit loops of the original gate: S3.
type editedFiles struct {
	limits profile.Limits
	list   []*editedFile // in order of first sight
	byPath map[string]*editedFile
}

// editedFile is what has to be known of a file.
type editedFile struct {
	path    string
	first   spot   // its first edit ever
	written bool   // which was a Write
	recent  []spot // its latest edits, one less than make a loop
	done    bool   // nothing that comes can change whether it scores
	loop    *spot  // the first edit of the loop, when it scores
}

// take takes an edit; lastEvent is the latest line so far with a failure or a
// rejection.
func (e *editedFiles) take(path string, written bool, at spot, lastEvent int) {
	f := e.byPath[path]
	if f == nil {
		f = &editedFile{path: path, first: at, written: written}
		if e.byPath == nil {
			e.byPath = make(map[string]*editedFile)
		}
		e.byPath[path] = f
		e.list = append(e.list, f)
	}
	f.take(at, e.limits, lastEvent)
}

// take looks at the window that an edit closes: as many edits of the file in
// a row as make a loop. In a file that the agent wrote itself it scores only
// when something went wrong since; else the file is exempt for good.
//
// Events stand on user lines, edits on the agent's, and every event so far is
// behind this edit: so the latest one tells whether there is any in between.
func (f *editedFile) take(at spot, limits profile.Limits, lastEvent int) {
	if f.done {
		return
	}
	if len(f.recent) < limits.LoopEdits-1 {
		f.recent = append(f.recent, at)
		return
	}
	start := f.recent[0]
	if at.turn-start.turn > limits.LoopTurns {
		f.recent = append(f.recent[:0], f.recent[1:]...)
		f.recent = append(f.recent, at)
		return
	}
	f.done, f.recent = true, nil
	if !f.written || lastEvent > f.first.line {
		f.loop = &start
	}
}

// hits lists the loops, one a file, in the order in which the files were first
// edited. dir is the session's directory.
func (e *editedFiles) hits(dir string) []Hit {
	var out []Hit
	for i, f := range e.list {
		if f.loop == nil {
			continue
		}
		h := friction("S3", "edit-loop", *f.loop, i, record.Deterministic)
		h.Line = f.first.line + 1
		h.Evidence.(*record.FrictionEvidence).Path = record.NewPath(below(dir, f.path))
		out = append(out, h)
	}
	return out
}

// below is the path relative to the directory when it lies in it.
func below(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "" {
		return rest
	}
	return path
}
