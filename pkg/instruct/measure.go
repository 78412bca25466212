package instruct

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"retro/pkg/predicate"
	"retro/pkg/record"
)

// Measured is what [Measure] found.
type Measured struct {
	Layout  *record.Layout
	Gotchas []*record.GotchaEntry // in the order of the files
}

// Bad tells whether anything needs an edit: something is over its budget, an
// import leads nowhere, an entry is not complete, or a file holds a text that a
// person has to write. A structural reason that
// is none of these does not count.
func (m *Measured) Bad() bool {
	invalid := slices.ContainsFunc(m.Gotchas, func(g *record.GotchaEntry) bool { return len(g.Missing) > 0 })
	return invalid || len(m.Layout.Over) > 0 || len(m.Layout.Missing) > 0 || len(m.Layout.Unwritten) > 0
}

// HasConfig tells whether the project has budgets of its own.
func HasConfig(files fs.FS) bool {
	_, err := fs.Stat(files, Path)
	return err == nil
}

// Measure weighs the instruction files under a root. The error is [*Invalid] for
// budgets that cannot be used, or of the file system when they cannot be read. A
// file that cannot be read is named in the record and weighs nothing.
func Measure(files fs.FS) (*Measured, error) {
	c, err := readConfig(files)
	if err != nil {
		return nil, err
	}
	m := &measure{config: c, files: files, out: &record.Layout{
		BucketHead: record.NewBucketHead(record.BucketLayout), Config: c.source, Method: Method, Call: c.call,
		AlwaysLoaded: record.LayoutAlways{Files: []record.LayoutFile{}, Budget: c.always},
		Over:         []record.LayoutOver{}, Dated: []record.LayoutDated{}, Repeated: []record.LayoutRepeated{},
		Padding: []record.LayoutPadding{}, Missing: []record.LayoutReference{}, Stale: []record.LayoutReference{},
		Unreadable: []record.LayoutUnreadable{}, Unwritten: []record.LayoutPlace{}, Structural: []string{},
	}}
	m.loadAlways()
	m.overTotal()
	m.out.Router = m.tier("router", c.routers, c.router)
	m.out.Doc = m.tier("doc", c.docs, c.doc)
	gotchas := m.tier("gotchas", c.gotchas, c.gotchaFile)
	m.out.Gotchas = gotchas
	m.scoped()
	m.repeated()
	entries := m.entries()
	m.out.Entries = len(entries)
	m.structural()
	return &Measured{Layout: m.out, Gotchas: entries}, nil
}

// measure is one run of [Measure].
type measure struct {
	config
	files fs.FS
	out   *record.Layout
	seen  []source // every file that is in a tier
	paths []string // every file of the project, made when first asked for
}

// source is an instruction file that was read.
type source struct {
	file string
	tier string
	text string
	info fs.FileInfo
}

// take reads a file into a tier, once: a second name of the same file, as of an
// AGENTS.md that is a link to CLAUDE.md, costs nothing more.
func (m *measure) take(tier, file string) (source, bool) {
	info, err := fs.Stat(m.files, file)
	if err != nil || !info.Mode().IsRegular() {
		return source{}, false
	}
	if slices.ContainsFunc(m.seen, func(s source) bool { return s.file == file || os.SameFile(s.info, info) }) {
		return source{}, false
	}
	data, err := fs.ReadFile(m.files, file)
	if err != nil {
		m.out.Unreadable = append(m.out.Unreadable, record.LayoutUnreadable{File: record.NewPath(file), Reason: reason(err)})
		return source{}, false
	}
	s := source{file, tier, string(data), info}
	m.seen = append(m.seen, s)
	m.signs(s)
	return s, true
}

// reason is the error without the path, which stands beside it.
func reason(err error) string {
	if pathError, ok := err.(*fs.PathError); ok {
		err = pathError.Err
	}
	return err.Error()
}

// signs notes the dated headings and the padded tables of a file, and where a
// person has to write. Of gotchas the entries tell that.
func (m *measure) signs(s source) {
	if at := strings.Index(s.text, predicate.Unwritten); at >= 0 && s.tier != "gotchas" {
		m.out.Unwritten = append(m.out.Unwritten, record.LayoutPlace{File: record.NewPath(s.file), Line: 1 + strings.Count(s.text[:at], "\n")})
	}
	if lines := datedHeadings(s.text); len(lines) > 0 {
		m.out.Dated = append(m.out.Dated, record.LayoutDated{File: record.NewPath(s.file), Count: len(lines), Lines: lines[:min(3, len(lines))]})
	}
	// Less than a kilobyte of blanks is a table that somebody can read.
	if n := padding(s.text); n >= 1024 {
		m.out.Padding = append(m.out.Padding, record.LayoutPadding{File: record.NewPath(s.file), Bytes: n})
	}
}

// maxHops is how deep imports are followed.
const maxHops = 4

// loadAlways reads the files that every session loads and what they import,
// breadth first.
func (m *measure) loadAlways() {
	type step struct {
		file, via string
		hops      int
	}
	var queue []step
	for _, glob := range m.alwaysLoaded {
		for _, file := range m.glob(glob) {
			queue = append(queue, step{file: file})
		}
	}
	total := &m.out.AlwaysLoaded
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		s, ok := m.take("always_loaded", at.file)
		if !ok {
			continue
		}
		f := record.LayoutFile{File: record.NewPath(at.file), Tokens: Tokens([]byte(s.text))}
		if at.via != "" {
			f.Via = record.NewPath(at.via)
		}
		total.Files = append(total.Files, f)
		total.Total += f.Tokens
		for _, target := range importsOf(s.text) {
			file := target.resolve(at.file)
			if file != "" && m.exists(file) {
				if at.hops < maxHops {
					queue = append(queue, step{file, at.file, at.hops + 1})
				}
			} else if target.isFile() {
				m.out.Missing = append(m.out.Missing, reference(at.file, target.line, target.target))
			}
		}
	}
}

