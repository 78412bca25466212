package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// ErrLine is the error of a line that is no record of ours; reading goes on
// behind it.
var ErrLine = errors.New("not a record")

// ReadSignals reads the records of a store, also of the rule system that retro
// replaces, one after the other. Kinds that are no signal are passed over. A
// line that cannot be read yields an error and does not end the sequence; any
// other error than [ErrLine] does.
func ReadSignals(r io.Reader) iter.Seq2[record.Signal, error] {
	return func(yield func(record.Signal, error) bool) {
		for line, err := range lines(r) {
			if err != nil {
				yield(record.Signal{}, err)
				return
			}
			var s record.Signal
			err := ndjson.Unmarshal(line, &s)
			switch {
			case err != nil:
				err = ErrLine
			case !isSignal(s.Kind):
				continue
			case s.ID.IsZero():
				// Older records have no id; the line tells them apart.
				s.ID = record.HashOf(16, string(line))
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func isSignal(k record.Kind) bool {
	switch k {
	case record.Friction, record.Candidate, record.Violation, record.Event, record.Decision, record.Outcome, record.Session:
		return true
	}
	return false
}

// ReadLedger reads the rows of a ledger, as [ReadSignals] does.
func ReadLedger(r io.Reader) iter.Seq2[record.LedgerRow, error] {
	return func(yield func(record.LedgerRow, error) bool) {
		for line, err := range lines(r) {
			if err != nil {
				yield(record.LedgerRow{}, err)
				return
			}
			var row record.LedgerRow
			if ndjson.Unmarshal(line, &row) != nil {
				err = ErrLine
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// lines are the lines of r that are not blank, each valid until the next.
func lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := ndjson.NewLines(r)
		for in.Next() {
			if line := bytes.TrimSpace(in.Line().Bytes); len(line) > 0 && !yield(line, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(nil, reason(err))
		}
	}
}

// Known is what the store holds of one session, as far as a capture needs it.
type Known struct {
	// Captured: there is a session record. Retired: there was one, and
	// retention dropped it.
	Captured, Retired bool
	// SourceBytes is the size of the transcript when it was last parsed.
	SourceBytes int64
	// MessageCount and ConfigHash are those of the session record.
	MessageCount int
	ConfigHash   record.Hash
	// Hooks are the records of origin hook.
	Hooks []record.Signal
}

// Known reads what the store holds, by session id. No store is an empty one.
// It takes no lock: a reader sees the store before or after a rewrite, whole.
func (s Signals) Known() (map[string]*Known, error) {
	f, err := openRegular(s.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known := make(map[string]*Known)
	for line, err := range lines(f) {
		if err != nil {
			return nil, err
		}
		if e, ok := parseEntry(line); ok {
			id := e.SessionID.String()
			if known[id] == nil {
				known[id] = new(Known)
			}
			known[id].add(&e)
		}
	}
	return known, nil
}

func (k *Known) add(e *entry) {
	switch {
	case e.Kind == record.KindRetired:
		k.Retired, k.SourceBytes = true, e.Bytes
	case e.Origin == record.FromHook:
		var s record.Signal
		if ndjson.Unmarshal(e.line, &s) != nil {
			s = record.Signal{} // counted all the same: a later version may know it
		}
		k.Hooks = append(k.Hooks, s)
	case e.Kind == record.Session:
		var s record.Signal
		if ndjson.Unmarshal(e.line, &s) != nil {
			return
		}
		if evidence, ok := s.Evidence.(*record.SessionEvidence); ok {
			k.Captured, k.Retired = true, false
			k.SourceBytes = evidence.SourceBytes
			k.MessageCount, k.ConfigHash = evidence.MessageCount, evidence.ConfigHash
		}
	}
}
