package store

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Signals is the signals store.
type Signals struct {
	path   string
	retain Retention
}

// NewSignals is the store at a path; nothing is opened yet.
func NewSignals(path string, retain Retention) Signals {
	return Signals{path: path, retain: retain}
}

// Append adds records of origin hook, in one write. It waits for the lock until
// the context ends and then writes nothing: [ErrHeld]. A rewrite may be under
// way, which would lose the record.
func (s Signals) Append(ctx context.Context, signals ...record.Signal) error {
	lines, err := encode(nil, signals)
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := makeDir(filepath.Dir(s.path)); err != nil {
		return err
	}
	f, err := lockOpen(ctx, s.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = appendLine(f, lines)
	return err
}

// Capture is all that one scan saw of a session.
type Capture struct {
	Session record.SessionID
	// Hooks is how many records of origin hook the store held of the session
	// when it was scanned: outcomes are derived from them.
	Hooks int
	// Signals are the records of origin transcript, the session record among
	// them.
	Signals []record.Signal
}

// Replace puts the captures in the place of whatever the store held of origin
// transcript of their sessions, in one step, and applies the retention. Records
// of origin hook stay. A capture whose session got more hook records since it
// was scanned is not stored: it comes back as stale, to be scanned again.
func (s Signals) Replace(ctx context.Context, captures ...Capture) (stale []Capture, err error) {
	if err := makeDir(filepath.Dir(s.path)); err != nil {
		return nil, err
	}
	f, err := lockOpen(ctx, s.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	held, err := readEntries(f)
	if err != nil {
		return nil, err
	}
	entries, stale, err := merge(held, captures)
	if err != nil || len(stale) == len(captures) {
		return stale, err
	}
	entries, err = s.retain.apply(entries)
	if err != nil {
		return stale, err
	}
	stored, err := rewrite(s.path, func(w io.Writer) error { return writeEntries(w, entries) })
	if err != nil {
		return stale, err
	}
	return stale, stored.Close()
}

// entry is a line of the store and what retention and replacement look at. The
// line is kept as it is, so that records of a later version live on.
type entry struct {
	line      []byte
	Kind      record.Kind      `json:"kind"`
	SessionID record.SessionID `json:"session_id"`
	TS        looseTime        `json:"ts"`
	Origin    record.Origin    `json:"origin"`
	Started   looseTime        `json:"started"` // of a retired record here, of a session record in its evidence
	Bytes     int64            `json:"source_bytes"`
}

// looseTime is a record's time, empty when it is none: one bad field must not
// make the store forget a line.
type looseTime struct{ record.Timestamp }

func (t *looseTime) UnmarshalJSON(data []byte) error {
	if t.Timestamp.UnmarshalJSON(data) != nil {
		t.Timestamp = record.Timestamp{}
	}
	return nil
}

// readEntries reads the whole store. Lines that are no JSON object, torn by a
// crash, are left behind.
func readEntries(r io.Reader) ([]entry, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, reason(err)
	}
	var entries []entry
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if e, ok := parseEntry(line); ok {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func parseEntry(line []byte) (entry, bool) {
	e := entry{line: line}
	if len(line) == 0 || line[0] != '{' {
		return e, false
	}
	if ndjson.Unmarshal(line, &e) != nil {
		// Not of this version: it stays as long as it is JSON at all.
		var any ndjson.Raw
		return entry{line: line}, ndjson.Unmarshal(line, &any) == nil
	}
	if e.Kind == record.Session {
		var session struct{ Evidence sessionPart }
		if ndjson.Unmarshal(line, &session) == nil {
			e.Started, e.Bytes = session.Evidence.Started, session.Evidence.SourceBytes
		}
	}
	if e.Started.IsZero() {
		e.Started = e.TS
	}
	return e, true
}

// sessionPart is what the store needs of a session record's evidence.
type sessionPart struct {
	Started     looseTime `json:"started"`
	SourceBytes int64     `json:"source_bytes"`
}

func merge(held []entry, captures []Capture) (entries []entry, stale []Capture, err error) {
	hooks := make(map[string]int)
	for i := range held {
		if held[i].Origin == record.FromHook {
			hooks[held[i].SessionID.String()]++
		}
	}
	replaced := make(map[string]bool)
	var fresh []entry
	for _, c := range captures {
		if hooks[c.Session.String()] != c.Hooks {
			stale = append(stale, c)
			continue
		}
		replaced[c.Session.String()] = true
		for i := range c.Signals {
			line, err := ndjson.Marshal(&c.Signals[i])
			if err != nil {
				return nil, nil, err
			}
			e, _ := parseEntry(line)
			fresh = append(fresh, e)
		}
	}
	for _, e := range held {
		if e.Origin == record.FromHook || !replaced[e.SessionID.String()] {
			entries = append(entries, e)
		}
	}
	return append(entries, fresh...), stale, nil
}

func writeEntries(w io.Writer, entries []entry) error {
	var b bytes.Buffer
	for _, e := range entries {
		b.Write(e.line)
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

func encode(b []byte, signals []record.Signal) ([]byte, error) {
	for i := range signals {
		line, err := ndjson.Marshal(&signals[i])
		if err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}
