package predicate

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"

	"retro/pkg/record"
	"retro/pkg/shell"
)

// codeReaders are the programs that read code when a code path is among their
// arguments.
var codeReaders = wordSet("grep rg find cat head sed")

// CodeReads tells which calls of a session read code: a Read, Grep or Glob of a
// code path, or a shell line in which a reading program has one among its
// arguments. It is used by one goroutine at a time.
type CodeReads struct {
	project  *Project
	prefixes []string
	names    [][]byte // the last name of each code path

	dir      string          // the working directory at hand
	paths    map[string]bool // what was found of paths from there
	inCode   bool            // it is code itself
	dirNamed bool            // one of the names is in it
	dirText  []byte
}

// NewCodeReads takes the project's code paths, one directory each; without any,
// a directory `src` at any depth is code.
func NewCodeReads(p *Project, prefixes []string) *CodeReads {
	r := &CodeReads{project: p, prefixes: prefixes}
	for _, prefix := range prefixes {
		r.names = append(r.names, []byte(path.Base(prefix)))
	}
	if len(prefixes) == 0 {
		r.names = [][]byte{[]byte("src")}
	}
	return r
}

// Is tells whether the call reads code.
func (r *CodeReads) Is(c *Call) bool {
	p := r.project
	if c.Tool == "Read" || c.IsSearch() {
		return r.IsPath(c.Dir, []byte(c.Path))
	}
	return slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool {
		return p.commandReadsCode(c.Dir, &cmd, r.prefixes)
	})
}

// maxPaths bounds how many paths are remembered.
const maxPaths = 1 << 10

// IsPath tells whether a path, as a call of Read, Grep or Glob names it, is code.
// Agents read the same files over and over, so the answer is kept.
func (r *CodeReads) IsPath(dir string, path []byte) bool {
	r.enter(dir)
	is, known := r.paths[string(path)]
	if !known {
		is = len(path) > 0 && isCode(r.project.codePath(dir, string(path)), r.prefixes)
		if r.paths == nil || len(r.paths) >= maxPaths {
			r.paths = map[string]bool{}
		}
		r.paths[string(path)] = is
	}
	return is
}

// May is a quick look before Is, at the call as it stands in the transcript:
// false means that Is is false too. It spares nearly all calls the parser of
// shell lines and the work on paths, which were a fifth of the time of a scan.
// (A name taken apart by quotes, s"r"c, is not seen; nobody writes that.)
func (r *CodeReads) May(tool, file, command []byte, dir string) bool {
	switch string(tool) {
	case "Read", "Grep", "Glob":
		return len(file) > 0 && r.mayName(file, dir)
	case "Bash", "PowerShell":
		return r.mayName(command, dir) && namesReader(command)
	}
	return false
}

// namesReader tells whether a reading program can be in the line at all.
func namesReader(line []byte) bool {
	for program := range codeReaders {
		if bytes.Contains(line, []byte(program)) {
			return true
		}
	}
	return false
}

// mayName looks for the last name of each code path. A path gets its names from
// the text or from the working directory; there they count when the directory
// is code itself, or when the text goes up from it.
func (r *CodeReads) mayName(text []byte, dir string) bool {
	r.enter(dir)
	if r.inCode || r.dirNamed && goesUp(text) {
		return true
	}
	return slices.ContainsFunc(r.names, func(name []byte) bool {
		return namedOutside(text, r.dirText, name)
	})
}

// enter notes what the working directory says; it seldom changes.
func (r *CodeReads) enter(dir string) {
	if dir == r.dir {
		return
	}
	r.dir, r.dirText, r.paths = dir, []byte(dir), nil
	r.dirNamed = slices.ContainsFunc(r.names, func(name []byte) bool { return bytes.Contains(r.dirText, name) })
	r.inCode = r.dirNamed && isCode(r.project.codePath(dir, "."), r.prefixes)
}

