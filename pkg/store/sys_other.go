//go:build !unix || solaris || aix

package store

import (
	"errors"
	"os"
)

const noFollow = 0

// tryLock has no kernel lock to take here.
func tryLock(*os.File) (held bool, err error) {
	return false, errors.New("this system has no flock")
}

// isAlive cannot tell here, and so does not take a lease from anybody.
func isAlive(int) bool { return true }

// Caller is the process that a short-lived command runs for.
func Caller() int { return os.Getppid() }
