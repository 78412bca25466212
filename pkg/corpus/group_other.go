//go:build !unix

package corpus

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// endGroup does nothing either.
func endGroup(*exec.Cmd) {}
