package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The faults of a repository that callers tell apart. Every other fault of a
// git call is an error that says which sub-command failed and how.
var (
	ErrNoGit         = errors.New("no git program on the search path")
	ErrNotRepository = errors.New("not a git repository")
	ErrUnsafe        = errors.New("owned by another user: git does not trust it (see safe.directory)")
	ErrTimeLimit     = errors.New("time limit of the git call exceeded")
)

// DefaultLimit is the time limit of one git call. It is meant to end a call
// that hangs on a dead network file system, not to cut a slow one.
const DefaultLimit = time.Minute

// passedOn are the variables of the caller that git gets: how to find itself,
// the user's own configuration (safe.directory stands there), the libraries it
// is linked with, and what reaching a remote may need.
var passedOn = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH",
	"SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	"SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "COMSPEC",
}

// imposed are the variables that git always gets.
var imposed = []string{
	"LC_ALL=C",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1", // git 2.44 and later; the next line does it for the others
	"GIT_ALLOW_PROTOCOL=none",
	"SSH_ASKPASS_REQUIRE=never",
}

// overrides are settings of the repository that would run a program or change
// a form of output.
var overrides = []string{
	"--no-pager",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.quotePath=false",
	"-c", "core.askPass=",
	"-c", "color.ui=false",
	"-c", "log.showSignature=false",
	"-c", "submodule.recurse=false",
	"-c", "safe.bareRepository=all",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
}

// Git runs git. It may be used from several goroutines.
type Git struct {
	program string
	environ []string
	tempDir string
	limit   time.Duration
}

// NewGit finds the git program on the caller's search path. Getenv looks up a
// variable of the caller; limit is the time limit of each call, 0 for
// [DefaultLimit].
func NewGit(getenv func(string) string, limit time.Duration) (*Git, error) {
	g := &Git{limit: limit, environ: imposed[:len(imposed):len(imposed)]}
	if limit <= 0 {
		g.limit = DefaultLimit
	}
	for _, name := range passedOn {
		if value := getenv(name); value != "" {
			g.environ = append(g.environ, name+"="+value)
		}
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		if g.tempDir == "" {
			g.tempDir = getenv(name)
		}
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a program in the current directory is not git
		}
		if found, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			g.program = found
			return g, nil
		}
	}
	return nil, ErrNoGit
}

// call is one run of git.
type call struct {
	dir   string
	stdin io.Reader // nil: nothing to read
	env   []string  // beside the environment of every call; the last one wins
	args  []string
}

// failure is a git call that ended with an error.
type failure struct {
	command string
	exit    int
	cause   error
}

// Error tells the sub-command and how it ended. What git wrote is not quoted:
// it holds names of branches and files.
func (f *failure) Error() string {
	switch f.cause {
	case nil:
	case ErrNotRepository, ErrUnsafe:
		return f.cause.Error()
	default:
		return fmt.Sprintf("git %s: %v", f.command, f.cause)
	}
	return fmt.Sprintf("git %s: exit status %d", f.command, f.exit)
}

func (f *failure) Unwrap() error { return f.cause }

// read runs git in dir and returns what it wrote to stdout.
func (g *Git) read(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return g.run(ctx, call{dir: dir, args: args})
}

// run runs git. With an error the output is what git wrote until then.
func (g *Git) run(ctx context.Context, c call) ([]byte, error) {
	var out bytes.Buffer
	err := g.stream(ctx, c, &out)
	return out.Bytes(), err
}

// stream runs git with its stdout going to w.
func (g *Git) stream(ctx context.Context, c call, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.program, append(overrides[:len(overrides):len(overrides)], c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(g.environ[:len(g.environ):len(g.environ)], c.env...)
	cmd.Stdin, cmd.Stdout = c.stdin, w
	complaint := &head{limit: 8 << 10}
	cmd.Stderr = complaint
	cmd.WaitDelay = time.Second
	detach(cmd)
	err := cmd.Run()
	if err == nil {
		return nil
	}
	return &failure{command: c.args[0], exit: cmd.ProcessState.ExitCode(), cause: causeOf(ctx, err, complaint.String())}
}

// causeOf names the faults that callers tell apart; nil leaves the exit status.
func causeOf(ctx context.Context, err error, complaint string) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ErrTimeLimit
	case ctx.Err() != nil:
		return ctx.Err()
	case strings.Contains(complaint, "dubious ownership"), strings.Contains(complaint, "unsafe repository"):
		return ErrUnsafe
	case strings.Contains(complaint, "not a git repository"):
		return ErrNotRepository
	case !errors.As(err, &exit):
		return errors.New("could not be run")
	}
	return nil
}

// exitOf is the exit status of git, -1 when the error is of another kind.
func exitOf(err error) int {
	var f *failure
	if errors.As(err, &f) && f.cause == nil {
		return f.exit
	}
	return -1
}

// head keeps the first bytes that are written to it.
type head struct {
	bytes.Buffer
	limit int
}

// Write takes everything and keeps what fits.
func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:max(0, min(len(p), h.limit-h.Len()))])
	return len(p), nil
}

// fields splits NUL-terminated output.
func fields(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// line is output of one line, without its end.
func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }
