package record

import "time"

// LedgerRow is one row of the gate's ledger: a failed call or turn that a hook
// saw. The first five keys are always there and in this order, as the original
// gate wrote them; it holds no other field of the hook's input.
type LedgerRow struct {
	TS        LedgerTime `json:"ts"`
	SessionID SessionID  `json:"session_id"`
	Event     Name       `json:"event"` // PostToolUseFailure, PermissionDenied or StopFailure
	Tool      Name       `json:"tool"`
	Path      Path       `json:"path"` // "" when the call names none
	// ToolUseID joins the row to the transcript.
	ToolUseID Identifier `json:"tool_use_id,omitempty"`
}

// LedgerTime is a moment in UTC with microseconds, and without a fraction when
// they are zero: the form of the original gate's rows.
type LedgerTime struct{ word }

// NewLedgerTime is the ledger's form of t; the zero time has none.
func NewLedgerTime(t time.Time) LedgerTime {
	t = t.UTC().Truncate(time.Microsecond)
	switch {
	case t.IsZero():
		return LedgerTime{}
	case t.Nanosecond() == 0:
		return LedgerTime{word{t.Format("2006-01-02T15:04:05Z")}}
	}
	return LedgerTime{word{t.Format("2006-01-02T15:04:05.000000Z")}}
}

// Time returns the moment; the zero LedgerTime gives the zero time.
func (t LedgerTime) Time() time.Time {
	moment, _ := time.Parse(time.RFC3339Nano, t.text)
	return moment
}

// UnmarshalJSON reads an RFC 3339 text.
func (t *LedgerTime) UnmarshalJSON(data []byte) error {
	w, err := readWord(data, func(string) bool { return true })
	if err != nil || w.text == "" {
		*t = LedgerTime{}
		return err
	}
	moment, err := time.Parse(time.RFC3339Nano, w.text)
	if err != nil {
		return errRefused
	}
	*t = NewLedgerTime(moment)
	return nil
}
