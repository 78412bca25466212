package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func lease(t *testing.T) (Lease, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".claude", "retro", "scheduled.lock")
	return NewLease(path), path
}

// deadProcess is the id of a process that is gone.
func deadProcess(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip("no program to start")
	}
	return cmd.Process.Pid
}

func TestLeaseFile(t *testing.T) {
	l, path := lease(t)
	now := time.Unix(1_784_000_000, 0)
	if err := l.Acquire(os.Getpid(), now); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, path), fmt.Sprintf("%d\n1784000000\n", os.Getpid()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := l.Release(os.Getpid(), now); err != nil {
		t.Fatal(err)
	}
	if exists(path) {
		t.Error("the file is left after release")
	}
	if err := l.Release(os.Getpid(), now); err != nil {
		t.Errorf("released twice: %v", err)
	}
}

func TestLeaseInForce(t *testing.T) {
	own, dead := os.Getpid(), deadProcess(t)
	now := time.Now().Truncate(time.Second)
	at := func(pid any, ago time.Duration) string { return fmt.Sprintf("%v\n%d\n", pid, now.Add(-ago).Unix()) }
	tests := []struct {
		name, content string
		held          bool
	}{
		{"just taken", at(own, 0), true},
		{"a second before the limit, owner unknown", at("", 7199*time.Second), true},
		{"at the limit", at("", 7200*time.Second), false},
		{"from the future", at(own, -time.Hour), true},
		{"owner dead", at(dead, time.Second), false},
		{"owner's number inherited", at(own, 7000*time.Second), false},
		{"owner of another user or namespace", at(1, 0), true},
		{"empty", "", false},
		{"torn after the first line", fmt.Sprintln(own), false},
		{"torn in the first line", "12", false},
		{"no number", fmt.Sprintf("%d\nsoon\n", own), false},
		{"signed", fmt.Sprintf("%d\n+%d\n", own, now.Unix()), false},
		{"zero", fmt.Sprintf("%d\n0\n", own), false},
		{"over-long", fmt.Sprintf("%d\n%s\n", own, strings.Repeat("9", 30)), false},
		{"13 digits", fmt.Sprintf("%d\n1000000000000\n", own), false},
		{"no line end", strings.TrimSuffix(at(own, 0), "\n"), true},
	}
	for _, test := range tests {
		l, path := lease(t)
		if err := makeDir(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		write(t, path, test.content)
		err := l.Acquire(own, now)
		if errors.Is(err, ErrHeld) != test.held || err != nil && !test.held {
			t.Errorf("%s: %v, want held %v", test.name, err, test.held)
		}
		if want := at(own, 0); !test.held && read(t, path) != want {
			t.Errorf("%s: %q, want %q", test.name, read(t, path), want)
		}
	}
}

func TestLeaseReleaseChecksOwner(t *testing.T) {
	now := time.Now()
	l, path := lease(t)
	if err := l.Acquire(os.Getpid(), now); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(os.Getppid(), now); !errors.Is(err, ErrHeld) || !exists(path) {
		t.Errorf("released by another: %v", err)
	}
	if err := l.Release(os.Getppid(), now.Add(leaseLimit)); err != nil || exists(path) {
		t.Errorf("an old lease released by another: %v", err)
	}
}

func TestHeldLeaseOutlivesTheLimit(t *testing.T) {
	l, path := lease(t)
	now := time.Now()
	held, err := l.Hold(os.Getpid(), now)
	if err != nil {
		t.Fatal(err)
	}
	late := now.Add(3 * leaseLimit)
	if err := l.Acquire(os.Getpid(), late); !errors.Is(err, ErrHeld) {
		t.Errorf("taken while held: %v", err)
	}
	if err := held.Renew(late); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d\n%d\n", os.Getpid(), late.Unix()); read(t, path) != want {
		t.Errorf("got %q, want %q", read(t, path), want)
	}
	if err := held.Release(); err != nil || exists(path) {
		t.Errorf("release: %v", err)
	}
	if err := l.Acquire(os.Getpid(), late); err != nil {
		t.Errorf("after release: %v", err)
	}
}

// TestLeasePairs lets two callers at the lease at once, 200 times, and a file
// that is there, empty or old, every third time.
func TestLeasePairs(t *testing.T) {
	now := time.Now()
	for i := range 200 {
		l, path := lease(t)
		if i%3 > 0 {
			if err := makeDir(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			write(t, path, strings.Repeat(fmt.Sprintf("1\n%d\n", now.Add(-leaseLimit).Unix()), i%3-1))
		}
		var winners atomic.Int32
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				err := l.Acquire(os.Getpid(), now)
				if err == nil {
					winners.Add(1)
				} else if !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if winners.Load() != 1 {
			t.Fatalf("pair %d: %d winners", i, winners.Load())
		}
	}
}

// FuzzLease holds that whatever stands in the file, a lease can be had two hours
// after the moment it names at the latest, or it names the future.
func FuzzLease(f *testing.F) {
	f.Add([]byte("12\n1784000000\n"))
	f.Add([]byte("\n99999999999999999999\n"))
	f.Add([]byte("-1\n1\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		owner, taken, ok := parseLease(content)
		if owner < 0 {
			t.Errorf("owner %d", owner)
		}
		if ok && inForce(content, taken.Add(leaseLimit)) || !ok && inForce(content, time.Unix(0, 0)) {
			t.Errorf("%q is in force", content)
		}
	})
}
