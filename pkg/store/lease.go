package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// leaseLimit is how long a lease holds that nobody renews: the original
// helper's two hours.
const leaseLimit = 2 * time.Hour

// leasePatience is how long a lease waits for a lock that another caller holds
// for a moment; a run that holds it for longer has the lease.
const leasePatience = time.Second

// Lease is the lock of the scheduled run, as two kinds of caller know it. The
// file is the original helper's: the owner's process id and the second it was
// taken, a line each. It is in force for two hours as long as its owner lives.
// Whoever can stay, holds the kernel's lock of the file besides, and then it is
// in force until that process and those it left the file to are gone.
//
// Age is asked before the owner, and the owner's own age after that: a process
// that is younger than the lease has only inherited the number. A file that
// does not read as a lease, because its writer was killed, is none.
type Lease struct{ path string }

// NewLease is the lease at a path; nothing is opened yet.
func NewLease(path string) Lease { return Lease{path} }

// Acquire takes the lease for a process that outlives this one. The error is
// [ErrHeld] when somebody has it.
func (l Lease) Acquire(owner int, now time.Time) error {
	held, err := l.Hold(owner, now)
	if err != nil {
		return err
	}
	return held.f.Close()
}

// Hold takes the lease and keeps the kernel's lock until Release.
func (l Lease) Hold(owner int, now time.Time) (*HeldLease, error) {
	if err := makeDir(filepath.Dir(l.path)); err != nil {
		return nil, err
	}
	if content, err := os.ReadFile(l.path); err == nil && inForce(content, now) {
		return nil, ErrHeld // no need to wait for the lock
	}
	ctx, cancel := context.WithTimeout(context.Background(), leasePatience)
	defer cancel()
	f, err := lockOpen(ctx, l.path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	held := &HeldLease{f: f, path: l.path, owner: owner}
	if err := held.take(now); err != nil {
		f.Close()
		return nil, err
	}
	return held, nil
}

// Release gives the lease up. The error is [ErrHeld], and nothing is done, when
// it is in force and another process's.
func (l Lease) Release(owner int, now time.Time) error {
	f, err := openRegular(l.path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.Background(), leasePatience)
	defer cancel()
	if err := lock(ctx, f); err != nil {
		return err
	}
	content, err := readAll(f)
	if err != nil {
		return err
	}
	if pid, _, ok := parseLease(content); ok && pid != owner && inForce(content, now) {
		return ErrHeld
	}
	if !isStill(f, l.path) {
		return nil // given up or taken over while we waited
	}
	return reason(os.Remove(l.path))
}

// HeldLease is a lease whose file this process has locked.
type HeldLease struct {
	f     *os.File
	path  string
	owner int
}

// take writes the owner into the locked file, unless the lease is in force. The
// original helper renames its file into place without a lock: if it did so just
// now, the lease is its.
func (h *HeldLease) take(now time.Time) error {
	content, err := readAll(h.f)
	if err != nil {
		return err
	}
	if inForce(content, now) {
		return ErrHeld
	}
	if err := h.Renew(now); err != nil {
		return err
	}
	if !isStill(h.f, h.path) {
		return ErrHeld
	}
	return nil
}

// Renew dates the lease anew, for callers that look at its age alone.
func (h *HeldLease) Renew(now time.Time) error {
	content := fmt.Appendf(nil, "%d\n%d\n", h.owner, now.Unix())
	// Written over the old lines and cut afterwards, so that a reader never
	// finds the file empty.
	if _, err := h.f.WriteAt(content, 0); err != nil {
		return reason(err)
	}
	if err := h.f.Truncate(int64(len(content))); err != nil {
		return reason(err)
	}
	return reason(h.f.Sync())
}

// File is the locked file, for a child process to inherit: the lease is held
// until the last process that has it open is gone.
func (h *HeldLease) File() *os.File { return h.f }

// Release removes the file and unlocks it.
func (h *HeldLease) Release() error {
	defer h.f.Close()
	if !isStill(h.f, h.path) {
		return nil
	}
	return reason(os.Remove(h.path))
}

// readAll reads a lease file, which is short; what is longer is none.
func readAll(f *os.File) ([]byte, error) {
	content := make([]byte, 256)
	n, err := f.ReadAt(content, 0)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, reason(err)
	}
	return content[:n], nil
}

// inForce tells whether the content is that of a lease in force. One from the
// future is, as with the original helper: clocks differ.
func inForce(content []byte, now time.Time) bool {
	owner, taken, ok := parseLease(content)
	return ok && now.Sub(taken) < leaseLimit && isOwnerAlive(owner, taken, now)
}

// parseLease reads the two lines. A first line that is no process id gives
// owner 0.
func parseLease(content []byte) (owner int, taken time.Time, ok bool) {
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	seconds, err := strconv.ParseUint(string(second), 10, 62)
	if err != nil || seconds == 0 || len(second) > 12 {
		return 0, time.Time{}, false
	}
	if owner, err = strconv.Atoi(string(first)); err != nil || owner < 0 {
		owner = 0
	}
	return owner, time.Unix(int64(seconds), 0), true
}

// isOwnerAlive tells whether the process that took the lease still runs. Of an
// unknown owner nobody can say that it does not.
func isOwnerAlive(pid int, taken, now time.Time) bool {
	if pid == 0 {
		return true
	}
	if !isAlive(pid) {
		return false
	}
	owner, known := readProcess(strconv.Itoa(pid))
	self, ok := readProcess("self")
	if !known || !ok {
		return true
	}
	// Only the difference of two start times is used: the boot time that they
	// count from may be another's in a container.
	const tick = time.Second / 100 // USER_HZ is 100 on every Linux that Go runs on
	const slack = time.Minute      // for a clock that was set meanwhile
	born := now.Add(time.Duration(owner.started-self.started) * tick)
	return !owner.dead && !born.After(taken.Add(slack))
}

// process is what the kernel tells of a process, where it does (Linux).
type process struct {
	started int64 // in ticks
	dead    bool  // ended, and not yet asked for by its parent
}

// readProcess reads /proc/PID/stat: the state is field 3, the start field 22.
// The second field is a name in brackets that may hold spaces and brackets.
func readProcess(pid string) (p process, ok bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	at := bytes.LastIndexByte(stat, ')')
	if err != nil || at < 0 {
		return p, false
	}
	fields := bytes.Fields(stat[at+1:])
	if len(fields) <= 22-3 {
		return p, false
	}
	p.started, err = strconv.ParseInt(string(fields[22-3]), 10, 64)
	p.dead = fields[0][0] == 'Z' || fields[0][0] == 'X'
	return p, err == nil
}
