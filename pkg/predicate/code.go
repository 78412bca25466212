package predicate

import (
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

// IsCodeRead tells whether the call reads code: a Read, Grep or Glob of a code
// path, or a shell line in which a reading program has one among its arguments.
// prefixes are the project's code paths, one directory each; without any, a
// directory `src` at any depth is code.
func (p *Project) IsCodeRead(c *Call, prefixes []string) bool {
	if c.Tool == "Read" || c.IsSearch() {
		return c.Path != "" && isCode(p.codePath(c.Dir, c.Path), prefixes)
	}
	if !c.IsShell() || !namesReader(c.Command) || !p.mayNameCode(c, prefixes) {
		return false
	}
	return slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool {
		return p.commandReadsCode(c.Dir, &cmd, prefixes)
	})
}

// namesReader tells whether a reading program can be in the line at all, and
// mayNameCode whether a code path can: together they spare nearly all lines the
// parser, which was a seventh of the time of a scan.
func namesReader(line string) bool {
	for program := range codeReaders {
		if strings.Contains(line, program) {
			return true
		}
	}
	return false
}

// mayNameCode looks for the last name of each code path. A path gets its names
// from the line or from the working directory; there they count when the
// directory is code itself, or when the line goes up from it.
func (p *Project) mayNameCode(c *Call, prefixes []string) bool {
	if len(prefixes) == 0 {
		prefixes = []string{"src"}
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		name := path.Base(prefix)
		if !strings.Contains(c.Dir, name) {
			return strings.Contains(c.Command, name)
		}
		return namedOutside(c.Command, c.Dir, name) || goesUp(c.Command) || isCode(p.codePath(c.Dir, "."), prefixes)
	})
}

// namedOutside tells whether a name stands in a line anywhere but in the
// working directory, which agents like to spell out (`cd /whole/path && ...`).
func namedOutside(line, dir, name string) bool {
	for {
		at, in := strings.Index(line, name), strings.Index(line, dir)
		if at < 0 {
			return false
		}
		end := in + len(dir)
		if in < 0 || at < in || at+len(name) > end || end < len(line) && !strings.ContainsRune("/ \n;&|)'\"", rune(line[end])) {
			return true
		}
		line = line[end:]
	}
}

// goesUp tells whether two dots that may be a parent directory are in a line;
// three, as in `./...`, are none.
func goesUp(line string) bool {
	for {
		_, rest, found := strings.Cut(line, "..")
		if !found {
			return false
		}
		line = strings.TrimLeft(rest, ".")
		if len(line) == len(rest) {
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
		return slices.Contains(strings.Split(inside, "/"), "src")
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		prefix = strings.Trim(prefix, "/")
		return prefix != "" && (inside == prefix || strings.HasPrefix(inside, prefix+"/"))
	})
}