// namedOutside tells whether a name stands in a text anywhere but in the
// working directory, which agents like to spell out (`cd /whole/path && ...`).
func namedOutside(text, dir, name []byte) bool {
	for {
		at := bytes.Index(text, name)
		if at < 0 || len(dir) == 0 {
			return at >= 0
		}
		in := bytes.Index(text, dir)
		end := in + len(dir)
		if in < 0 || at < in || at+len(name) > end || end < len(text) && bytes.IndexByte([]byte("/ \n;&|)'\""), text[end]) < 0 {
			return true
		}
		text = text[end:]
	}
}

// goesUp tells whether two dots that may be a parent directory are in a text;
// three, as in `./...`, are none.
func goesUp(text []byte) bool {
	for {
		_, rest, found := bytes.Cut(text, []byte(".."))
		if !found {
			return false
		}
		text = bytes.TrimLeft(rest, ".")
		if len(text) == len(rest) {
			return true
		}
	}
}

func (p *Project) commandReadsCode(dir string, cmd *shell.Command, prefixes []string) bool {
	program := cmd.Program()
	if !codeReaders[program] || program == "sed" && !cmd.Has("-n") || cmd.Dir.Dynamic {
		return false
	}
	if to := cmd.Dir.Text; isAbsolute(to) {
		dir = to
	} else if to != "" {
		dir = path.Join(dir, to)
	}
	return slices.ContainsFunc(cmd.Args[1:], func(w shell.Word) bool {
		return !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "$") && isCode(p.codePath(dir, w.Text), prefixes)
	})
}

// codePath is a path relative to the root of the worktree or repository that it
// belongs to, which may be gone: known from the forms of worktree directories,
// else by the project's own root, else by the nearest directory with a `.git`
// that can be seen. Empty when nothing tells.
func (p *Project) codePath(dir, text string) string {
	text = slashed(text)
	if text == "" || isForeign(text) {
		return ""
	}
	if !isAbsolute(text) {
		if dir == "" {
			return path.Clean(text)
		}
		text = path.Join(slashed(dir), text)
	}
	text = path.Clean(text)
	if inside, ok := afterWorktree(text); ok {
		return inside
	}
	if inside := p.Path("", text); inside != record.External {
		return inside.String()
	}
	return p.belowRepository(text)
}

// afterWorktree is the part of a path behind the directory of a worktree:
// `/.claude/worktrees/<name>/`, `<repository>.wt/<name>/`, or
// `/.wt/<task>/<repository>/`.
func afterWorktree(abs string) (string, bool) {
	if _, rest, ok := strings.Cut(abs, "/.claude/worktrees/"); ok {
		return afterElements(rest, 1)
	}
	if _, rest, ok := strings.Cut(abs, "/.wt/"); ok {
		return afterElements(rest, 2)
	}
	if _, rest, ok := strings.Cut(abs, ".wt/"); ok {
		return afterElements(rest, 1)
	}
	return "", false
}

func afterElements(rest string, n int) (string, bool) {
	parts := strings.SplitN(rest, "/", n+1)
	if len(parts) <= n {
		return ".", true
	}
	return parts[n], true
}

// belowRepository looks for the `.git` above a path, only where the file system
// was given.
func (p *Project) belowRepository(abs string) string {
	if p.Files == nil {
		return ""
	}
	for dir := path.Dir(abs); dir != path.Dir(dir); dir = path.Dir(dir) {
		p.sight.repository(dir)
		if _, err := os.Lstat(path.Join(dir, ".git")); err == nil {
			return strings.TrimPrefix(abs, dir+"/")
		}
	}
	return ""
}

func isCode(inside string, prefixes []string) bool {
	if inside == "" {
		return false
	}
	if len(prefixes) == 0 {
		return strings.Contains("/"+inside+"/", "/src/")
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		prefix = strings.Trim(prefix, "/")
		return prefix != "" && (inside == prefix || strings.HasPrefix(inside, prefix+"/"))
	})
}
