package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // so that zones are known on machines without zone files
)

// Zone is the zone that a --tz flag names: an IANA name, or `local`, which is
// resolved to the machine's IANA name so that records can carry it.
func (e *Env) Zone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "local") {
		name = e.localZone()
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, Usagef("--tz: unknown zone")
	}
	return zone, nil
}

// localZone is the IANA name of the machine's zone: TZ, else where
// /etc/localtime points to, else UTC.
func (e *Env) localZone() string {
	if tz := strings.TrimPrefix(e.Getenv("TZ"), ":"); tz != "" {
		return tz
	}
	target, err := filepath.EvalSymlinks("/etc/localtime")
	if err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(target), "zoneinfo/"); ok {
			return name
		}
	}
	if name, err := os.ReadFile("/etc/timezone"); err == nil {
		return strings.TrimSpace(string(name))
	}
	return "UTC"
}

// Moment is the moment that a flag names: an RFC 3339 time, or a day, which
// means its first instant in the zone.
func (e *Env) Moment(flag, text string, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		return time.Time{}, Usagef("%s: want a day (2026-03-01) or an RFC 3339 time", flag)
	}
	return firstInstant(day, text), nil
}

// firstInstant mends what midnight is on a day on which the clock is moved
// there: a midnight that does not exist is the first instant behind the gap, and
// of one that comes twice it is the earlier.
func firstInstant(near time.Time, day string) time.Time {
	isDay := func(t time.Time) bool { return t.Format(time.DateOnly) == day }
	const widest = 4 * time.Hour
	t := near
	for ; !isDay(t) && t.Sub(near) < widest; t = t.Add(time.Minute) {
	}
	for ; isDay(t.Add(-time.Minute)) && near.Sub(t) < widest; t = t.Add(-time.Minute) {
	}
	return t
}
