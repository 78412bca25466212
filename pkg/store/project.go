package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"retro/pkg/record"
)

// Project knows where everything of one project lies. It holds paths only; what
// they point to need not exist.
type Project struct {
	root  string // of the working tree the session runs in
	main  string // of the repository's main working tree
	alias string // the root as the caller named it, symbolic links unresolved
}

// FindProject finds the project that dir lies in: the nearest folder above it
// (or itself) with a `.git`. Without one the project is dir itself. Git is not
// started, because a hook has no time for it: the `.git` file of a linked
// working tree is followed by hand.
func FindProject(dir string) (Project, error) {
	named, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, errNoProject
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return Project{}, errNoProject
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return Project{}, errNoProject
	}
	root, main := findWorkTree(real)
	below := strings.TrimPrefix(real, root)
	return Project{root: root, main: main, alias: strings.TrimSuffix(named, below)}, nil
}

var errNoProject = errors.New("the project is not a directory")

// Root is the root of the working tree, with symbolic links resolved.
func (p Project) Root() string { return p.root }

// Main is the root of the main working tree: the one place that all working
// trees of a repository share. A submodule is a repository of its own.
func (p Project) Main() string { return p.main }

// Registry is the rule registry. It is committed, so each working tree has its
// own; one whose branch lacks it falls back to the main working tree's.
func (p Project) Registry() string {
	own := filepath.Join(p.root, ".github", "retro", "rules.json")
	if p.root != p.main && !exists(own) {
		return filepath.Join(p.main, ".github", "retro", "rules.json")
	}
	return own
}

// HasRegistry tells whether there is a registry, valid or not. Without one the
// hooks write nothing but the ledger.
func (p Project) HasRegistry() bool { return exists(p.Registry()) }

// StateDir is the folder of everything that is written and not committed.
func (p Project) StateDir() string { return filepath.Join(p.main, ".claude", "retro") }

// Ledger is the gate's ledger of failed calls.
func (p Project) Ledger() string { return filepath.Join(p.StateDir(), "friction.jsonl") }

// Signals is the signals store.
func (p Project) Signals() string { return filepath.Join(p.StateDir(), "signals.jsonl") }

// OldSignals is the store of the rule system that retro replaces. It is read
// as input and never written: its other writer locks differently.
func (p Project) OldSignals() string { return filepath.Join(p.main, ".coograph", "signals.jsonl") }

// Markers is the folder of the rule hooks' once-per-session marks.
func (p Project) Markers() string { return filepath.Join(p.StateDir(), "markers") }

// Report is the report of the signals store.
func (p Project) Report() string { return filepath.Join(p.StateDir(), "report.md") }

// ScheduledReport is a report of a scheduled run; stamp is its moment in a
// form that fits a file name.
func (p Project) ScheduledReport(stamp string) string {
	return filepath.Join(p.StateDir(), "scheduled-"+stamp+".md")
}

// ScheduledLock is the lock of the scheduled run.
func (p Project) ScheduledLock() string { return filepath.Join(p.StateDir(), "scheduled.lock") }

// DirectiveHistory is the log of trial decisions.
func (p Project) DirectiveHistory() string {
	return filepath.Join(p.StateDir(), "directive-history.jsonl")
}

// Path is the form in which a record holds a path that an agent named: relative
// to the root, slashes, symbolic links and `..` resolved, [record.External]
// when it is empty or leads out. base is the folder that a relative path starts
// from, "" for the root. A path that does not even begin like one of the project
// is not looked up on the disk: it may lie on a mount that is asleep or gone.
func (p Project) Path(text, base string) record.Path {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsRune(text, 0) || isDrive(text) {
		return record.External
	}
	text = strings.ReplaceAll(text, `\`, "/")
	if !filepath.IsAbs(text) {
		if base == "" {
			base = p.root
		}
		text = filepath.Join(base, text)
	}
	text = filepath.Clean(text)
	if !within(p.root, text) && !within(p.alias, text) {
		return record.External
	}
	real := resolve(text)
	if !within(p.root, real) {
		return record.External
	}
	rel, err := filepath.Rel(p.root, real)
	if err != nil {
		return record.External
	}
	return record.NewPath(filepath.ToSlash(rel))
}

// Holds tells whether a directory lies in the project, or in a folder of
// worktrees beside it (`ROOT.wt`), by its path alone.
func (p Project) Holds(dir string) bool {
	dir = filepath.Clean(dir)
	for _, root := range []string{p.root, p.main, p.alias} {
		if within(root, dir) || within(root+".wt", dir) {
			return true
		}
	}
	return false
}

// within tells whether the cleaned path is root or below it, by its text alone.
func within(root, path string) bool {
	below, found := strings.CutPrefix(path, root)
	return found && (below == "" || below[0] == '/' || strings.HasSuffix(root, "/"))
}

// isDrive tells a path of Windows, which means nothing on this host.
func isDrive(s string) bool {
	if strings.HasPrefix(s, `\\`) {
		return true
	}
	return len(s) > 2 && s[1] == ':' && (s[2] == '/' || s[2] == '\\') && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// resolve resolves the symbolic links of the part of a cleaned path that
// exists; the rest stays, because a file about to be written is not there yet.
func resolve(path string) string {
	rest := ""
	for at := path; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = parent
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