func reference(file string, line int, target string) record.LayoutReference {
	return record.LayoutReference{LayoutPlace: record.LayoutPlace{File: record.NewPath(file), Line: line}, Target: strings.ToValidUTF8(target, "\uFFFD")}
}

func (m *measure) exists(file string) bool {
	info, err := fs.Stat(m.files, file)
	return err == nil && info.Mode().IsRegular()
}

func (m *measure) overTotal() {
	a := &m.out.AlwaysLoaded
	if a.Over = a.Total > a.Budget; a.Over {
		m.over("always_loaded", record.Path{}, a.Total, a.Budget)
	}
}

func (m *measure) over(tier string, file record.Path, size, budget int) {
	m.out.Over = append(m.out.Over, record.LayoutOver{Tier: record.NewName(tier), File: file, Size: size, Budget: budget, Unit: record.NewName("tokens")})
}

// tier reads the files of a tier that no earlier tier has.
func (m *measure) tier(name string, globs []string, budget int) record.LayoutTier {
	t := record.LayoutTier{Files: []record.LayoutFile{}, Budget: budget}
	for _, glob := range globs {
		for _, file := range m.glob(glob) {
			s, ok := m.take(name, file)
			if !ok {
				continue
			}
			f := record.LayoutFile{File: record.NewPath(file), Tokens: Tokens([]byte(s.text))}
			if f.Over = budget > 0 && f.Tokens > budget; f.Over {
				m.over(name, f.File, f.Tokens, budget)
			}
			t.Files = append(t.Files, f)
		}
	}
	return t
}

// notSearched are directories in which no instruction file is the project's own.
var notSearched = []string{".git", "node_modules", ".code-graph", ".coograph", "__pycache__", ".venv", "venv", "dist", "build"}

// glob lists the files that match, sorted.
func (m *measure) glob(pattern string) []string {
	found, _ := doublestar.Glob(m.files, strings.TrimPrefix(pattern, "./"), doublestar.WithNoFollow())
	out := found[:0]
	for _, file := range found {
		if !m.isExcluded(file) {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}

func (m *measure) isExcluded(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if slices.Contains(notSearched, path.Base(dir)) || m.isWorktree(dir) {
			return true
		}
	}
	return false
}

// isWorktree tells whether a directory is a linked working tree: a copy of a
// repository, whose instruction files are counted there.
func (m *measure) isWorktree(dir string) bool {
	info, err := fs.Stat(m.files, dir+"/.git")
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := fs.ReadFile(m.files, dir+"/.git")
	return err == nil && strings.HasPrefix(string(text), "gitdir:") && strings.Contains(string(text), "/worktrees/")
}

// scopedFiles are where agents keep instructions for some paths.
var scopedFiles = []string{".github/instructions/**/*.instructions.md", ".claude/rules/**/*.md", ".cursor/rules/**/*.mdc"}

// scoped reads the files that are loaded for some paths, and finds globs that
// match none.
func (m *measure) scoped() {
	m.out.Scoped = m.tier("scoped", scopedFiles, 0)
	for _, s := range m.seen {
		if s.tier != "scoped" {
			continue
		}
		for _, g := range scopeOf(s.text).globs {
			if !m.matchesAny([]string{g.glob}) {
				m.out.Stale = append(m.out.Stale, reference(s.file, g.line, g.glob))
			}
		}
	}
}

// mostRepeated is how many repeated paragraphs the record has.
const mostRepeated = 20

// repeated finds the paragraphs that stand in two or more files that are always
// loaded, longest first.
func (m *measure) repeated() {
	at := make(map[string]int) // in found
	var found []record.LayoutRepeated
	for _, s := range m.seen {
		if s.tier != "always_loaded" {
			continue
		}
		for _, p := range paragraphs(s.text) {
			i, known := at[p.text]
			if !known {
				i = len(found)
				at[p.text] = i
				found = append(found, record.LayoutRepeated{Characters: utf8.RuneCountInString(p.text)})
			}
			place := record.LayoutPlace{File: record.NewPath(s.file), Line: p.line}
			if places := found[i].Places; len(places) == 0 || places[len(places)-1].File != place.File {
				found[i].Places = append(places, place)
			}
		}
	}
	found = slices.DeleteFunc(found, func(r record.LayoutRepeated) bool { return len(r.Places) < 2 })
	slices.SortStableFunc(found, func(a, b record.LayoutRepeated) int { return cmp.Compare(b.Characters, a.Characters) })
	m.out.Repeated = append(m.out.Repeated, found[:min(len(found), mostRepeated)]...)
}

// structural says why small edits do not help (rules specification, layout
// signals).
func (m *measure) structural() {
	add := func(format string, args ...any) {
		m.out.Structural = append(m.out.Structural, fmt.Sprintf(format, args...))
	}
	if a := m.out.AlwaysLoaded; float64(a.Total) > float64(a.Budget)*m.structuralFactor {
		add("always-loaded over budget x structural_factor")
	}
	for _, t := range []record.LayoutTier{m.out.Router, m.out.Doc} {
		for _, f := range t.Files {
			if f.Tokens > 2*t.Budget {
				add("%s over twice its budget", f.File)
			}
		}
	}
	for _, d := range m.out.Dated {
		if d.Count >= 3 {
			add("%s has %d dated headings", d.File, d.Count)
		}
	}
}
