//go:build unix && !solaris && !aix

package store

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow refuses a symbolic link as the last element of a path, and does not
// wait for the other end of a FIFO.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// tryLock takes the kernel's lock on f, which dies with the process; held tells
// that somebody else has it.
func tryLock(f *os.File) (held bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return false, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return true, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// isAlive tells whether a process of that id exists.
func isAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Caller is the process that a short-lived command runs for: the leader of its
// session, which for a job of cron or systemd is the job and on a terminal the
// login shell. The parent will not do, for it is often a subshell that ends
// with the command; it stands in when the leader is gone or out of sight.
func Caller() int {
	leader, err := unix.Getsid(0)
	if err != nil || leader <= 0 || !isAlive(leader) {
		return os.Getppid()
	}
	return leader
}
