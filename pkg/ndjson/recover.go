package ndjson

import "bytes"

// Fault names a kind of damage. The names are the ones the session record
// counts under.
type Fault string

// The faults of a line. All but Unreadable and TooLong are mended.
const (
	BOM        Fault = "bom"        // a byte order mark before the first record
	NULs       Fault = "nul"        // runs of NUL bytes between records
	Joined     Fault = "joined"     // several whole records on one line
	Spliced    Fault = "spliced"    // a record cut short, the next one behind it
	Unreadable Fault = "unreadable" // nothing on the line could be read
	TooLong    Fault = "too-long"   // a line that stayed too long when shortened
)

// Recovered is what a damaged line still gives.
type Recovered struct {
	// Records are the whole JSON objects found, as slices of the line.
	Records [][]byte
	// Faults are the kinds of damage met, each once.
	Faults []Fault
}

// resyncBudget bounds the bytes that a search for records may walk over, in
// lengths of the line, so that a hostile line costs linear time.
const resyncBudget = 8

// Recover finds the whole objects on a line that is not one JSON object by
// itself: records joined without a line end, a record that was cut and is
// followed by the next one, NUL runs and a byte order mark.
func Recover(line []byte) Recovered {
	var out Recovered
	rest := line
	if bytes.HasPrefix(rest, []byte("\xEF\xBB\xBF")) {
		out.add(BOM)
		rest = rest[3:]
	}
	var w Walker
	budget := resyncBudget * len(line)
	for budget > 0 {
		trimmed := bytes.TrimLeft(rest, "\x00 \t\r\n")
		if bytes.IndexByte(rest[:len(rest)-len(trimmed)], 0) >= 0 {
			out.add(NULs)
		}
		if rest = trimmed; len(rest) == 0 {
			break
		}
		n, whole := objectLength(&w, rest)
		budget -= n
		if whole {
			out.Records = append(out.Records, rest[:n])
			rest = rest[n:]
			continue
		}
		skip := resync(&w, rest, &budget)
		if skip < 0 {
			out.add(Unreadable)
			return out
		}
		out.add(Spliced)
		rest = rest[skip:]
	}
	if len(out.Records) > 1 && !out.has(Spliced) {
		out.add(Joined)
	}
	return out
}

// objectLength walks the object at the start of b. n is its length when it is
// whole, else how far the walk came.
func objectLength(w *Walker, b []byte) (n int, whole bool) {
	w.data, w.pos = b, 0
	w.marked, w.control = false, true
	if b[0] != '{' {
		return 1, false
	}
	ok := w.skip()
	return w.pos, ok
}

// resync finds the next place in b, behind its first byte, from which whole
// objects (and NUL runs) reach to the end of the line; -1 when there is none.
// An object inside the cut record cannot pass for one: what follows it is a
// comma or a bracket, or, when the cut was right behind it, what stands before
// it is.
func resync(w *Walker, b []byte, budget *int) int {
	for at := 1; at < len(b) && *budget > 0; at++ {
		i := bytes.Index(b[at:], []byte(`{"`))
		if i < 0 {
			return -1
		}
		at += i
		if bytes.IndexByte([]byte(":,["), b[at-1]) >= 0 {
			continue
		}
		n, ok := reachesEnd(w, b[at:])
		*budget -= n
		if ok {
			return at
		}
	}
	return -1
}

func reachesEnd(w *Walker, b []byte) (walked int, ok bool) {
	for len(b) > 0 {
		n, whole := objectLength(w, b)
		walked += n
		if !whole {
			return walked, false
		}
		b = bytes.TrimLeft(b[n:], "\x00 \t\r\n")
		if len(b) > 0 && b[0] != '{' {
			return walked, false
		}
	}
	return walked, true
}

func (r *Recovered) has(f Fault) bool {
	for _, seen := range r.Faults {
		if seen == f {
			return true
		}
	}
	return false
}

func (r *Recovered) add(f Fault) {
	if !r.has(f) {
		r.Faults = append(r.Faults, f)
	}
}
