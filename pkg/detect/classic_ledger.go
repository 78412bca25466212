package detect

import (
	"io"
	"strconv"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Ledger is what the capture hook wrote, as far as the original gate looks at
// it: a row belongs to a session by its id and counts when its event is a text,
// whatever the text. The nil Ledger is empty.
type Ledger struct {
	sessions map[string]*ledgerSession
	asked    func(session string) // nil, or told every session that is looked up
}

type ledgerSession struct {
	rows  int
	first record.Anchor // `ledger:EVENT:TIME` of the first row
	time  time.Time
	all   []record.LedgerRow // that can be read as such
}

// ReadLedger reads a ledger. Damaged rows are skipped; the error is that of
// reading, and what came before it stands.
func ReadLedger(r io.Reader) (*Ledger, error) {
	l := &Ledger{sessions: make(map[string]*ledgerSession)}
	lines := ndjson.NewLines(r)
	for lines.Next() {
		l.row(lines.Line().Bytes)
	}
	return l, lines.Err()
}

func (l *Ledger) row(line []byte) {
	var id, event, stamp ndjson.Value
	whole := members(ndjson.Value(trimPythonSpace(line)), func(key []byte, v ndjson.Value) {
		switch string(key) {
		case "session_id":
			id = v
		case "event":
			event = v
		case "ts":
			stamp = v
		}
	})
	if !whole || id.Kind() != ndjson.String || event.Kind() != ndjson.String {
		return
	}
	s := l.sessions[id.String()]
	if s == nil {
		s = new(ledgerSession)
		l.sessions[id.String()] = s
	}
	var row record.LedgerRow
	if ndjson.Unmarshal(line, &row) == nil {
		s.all = append(s.all, row)
	}
	if s.rows++; s.rows == 1 {
		s.first = record.NewAnchor("ledger:" + event.String() + ":" + pythonText(stamp))
		s.time, _ = time.Parse(time.RFC3339Nano, stamp.String())
	}
}

// Rows lists the rows of a session, in file order.
func (l *Ledger) Rows(session string) []record.LedgerRow {
	s := l.session(session)
	if s == nil {
		return nil
	}
	return s.all
}

// Watched is the same ledger, whose look-ups are told to asked.
func (l *Ledger) Watched(asked func(session string)) *Ledger {
	if l == nil {
		return nil
	}
	return &Ledger{l.sessions, asked}
}

func (l *Ledger) session(id string) *ledgerSession {
	if l == nil {
		return nil
	}
	if l.asked != nil {
		l.asked(id)
	}
	return l.sessions[id]
}

// Digest tells apart everything that the ledger may say of a session; "" when
// it has no row of it.
func (l *Ledger) Digest(session string) string {
	if l == nil || l.sessions[session] == nil {
		return ""
	}
	s := l.sessions[session]
	rows, err := ndjson.Marshal(s.all)
	if err != nil {
		panic("detect: rows of the ledger cannot be written")
	}
	return record.HashOf(32, strconv.Itoa(s.rows), s.first.String(), s.time.Format(time.RFC3339Nano), string(rows)).String()
}

// runs is what the ledger says of S2 in the session: several rows are one run,
// a single one is none. covered is false when it says nothing.
func (l *Ledger) runs(session string) (runs []Hit, covered bool) {
	if session == "" {
		return nil, false
	}
	s := l.session(session)
	switch {
	case s == nil:
		return nil, false
	case s.rows == 1:
		return nil, true
	}
	h := friction("S2", "tool-error-run", spot{line: -1, time: s.time, anchor: s.first}, 0, record.Deterministic)
	return []Hit{h}, true
}

// pythonText is the value as Python's str() prints it, and nothing for what is
// false to Python.
//
// Note: lists and objects, which no hook writes, are printed as JSON.
func pythonText(v ndjson.Value) string {
	switch {
	case !truthy(v):
		return ""
	case v.Kind() == ndjson.True:
		return "True"
	case v.Kind() == ndjson.String:
		return v.String()
	}
	text, _ := appendPython(nil, v, 0)
	return string(text)
}
