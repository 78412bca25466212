package predicate

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"retro/pkg/record"
)

// Gotcha is an entry of a GOTCHAS.md: a trap of the project, where it lies and
// what to do about it.
type Gotcha struct {
	ID string
	// Paths are globs of the files, Commands pieces of the commands, that it is
	// about.
	Paths, Commands []string
	// Text is the entry from its heading on, without white space at the ends.
	Text string
	// Missing are the required fields that are not there, empty or [Unwritten], and
	// `unique id` when an earlier entry has its id. An entry that misses
	// something is shown to nobody.
	Missing []string
}

// Unwritten marks a text of a proposal that a person has to write before it
// counts.
const Unwritten = "TODO(person)"

var (
	gotchaField = regexp.MustCompile(`^\s*[-*]\s+\*\*([^*:]+?):?\*\*:?\s*(.*)$`)
	notInID     = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	gotchaNeeds = []string{"Symptom", "Cause", "Fix / rule", "paths", "confirmed"}
)

// ParseGotchas reads the entries of a GOTCHAS.md: one for every `##` heading
// outside fences. Rules specification, gotchas.
func ParseGotchas(text string) []Gotcha {
	var out []Gotcha
	seen := make(map[string]bool)
	fence := ""
	var entry []string
	flush := func() {
		if len(entry) > 0 {
			out = append(out, readGotcha(entry, seen))
		}
		entry = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		heading := fence == "" && strings.HasPrefix(line, "## ")
		fence = fenceAfter(fence, line)
		if heading {
			flush()
		}
		if heading || len(entry) > 0 {
			entry = append(entry, line)
		}
	}
	flush()
	return out
}

// notSearched are the directories in which no GOTCHAS.md is looked for, besides
// those that begin with a dot.
var notSearched = wordSet("node_modules __pycache__ venv dist build vendor target")

// Gotchas reads the entries of the project: of `GOTCHAS.md` in its root and in
// the directories one and two levels below. An id counts once in all of them.
func (p *Project) Gotchas() []Gotcha {
	if p.Files == nil {
		return nil
	}
	var out []Gotcha
	seen := make(map[string]bool)
	for _, dir := range p.gotchaDirs() {
		text, err := fs.ReadFile(p.Files, path.Join(dir, "GOTCHAS.md"))
		if err != nil {
			continue
		}
		for _, g := range ParseGotchas(string(text)) {
			if seen[g.ID] && !slices.Contains(g.Missing, uniqueID) {
				g.Missing = append(g.Missing, uniqueID)
			}
			seen[g.ID] = true
			out = append(out, g)
		}
	}
	return out
}

func (p *Project) gotchaDirs() []string {
	dirs := []string{"."}
	for _, outer := range p.subdirectories(".") {
		dirs = append(dirs, outer)
		for _, inner := range p.subdirectories(outer) {
			dirs = append(dirs, path.Join(outer, inner))
		}
	}
	return dirs
}

func (p *Project) subdirectories(dir string) []string {
	entries, err := fs.ReadDir(p.Files, dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' && !notSearched[e.Name()] {
			out = append(out, e.Name())
		}
	}
	return out
}

// uniqueID is what an entry misses whose id another one has.
const uniqueID = "unique id"

// fenceAfter is the fence that is open after a line.
func fenceAfter(open, line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) && (open == "" || open == mark) {
			if open == mark {
				return ""
			}
			return mark
		}
	}
	return open
}

func readGotcha(lines []string, seen map[string]bool) Gotcha {
	g := Gotcha{ID: gotchaID(lines[0]), Text: strings.TrimSpace(strings.Join(lines, "\n"))}
	values := make(map[string]string)
	for _, line := range lines[1:] {
		m := gotchaField.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(m[1]))
		if strings.HasPrefix(name, "fix") {
			name = "fix / rule"
		}
		if value := strings.TrimSpace(m[2]); values[name] == "" && !strings.Contains(value, Unwritten) {
			values[name] = value
		}
	}
	for _, need := range gotchaNeeds {
		if values[strings.ToLower(need)] == "" {
			g.Missing = append(g.Missing, need)
		}
	}
	if seen[g.ID] {
		g.Missing = append(g.Missing, uniqueID)
	}
	seen[g.ID] = true
	g.Paths, g.Commands = gotchaList(values["paths"]), gotchaList(values["commands"])
	return g
}

func gotchaID(heading string) string {
	id := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(heading, "##")))
	id = notInID.ReplaceAllString(id, "-")
	return strings.Trim(id[:min(len(id), 80)], "-")
}

// gotchaList splits a value at its commas, those inside braces left out.
func gotchaList(value string) []string {
	var out []string
	depth, start := 0, 0
	add := func(item string) {
		if item = strings.Trim(item, " \t`\"'[]"); item != "" {
			out = append(out, item)
		}
	}
	for i := range len(value) {
		switch value[i] {
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				add(value[start:i])
				start = i + 1
			}
		}
	}
	add(value[start:])
	return out
}

// Applies tells whether the entry is about the call: an edit of a file that
// matches one of its paths, or a command with one of its commands in it.
func (g *Gotcha) Applies(p *Project, c *Call) bool {
	if len(g.Missing) > 0 {
		return false
	}
	if c.IsEdit() && c.Path != "" {
		inside := p.Path(c.Dir, c.Path)
		return inside != record.External && g.MatchesPath(inside.String())
	}
	return c.IsShell() && g.MatchesCommand(c.Command)
}

// MatchesCommand tells whether one of the entry's commands occurs in a line.
func (g *Gotcha) MatchesCommand(line string) bool {
	for _, command := range g.Commands {
		if strings.Contains(line, command) {
			return true
		}
	}
	return false
}

// MatchesPath tells whether one of the entry's globs matches a path of the
// project. `**` crosses directories; a pattern without `/` also matches a name
// anywhere, and one that ends in `/` covers everything below.
func (g *Gotcha) MatchesPath(inside string) bool {
	for _, pattern := range g.Paths {
		pattern = strings.TrimPrefix(pattern, "./")
		switch {
		case matchGlob(pattern, inside):
			return true
		case !strings.Contains(pattern, "/") && matchGlob(pattern, path.Base(inside)):
			return true
		case strings.HasSuffix(pattern, "/") && matchGlob(pattern+"**", inside):
			return true
		}
	}
	return false
}

// matchGlob matches a pattern, and one that is no valid pattern only literally.
func matchGlob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok || err != nil && pattern == name
}
