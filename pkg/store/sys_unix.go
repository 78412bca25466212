//go:build unix && !solaris && !aix

package store

import (
	"errors"
	"os"
	"syscall"
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
