package cli

import (
	"fmt"
	"io"
	"sync"
)

// MaxOfKind is how many diagnostics of one kind are printed before they are
// only counted: a damaged file must not bury the ones that follow.
const MaxOfKind = 10

// Diagnostics prints what went wrong, one line a fault, in the one form that
// all five programs share:
//
//	retro-scan: FILE:LINE: message
//
// Messages are lower case without a final period and never quote the input,
// which holds secrets. It may be used from several goroutines.
type Diagnostics struct {
	program string
	w       io.Writer

	mu     sync.Mutex
	counts []kindCount
	failed bool
}

type kindCount struct {
	kind string
	n    int
}

// Warn prints a diagnostic about a place in a file. The kind groups faults for
// the bound of ten a kind; line is 1-based, 0 when the fault is the file's.
func (d *Diagnostics) Warn(kind, file string, line int, message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.count(kind, 1) > MaxOfKind {
		return
	}
	switch {
	case file == "":
		fmt.Fprintf(d.w, "%s: %s\n", d.program, message)
	case line == 0:
		fmt.Fprintf(d.w, "%s: %s: %s\n", d.program, file, message)
	default:
		fmt.Fprintf(d.w, "%s: %s:%d: %s\n", d.program, file, line, message)
	}
}

// Fail is Warn for a fault that makes the exit code 1: a file or directory
// that could not be read.
func (d *Diagnostics) Fail(kind, file string, line int, message string) {
	d.Warn(kind, file, line, message)
	d.mu.Lock()
	d.failed = true
	d.mu.Unlock()
}

// Failed tells whether Fail was called.
func (d *Diagnostics) Failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// More counts n faults of a kind of which MaxOfKind were printed already.
func (d *Diagnostics) More(kind string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(kind, n)
}

// count registers n more faults of the kind and returns how many there are.
func (d *Diagnostics) count(kind string, n int) int {
	for i := range d.counts {
		if d.counts[i].kind == kind {
			d.counts[i].n += n
			return d.counts[i].n
		}
	}
	d.counts = append(d.counts, kindCount{kind, n})
	return n
}

// Close says how many faults of each kind were not printed.
func (d *Diagnostics) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.counts {
		if c.n > MaxOfKind {
			fmt.Fprintf(d.w, "%s: %d more of kind %q not shown\n", d.program, c.n-MaxOfKind, c.kind)
		}
	}
	d.counts = nil
}

// Through makes all further diagnostics go through w, and returns what takes
// that back.
func (d *Diagnostics) Through(w func(under io.Writer) io.Writer) (restore func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	under := d.w
	d.w = w(under)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.w = under
	}
}
