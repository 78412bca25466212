package scan

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/store"
)

// lockCommand keeps two scheduled runs apart.
type lockCommand struct {
	Acquire acquireCommand `cmd:"" help:"Take the lock of the scheduled run, for at most two hours; exit 2 when it is held."`
	Release releaseCommand `cmd:"" help:"Give it up; exit 2 when it is another process's."`
	Run     runCommand     `cmd:"" help:"Hold it while a command runs, and end with its exit code; exit 75 when it is held."`
}

// Help is the page of the command.
func (*lockCommand) Help() string {
	return `The lock is the file .claude/retro/scheduled.lock of the main worktree of ROOT: a process id and the second it was taken, a line each.

run is the one to use: the kernel holds the lock for as long as the command lives, however long that is, and lets go when it dies. It is safe on local file systems; not every network file system has such locks.

acquire and release are for scripts that cannot wrap their work. The lock counts for two hours, or until its owner is gone: the leader of the session that called (the job of cron or systemd, the login shell of a terminal), or the process named with --pid.`
}

// heldMessage is the original helper's.
const heldMessage = "scheduled retro: lock held, skipping"

// lockUsage answers acquire and release without a ROOT. The exit code is 1
// there, because callers take 2 for "held".
var lockUsage = &cli.ExitError{Code: cli.ExitFailed, Message: "usage: retro-scan lock acquire|release ROOT"}

// exitLeased is the exit code of acquire and release for "held", as callers of
// the original helper expect it.
const exitLeased = 2

type acquireCommand struct {
	Root string `arg:"" optional:"" help:"A directory of the project."`
	PID  int    `name:"pid" placeholder:"PID" help:"The process that owns the lock (default: the leader of this session)."`
}

// Run takes the lock and ends.
func (c *acquireCommand) Run(env *cli.Env) error {
	lease, err := leaseOf(c.Root)
	if err != nil {
		return err
	}
	if err := lease.Acquire(owner(c.PID), env.Now()); err != nil {
		return lockError(env, err, exitLeased, heldMessage)
	}
	return nil
}

type releaseCommand struct {
	Root string `arg:"" optional:"" help:"A directory of the project."`
	PID  int    `name:"pid" placeholder:"PID" help:"The process that owns the lock (default: the leader of this session)."`
}

// Run gives the lock up. It is no failure when nobody has it.
func (c *releaseCommand) Run(env *cli.Env) error {
	lease, err := leaseOf(c.Root)
	if err != nil {
		return err
	}
	if err := lease.Release(owner(c.PID), env.Now()); err != nil {
		return lockError(env, err, exitLeased, "scheduled retro: lock held by another process, not released")
	}
	return nil
}

type runCommand struct {
	Root    string   `arg:"" help:"A directory of the project."`
	Command []string `arg:"" passthrough:"" help:"The command and its arguments, behind --."`
}

// Run holds the lock while the command runs. The command inherits the locked
// file, so that the lock outlives this process if somebody kills it alone.
func (c *runCommand) Run(env *cli.Env) error {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return cli.Usagef("no command to run")
	}
	lease, err := leaseOf(c.Root)
	if err != nil {
		return err
	}
	held, err := lease.Hold(os.Getpid(), env.Now())
	if err != nil {
		return lockError(env, err, cli.ExitHeld, heldMessage)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	if _, isFile := env.Stdin.(*os.File); isFile {
		cmd.Stdout = os.Stdout // the command writes there itself, unbuffered
	}
	cmd.ExtraFiles = []*os.File{held.File()}
	code, runErr := attend(env, cmd, held)
	if err := held.Release(); err != nil {
		fmt.Fprintf(env.Stderr, "%s: lock not released: %s\n", env.Program, err)
	}
	if runErr != nil {
		return runErr
	}
	return cli.Exit(code)
}

// renewal is how often a held lease is dated anew, for other programs that know
// only its age.
const renewal = 10 * time.Minute

// attend starts the command, passes signals on to it and waits for its end.
func attend(env *cli.Env, cmd *exec.Cmd, held *store.HeldLease) (code int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, notStarted(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case s := <-signals:
			if passesOn(env, s) {
				cmd.Process.Signal(s)
			}
		case <-tick.C:
			held.Renew(env.Now()) // a lease that cannot be dated is still held
		case <-ended:
			return exitCodeOf(cmd.ProcessState), nil
		}
	}
}

// passesOn tells whether a signal goes on to the command. What is typed on a
// terminal reaches it without our help.
func passesOn(env *cli.Env, s os.Signal) bool {
	typed := s == syscall.SIGINT || s == syscall.SIGQUIT
	return !typed || !env.StdinTerminal && !env.StderrTerminal
}

// exitCodeOf is the shell's exit code of a process: 128 and the signal for one
// that was killed.
func exitCodeOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return max(state.ExitCode(), 0)
}

// notStarted is the shell's answer: 127 for a command that is not there, 126
// for one that cannot be run.
func notStarted(err error) error {
	code, message := 126, "command cannot be run"
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		code, message = 127, "command not found"
	}
	return &cli.ExitError{Code: code, Message: message}
}

func leaseOf(root string) (store.Lease, error) {
	if root == "" {
		return store.Lease{}, lockUsage
	}
	project, err := store.FindProject(root)
	if err != nil {
		return store.Lease{}, cli.Failf("%s: %s", root, err)
	}
	return store.NewLease(project.ScheduledLock()), nil
}

func owner(pid int) int {
	if pid > 0 {
		return pid
	}
	return store.Caller()
}

// lockError says that the lock is held, in the original helper's words and
// without a prefix, or why it cannot be had.
func lockError(env *cli.Env, err error, code int, held string) error {
	if errors.Is(err, store.ErrHeld) {
		fmt.Fprintln(env.Stderr, held)
		return cli.Exit(code)
	}
	return cli.Failf("lock: %s", err)
}
