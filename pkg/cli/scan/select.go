package scan

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"retro/pkg/cli"
	"retro/pkg/transcript"
)

// stdinName is what a transcript on standard input is called.
const stdinName = "standard input"

// selection says which sessions are read. Any of its flags, and any path, turns
// standard input off: cron and ssh leave it open.
type selection struct {
	Paths        []string `arg:"" optional:"" name:"path" help:"Transcripts, or directories of them; - is stdin. A file x.jsonl takes x/subagents/ along."`
	Project      string   `placeholder:"DIR" help:"The sessions that began in this directory or in a worktree of it."`
	All          bool     `help:"The sessions of all projects."`
	ProjectsRoot string   `placeholder:"DIR" help:"Where transcripts are kept (default: $$CLAUDE_CONFIG_DIR/projects, else ~/.claude/projects)."`
	FilesFrom    string   `placeholder:"FILE" help:"Read the paths from a file, one a line; - is stdin."`
	Null         bool     `short:"0" help:"The paths of --files-from end with a NUL byte."`
	NoSubagents  bool     `help:"Leave out the transcripts of sub-agents."`
	SessionID    string   `name:"session-id" placeholder:"ID" help:"Session id of a transcript on stdin (default: the most frequent one in it)."`
}

// sessions lists what was selected, in the order of the command line.
func (s *selection) sessions(env *cli.Env) ([]*transcript.Session, error) {
	finder := transcript.NewFinder(!s.NoSubagents)
	finder.Skipped = func(path, reason string) { env.Diagnostics().Warn("skipped: "+reason, path, 0, "skipped: "+reason) }
	finder.Unreadable = func(path string, err error) { env.Diagnostics().Fail("unreadable file", path, 0, why(err)) }
	paths := s.Paths
	if s.FilesFrom != "" {
		listed, err := s.listed(env)
		if err != nil {
			return nil, err
		}
		paths = append(paths, listed...)
	}
	if len(paths) == 0 && !s.All && s.Project == "" && s.FilesFrom == "" {
		if env.StdinTerminal {
			return nil, cli.ShortHelp(env, "retro-scan [FILE|DIR...] or --project DIR")
		}
		paths = []string{"-"}
	}
	var out []*transcript.Session
	for _, p := range paths {
		if p == "-" {
			out = append(out, transcript.FromStream(stdinName, s.SessionID, env.Stdin))
			continue
		}
		out = append(out, finder.Path(p)...)
	}
	return append(out, s.ofProjects(env, finder)...), nil
}

// projectDir is the directory of --project as the agent names it in records:
// absolute, and without symbolic links as far as it is there.
func (s *selection) projectDir(env *cli.Env) string {
	if s.Project == "" {
		return ""
	}
	dir := absolute(env, s.Project)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// ofProjects lists the sessions under the projects root.
func (s *selection) ofProjects(env *cli.Env, finder *transcript.Finder) []*transcript.Session {
	root := s.ProjectsRoot
	if root == "" {
		root = transcript.ProjectsRoot(env.Getenv("CLAUDE_CONFIG_DIR"), env.Home)
	}
	switch {
	case s.All:
		return finder.All(root)
	case s.Project != "":
		dir := s.Project
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
		found := finder.Project(root, dir)
		if len(found) == 0 {
			env.Diagnostics().Warn("empty", filepath.Join(root, transcript.Slug(filepath.Clean(dir))), 0, "no session of the project in this directory or one whose name begins so")
		}
		return found
	}
	return nil
}

// listed reads the paths of --files-from.
func (s *selection) listed(env *cli.Env) ([]string, error) {
	in := env.Stdin
	if s.FilesFrom != "-" {
		f, err := os.Open(s.FilesFrom)
		if err != nil {
			return nil, cli.Failf("%s: %s", s.FilesFrom, why(err))
		}
		defer f.Close()
		in = f
	}
	end := byte('\n')
	if s.Null {
		end = 0
	}
	var paths []string
	for r := bufio.NewReader(in); ; {
		path, err := r.ReadBytes(end)
		if path = bytes.TrimSuffix(path, []byte{end}); len(path) > 0 {
			paths = append(paths, string(path))
		}
		if errors.Is(err, io.EOF) {
			return paths, nil
		}
		if err != nil {
			return nil, cli.Failf("%s: read error", s.FilesFrom)
		}
	}
}

// why is a read error in few words.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR), err != nil && err.Error() == "is a directory":
		return "is a directory"
	case errors.Is(err, transcript.ErrUnclaimed), errors.Is(err, transcript.ErrCompressed), errors.Is(err, transcript.ErrWindow):
		return err.Error()
	}
	var system syscall.Errno
	if errors.As(err, &system) {
		return system.Error()
	}
	return "read error"
}
