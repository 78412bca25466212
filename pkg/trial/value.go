package trial

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Start is the moment a trial began. It is written as a day, `2026-07-14`, or
// better as a moment, `2026-07-14T12:00:00Z`: of a day nobody knows which of
// its sessions already had the directive.
type Start struct {
	text   string
	moment time.Time
	day    bool
}

// ParseStart reads a day of the calendar or an RFC 3339 moment with whole
// seconds.
func ParseStart(s string) (Start, error) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		t, err := time.Parse(form, s)
		if err == nil && t.Format(form) == s && t.Year() >= 1 {
			return Start{text: s, moment: t.UTC(), day: form == time.DateOnly}, nil
		}
	}
	return Start{}, errors.New("start must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ")
}

// String is the start as it was written.
func (s Start) String() string { return s.text }

// Time is the moment, for a day its 00:00 UTC.
func (s Start) Time() time.Time { return s.moment }

// Source names the session that gave birth to a directive and the message in
// it: `SESSION#ANCHOR`, the anchor `na` when there was none.
type Source struct{ Session, Anchor string }

const (
	letters     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sessionSet  = letters + "._-"
	anchorSet   = sessionSet + ":/@+"
	maxIDLength = 200
)

// ParseSource reads a source: letters, digits and `._-` before the mark,
// those and `:/@+` after it. A source without a mark has no anchor.
func ParseSource(s string) (Source, error) {
	session, anchor, marked := strings.Cut(s, "#")
	switch {
	case session == "" || marked && anchor == "" || len(s) > maxIDLength,
		strings.Trim(session, sessionSet) != "", strings.Trim(anchor, anchorSet) != "":
		return Source{}, errors.New("source must be SESSION#ANCHOR")
	}
	return Source{session, anchor}, nil
}

// String is the source as it is written.
func (s Source) String() string {
	if s.Anchor == "" {
		return s.Session
	}
	return s.Session + "#" + s.Anchor
}

// Window is how long a trial runs before it may be reviewed: so many sessions
// after its start, or so many days.
type Window struct {
	N    int
	Days bool // N counts days, not sessions
}

// ParseWindow reads `N-sessions` or `N-days`, N from 1 to 9999 without leading
// zeros.
func ParseWindow(s string) (Window, error) {
	digits, unit, _ := strings.Cut(s, "-")
	if unit != "sessions" && unit != "days" {
		return Window{}, errors.New("review-after must be N-sessions or D-days")
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 9999 || strconv.Itoa(n) != digits {
		return Window{}, errors.New("bad review-after: the number must be 1 to 9999")
	}
	return Window{n, unit == "days"}, nil
}

// String is the window as it is written.
func (w Window) String() string {
	if w.Days {
		return strconv.Itoa(w.N) + "-days"
	}
	return strconv.Itoa(w.N) + "-sessions"
}

// Elapsed tells whether the window that began at start is over: so many of the
// sessions are not before it, or so many UTC days have passed until today.
func (w Window) Elapsed(start Start, sessions []time.Time, today time.Time) bool {
	if w.Days {
		return daysBetween(start.moment, today) >= w.N
	}
	n := 0
	for _, t := range sessions {
		if !t.Before(start.moment) {
			n++
		}
	}
	return n >= w.N
}
