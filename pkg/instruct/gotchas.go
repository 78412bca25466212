package instruct

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/shell"
)

// entries reads the entries of the gotcha files.
func (m *measure) entries() []*record.GotchaEntry {
	var out []*record.GotchaEntry
	ids := make(map[string]bool)
	for _, s := range m.seen {
		if s.tier != "gotchas" {
			continue
		}
		for _, g := range predicate.ParseGotchas(s.text) {
			if ids[g.ID] && !slices.Contains(g.Missing, "unique id") {
				g.Missing = append(g.Missing, "unique id")
			}
			ids[g.ID] = true
			out = append(out, m.entry(s, g))
		}
	}
	return out
}

func (m *measure) entry(s source, g predicate.Gotcha) *record.GotchaEntry {
	e := &record.GotchaEntry{
		BucketHead: record.NewBucketHead(record.BucketGotchaEntry), Gotcha: strings.ToValidUTF8(g.ID, ""),
		LayoutPlace: record.LayoutPlace{File: record.NewPath(s.file), Line: lineOf(s.text, g.Text)},
		Bytes:       len(g.Text), Budget: m.each, Programs: []record.Program{}, Paths: len(g.Paths),
		Missing: append([]string{}, g.Missing...), Stale: len(g.Paths) > 0 && !m.matchesAny(g.Paths),
	}
	for _, command := range g.Commands {
		for _, c := range shell.Commands(command) {
			if p := record.NewProgram(c.Program()); !p.IsZero() && !slices.Contains(e.Programs, p) {
				e.Programs = append(e.Programs, p)
			}
		}
	}
	if e.Bytes > e.Budget {
		m.out.Over = append(m.out.Over, record.LayoutOver{
			Tier: record.NewName("gotcha_entry"), File: e.File, Gotcha: e.Gotcha, Size: e.Bytes, Budget: e.Budget, Unit: record.NewName("bytes"),
		})
	}
	return e
}

// lineOf is the line on which an entry begins.
func lineOf(text, entry string) int {
	heading, _, _ := strings.Cut(entry, "\n")
	at := strings.Index(text, strings.TrimRight(heading, "\r"))
	return 1 + strings.Count(text[:max(at, 0)], "\n")
}

// matchesAny tells whether one of the globs matches a file of the project.
// Files that git ignores count: a warning about .env.local is no stale one.
func (m *measure) matchesAny(globs []string) bool {
	for _, glob := range globs {
		// A plain path needs no walk through the project.
		if plain := strings.TrimPrefix(glob, "./"); fs.ValidPath(plain) && !strings.ContainsAny(plain, `*?[{\`) {
			if _, err := fs.Stat(m.files, plain); err == nil {
				return true
			}
		}
	}
	g := predicate.Gotcha{Paths: globs}
	return slices.ContainsFunc(m.allPaths(), g.MatchesPath)
}

// allPaths lists every file, but for those of git and of node_modules. Symbolic
// links are files: they are not followed.
func (m *measure) allPaths() []string {
	if m.paths == nil {
		m.paths = []string{}
		fs.WalkDir(m.files, ".", func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && d != nil && d.IsDir():
				return fs.SkipDir
			case err != nil:
				return nil
			case !d.IsDir():
				m.paths = append(m.paths, file)
			case slices.Contains([]string{".git", "node_modules"}, path.Base(file)), file != "." && m.isWorktree(file):
				return fs.SkipDir
			}
			return nil
		})
	}
	return m.paths
}
