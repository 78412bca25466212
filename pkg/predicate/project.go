package predicate

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"retro/pkg/record"
	"retro/pkg/shell"
)

// Settings name what stands for a code graph, for OpenSpec and for a review in
// a project. The registry has them.
type Settings struct {
	// GraphTools are beginnings of the names of tools that look into the graph.
	GraphTools []string
	// GraphDatabase is its file, whose presence means that there is a graph.
	GraphDatabase string
	// OpenSpec is the directory of proposals and specs, Changes that of the
	// proposals in it.
	OpenSpec, Changes string
	// Reviews are endings of the names of skills, sub-agents and slash commands
	// that review or verify a change, in lower case.
	Reviews []string
}

// DefaultSettings are those of a project whose registry has none.
func DefaultSettings() Settings {
	return Settings{
		GraphTools:    []string{"mcp__code-graph__"},
		GraphDatabase: ".code-graph/graph.db",
		OpenSpec:      "openspec",
		Changes:       "openspec/changes",
		Reviews:       []string{"coograph-review", "coograph-verify", "coograph-ultra-review", "code-review"},
	}
}

// Project is what the predicates know of a project.
type Project struct {
	Settings
	// Root is the absolute path of the root with forward slashes; empty when
	// nobody named one, and then relative paths alone are inside.
	Root string
	// Files is the file system at the root. Without it nothing outside the
	// transcript is looked at, symbolic links included.
	Files fs.FS

	real  string // Root without symbolic links, when there are Files
	sight *Sight // nil: nobody wants to know what is seen
}

// NewProject describes the project at root. files is nil when the project shall
// be known by its name alone.
func NewProject(root string, files fs.FS, settings Settings) *Project {
	p := &Project{Settings: settings, Root: strings.TrimSuffix(slashed(root), "/"), Files: files}
	if files != nil {
		p.real = realPath(p.Root)
	}
	return p
}

// worktreeHomes are the places inside a root where agents keep linked
// worktrees, each with one more element for the worktree's name.
var worktreeHomes = []string{".claude/worktrees/", ".worktrees/"}

// Path is the project's name for a path as an agent wrote it, relative to dir
// (or to the root when dir is empty). A path inside a linked worktree of the
// project reads as the same path in the project. Rules specification, path
// normalisation.
func (p *Project) Path(dir, text string) record.Path {
	text = strings.TrimSpace(text)
	if text == "" || isForeign(text) {
		return record.External
	}
	text = slashed(text)
	if !isAbsolute(text) {
		if dir == "" {
			dir = p.Root
		}
		text = path.Join(slashed(dir), text)
	}
	text = path.Clean(text)
	if p.Root == "" {
		return record.NewPath(text)
	}
	root := p.Root
	if p.Files != nil {
		p.sight.follow(text)
		text, root = realPath(text), p.real
	}
	inside, ok := under(root, text)
	if !ok {
		return record.External
	}
	return record.NewPath(inside)
}

// under gives the part of an absolute path below the root or below one of its
// linked worktrees: `<root>/.claude/worktrees/<name>`, `<root>.wt/<name>`, and
// `<parent>/.wt/<task>/<name of the root>`.
func under(root, abs string) (string, bool) {
	if abs == root {
		return ".", true
	}
	if rest, ok := strings.CutPrefix(abs, root+"/"); ok {
		for _, home := range worktreeHomes {
			if tree, ok := strings.CutPrefix(rest, home); ok {
				_, rest, ok = strings.Cut(tree, "/")
				return rest, ok
			}
		}
		return rest, true
	}
	if tree, ok := strings.CutPrefix(abs, root+".wt/"); ok {
		_, rest, ok := strings.Cut(tree, "/")
		return rest, ok
	}
	if tree, ok := strings.CutPrefix(abs, path.Dir(root)+"/.wt/"); ok {
		parts := strings.SplitN(tree, "/", 3)
		if len(parts) == 3 && parts[1] == path.Base(root) {
			return parts[2], true
		}
	}
	return "", false
}

