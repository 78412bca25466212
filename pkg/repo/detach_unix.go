//go:build unix

package repo

import (
	"os/exec"
	"syscall"
)

// detach gives git a session of its own: without a terminal neither git nor a
// helper of it can prompt, and at the time limit all of them end together.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
