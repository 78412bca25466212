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
