//go:build !unix

package repo

import "os/exec"

// detach does nothing where there are no process groups.
func detach(*exec.Cmd) {}
