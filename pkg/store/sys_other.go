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
