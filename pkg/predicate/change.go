package predicate

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Change is a proposal that is being worked on: a directory under the
// directory of changes, with the paths that its tasks name.
type Change struct {
	// Name is the directory's name.
	Name string
	// Scope are the paths and directories named in its tasks.md; empty when it
	// names none, and then nothing can be said about the scope.
	Scope []string
}

// OpenChanges are the names of the proposals that are not archived, sorted.
func (p *Project) OpenChanges() []string {
	if p.Files == nil {
		return nil
	}
	entries, err := fs.ReadDir(p.Files, p.Changes)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "archive" {
			out = append(out, e.Name())
		}
	}
	return out
}

// ActiveChange is the proposal that is being worked on: the one whose tasks.md
// was written last, or, when none has one, the newest directory. Rules
// specification, warn-scope.
func (p *Project) ActiveChange() (Change, bool) {
	var name string
	var written time.Time
	newest := func(file string) {
		for _, dir := range p.OpenChanges() {
			info, err := fs.Stat(p.Files, path.Join(p.Changes, dir, file))
			if err == nil && (name == "" || info.ModTime().After(written)) {
				name, written = dir, info.ModTime()
			}
		}
	}
	if newest("tasks.md"); name == "" {
		newest(".")
		return Change{Name: name}, name != ""
	}
	tasks, err := fs.ReadFile(p.Files, path.Join(p.Changes, name, "tasks.md"))
	if err != nil {
		return Change{}, false
	}
	return Change{Name: name, Scope: scopeOf(string(tasks))}, true
}

var (
	codeSpan   = regexp.MustCompile("`([^`\\s]+)`")
	lineNumber = regexp.MustCompile(`(?::\d+)+$`)
)

// taskSuffixes are the endings by which a word without a slash is known to be a
// file.
var taskSuffixes = strings.Fields(`.ts .tsx .js .jsx .mjs .cjs .py .go .rs .java .kt .rb .php .cs .swift .dart .vue .svelte
	.json .yaml .yml .toml .md .sh .css .scss .sql`)

// scopeOf finds the paths between backquotes.
func scopeOf(tasks string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(tasks, -1) {
		token := lineNumber.ReplaceAllString(m[1], "")
		for strings.HasPrefix(token, "./") {
			token = token[2:]
		}
		if token != "" && isTaskPath(token) && !slices.Contains(out, token) {
			out = append(out, token)
		}
	}
	return out
}

func isTaskPath(token string) bool {
	if strings.HasPrefix(token, "http://") || strings.HasPrefix(token, "https://") || token[0] == '-' {
		return false
	}
	return strings.Contains(token, "/") || slices.Contains(taskSuffixes, path.Ext(token))
}

// Covers tells whether the tasks name a path, a directory above it, a pattern
// for it, or its name alone. A name with a directory covers no file of that name
// elsewhere.
func (c Change) Covers(inside string) bool {
	return slices.ContainsFunc(c.Scope, func(token string) bool {
		return token == inside ||
			strings.HasSuffix(inside, "/"+token) ||
			strings.HasSuffix(token, "/"+inside) ||
			strings.HasPrefix(inside, strings.TrimSuffix(token, "/")+"/") ||
			strings.ContainsAny(token, "*?{") && matchGlob(token, inside)
	})
}

// OutOfScope tells whether the call edits a file of the project that the active
// change does not name. Edits of OpenSpec's own files are always in scope, and
// where there is no change, or one that names no path, there is no scope.
func (p *Project) OutOfScope(c *Call) (inside string, change string, out bool) {
	if !p.HasScope(c) {
		return "", "", false
	}
	active, found := p.ActiveChange()
	inside = p.Path(c.Dir, c.Path).String()
	if !found || len(active.Scope) == 0 || active.Covers(inside) {
		return "", "", false
	}
	return inside, active.Name, true
}

// HasScope tells whether the call is an edit that could be out of scope: of a
// file of the project that is not OpenSpec's own.
func (p *Project) HasScope(c *Call) bool {
	if !c.IsEdit() || c.Path == "" {
		return false
	}
	inside := p.Path(c.Dir, c.Path)
	return inside.String() != "external" && !p.inOpenSpec(inside)
}
