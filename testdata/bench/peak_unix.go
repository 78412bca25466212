//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that the process, or one that it waited for, had, in
// MiB.
func peak(state *os.ProcessState) float64 {
	r, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // in bytes there, elsewhere in KiB
		return float64(r.Maxrss) / (1 << 20)
	}
	return float64(r.Maxrss) / (1 << 10)
}