func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// isForeign tells whether a path belongs to another kind of host: a drive or a
// network share where there are none.
func isForeign(s string) bool {
	return runtime.GOOS != "windows" && (strings.HasPrefix(s, `\\`) || hasDrive(s))
}

func hasDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '/' || s[2] == '\\') &&
		(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

func isAbsolute(s string) bool { return strings.HasPrefix(s, "/") || hasDrive(s) }

// realPath resolves the symbolic links of the part of a path that exists.
func realPath(abs string) string {
	if !mayHaveLink(abs) {
		return abs
	}
	rest := ""
	for dir := abs; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return path.Join(slashed(real), rest)
		}
		parent := path.Dir(dir)
		if parent == dir {
			return abs
		}
		rest = path.Join(path.Base(dir), rest)
		dir = parent
	}
}

// mayHaveLink is a quick look before: most paths have no link in them, and many
// name nothing that is there. It took three of four calls of the system off a
// scan with a root.
func mayHaveLink(abs string) bool {
	if runtime.GOOS == "windows" || !path.IsAbs(abs) || path.Clean(abs) != abs {
		return true
	}
	for end := 1; end < len(abs); end++ {
		if i := strings.IndexByte(abs[end:], '/'); i >= 0 {
			end += i
		} else {
			end = len(abs)
		}
		info, err := os.Lstat(abs[:end])
		if err != nil {
			return false
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// HasGraph tells whether the project has a code graph.
func (p *Project) HasGraph() bool {
	if p.Files == nil {
		return false
	}
	_, err := fs.Stat(p.Files, p.GraphDatabase)
	return err == nil
}

// Searches tells whether the call searches the project's files, which is what a
// code graph could have answered. A search of a dependency's source or of a log
// elsewhere is none.
func (p *Project) Searches(c *Call) bool {
	return c.IsSearch() && (c.Path == "" || p.Path(c.Dir, c.Path) != record.External)
}

// GraphAccess is a way of looking into the code graph.
type GraphAccess uint8

// The ways.
const (
	NoAccess     GraphAccess = iota
	ToolAccess               // through one of the graph's tools
	SQLiteAccess             // by reading its database in the shell
)

// GraphAccess tells how the call looks into the code graph. In the shell the two
// words `sqlite3` and the database's directory anywhere in the line are enough:
// a script that imports sqlite3 looks as well.
func (p *Project) GraphAccess(c *Call) GraphAccess {
	for _, prefix := range p.GraphTools {
		if prefix != "" && strings.HasPrefix(c.Tool, prefix) {
			return ToolAccess
		}
	}
	if c.IsShell() && strings.Contains(c.Command, "sqlite3") && strings.Contains(slashed(c.Command), path.Dir(p.GraphDatabase)) {
		return SQLiteAccess
	}
	return NoAccess
}

// TouchesOpenSpec tells whether the call is about a proposal: an edit under the
// directory of changes, a shell command that names it, OpenSpec's own program,
// or one of its skills. Reading a proposal is no touch: the hook does not see
// it, and detector and hook must say the same.
func (p *Project) TouchesOpenSpec(c *Call) bool {
	if c.IsEdit() && c.Path != "" && p.isProposal(p.Path(c.Dir, c.Path)) {
		return true
	}
	if skill := strings.ToLower(c.Skill); strings.Contains(skill, "openspec") || strings.HasPrefix(skill, "opsx") {
		return true
	}
	if !c.IsShell() || !p.mayNameProposal(c) {
		return false
	}
	return slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool { return p.namesProposal(c.Dir, &cmd) })
}

// mayNameProposal spares the parser nearly all lines: neither they nor the
// directory that they run in have the name of the directory of changes in them.
// (A line that names a proposal only through a link of another name is no touch.)
func (p *Project) mayNameProposal(c *Call) bool {
	name := path.Base(p.Changes)
	return strings.Contains(c.Command, "openspec") || strings.Contains(c.Command, name) || strings.Contains(c.Dir, name)
}

// namesProposal looks at the words and redirects of a command, and at the
// directory it runs in.
func (p *Project) namesProposal(dir string, cmd *shell.Command) bool {
	if cmd.Program() == "openspec" || p.isProposal(p.commandPath(dir, cmd, shell.Word{Text: "."})) {
		return true
	}
	names := func(w shell.Word) bool {
		if _, value, found := strings.Cut(w.Text, "="); found {
			w.Text = value // --out=openspec/changes/x
		}
		return p.isProposal(p.commandPath(dir, cmd, w)) || strings.Contains("/"+slashed(w.Text)+"/", "/"+p.Changes+"/")
	}
	return slices.ContainsFunc(cmd.Args, names) || slices.ContainsFunc(cmd.Inputs, names) || slices.ContainsFunc(cmd.Outputs, names)
}

// commandPath is the project's name for a word of a command that is taken for a
// path, after the `cd` of its line.
func (p *Project) commandPath(dir string, cmd *shell.Command, w shell.Word) record.Path {
	if w.Dynamic || cmd.Dir.Dynamic {
		return record.External
	}
	if to := cmd.Dir.Text; isAbsolute(to) {
		dir = to
	} else if to != "" {
		if dir == "" {
			dir = p.Root
		}
		dir = path.Join(slashed(dir), to)
	}
	return p.Path(dir, w.Text)
}

func (p *Project) isProposal(inside record.Path) bool {
	s := inside.String()
	return s == p.Changes || strings.HasPrefix(s, p.Changes+"/")
}

// EditedSource is the source file that the call edits: inside the project, with
// the name of a source file, and no part of OpenSpec.
func (p *Project) EditedSource(c *Call) (record.Path, bool) {
	if !c.IsEdit() || c.Path == "" {
		return record.Path{}, false
	}
	inside := p.Path(c.Dir, c.Path)
	return inside, inside != record.External && !p.inOpenSpec(inside) && isSource(inside.String())
}

func (p *Project) inOpenSpec(inside record.Path) bool {
	s := inside.String()
	return s == p.OpenSpec || strings.HasPrefix(s, p.OpenSpec+"/")
}

// sourceSuffixes are the endings of files that hold a program. Documents and
// configuration are none: a session that edits only those owes nobody a
// proposal or a review.
var sourceSuffixes = func() map[string]bool {
	out := make(map[string]bool)
	for _, s := range strings.Fields(`.ts .tsx .mts .cts .js .jsx .mjs .cjs .svelte .vue .astro .py .pyi .go .rs .java
		.kt .kts .scala .groovy .rb .php .cs .fs .vb .swift .m .mm .dart .c .cc .cpp .cxx .h .hh .hpp .zig .nim .d .ex .exs
		.erl .hrl .clj .cljs .hs .ml .mli .elm .lua .pl .pm .r .jl .sh .bash .ps1 .sql .css .scss .sass .less .html .proto .tf`) {
		out[s] = true
	}
	return out
}()

func isSource(file string) bool { return sourceSuffixes[strings.ToLower(path.Ext(file))] }

// IsReview tells whether the call reviews or verifies a change: a skill or a
// sub-agent whose name ends as the settings say.
func (p *Project) IsReview(c *Call) bool {
	return p.isReview(c.Skill) || isDelegation(c.Tool) && p.isReview(c.Agent)
}

// ReviewPrompt tells whether a person typed a slash command that reviews, with
// or without the name of its plug-in.
func (p *Project) ReviewPrompt(prompt string) bool {
	command, ok := strings.CutPrefix(strings.TrimSpace(prompt), "/")
	if !ok {
		return false
	}
	if i := strings.IndexFunc(command, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }); i >= 0 {
		command = command[:i]
	}
	return p.isReview(command)
}

func (p *Project) isReview(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name != "" && slices.ContainsFunc(p.Reviews, func(ending string) bool {
		return ending != "" && strings.HasSuffix(name, strings.ToLower(ending))
	})
}
