package cli

import (
	"testing"
	"time"
)

// TestMomentIsTheFirstInstantOfTheDay walks days on which the clock is moved at
// midnight.
func TestMomentIsTheFirstInstantOfTheDay(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-03-01", "2026-03-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"}, // 00:00 does not exist
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"}, // 00:30 comes twice
		{"Asia/Kolkata", "2026-03-01", "2026-02-28T18:30:00Z"},
		{"UTC", "2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := new(Env).Moment("--since", c.day, zone)
		if err != nil || got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%s in %s: got %s, %v, want %s", c.day, c.zone, got.UTC().Format(time.RFC3339), err, c.want)
		}
	}
	if _, err := new(Env).Moment("--since", "yesterday", time.UTC); err == nil {
		t.Error("want an error for a word")
	}
}
