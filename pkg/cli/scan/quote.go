package scan

import (
	"cmp"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/redact"
	"retro/pkg/transcript"
)

// quoting is what the two commands share that quote sessions on purpose: every
// text they write went through redaction, and nothing of it goes into a store.
type quoting struct {
	selection `embed:""`
	period    `embed:""`
}

// each runs f on every selected session and tells what could not be read.
func (q *quoting) each(env *cli.Env, f func(*transcript.Session, *detect.Options) error) error {
	when, err := q.resolve(env)
	if err != nil {
		return err
	}
	sessions, err := q.sessions(env)
	if err != nil {
		return err
	}
	opt := &detect.Options{Since: when.since, Until: when.until, Zone: when.zone}
	opt.Fault = func(kind, file string, line int) { env.Diagnostics().Warn(kind, file, line, faultText(kind)) }
	for _, s := range sessions {
		if err := f(s, opt); err != nil {
			env.Diagnostics().Fail("unreadable file", s.Main.Path, 0, why(err))
		}
	}
	return nil
}

// cleaner knows the user whose sessions they are.
func cleaner(env *cli.Env) *redact.Cleaner {
	return &redact.Cleaner{Home: env.Home, User: cmp.Or(env.Getenv("USER"), env.Getenv("LOGNAME"), env.Getenv("USERNAME"))}
}

// correctionsCommand lists what may have been corrections.
type correctionsCommand struct {
	quoting `embed:""`
	Markers string `placeholder:"FILE" help:"Markers to look for instead of the built-in ones, as JSON."`
}

// Run writes the candidates.
func (c *correctionsCommand) Run(env *cli.Env) error {
	markers := profile.BuiltinMarkers
	if c.Markers != "" {
		own, err := profile.LoadMarkers(c.Markers)
		if err != nil {
			return cli.Usagef("--markers: %s", err)
		}
		markers = func() *profile.Markers { return own }
	}
	known, clean, out := markers(), cleaner(env), ndjson.NewWriter(env.Stdout)
	return c.each(env, func(s *transcript.Session, opt *detect.Options) error {
		return detect.Corrections(s, opt, known, clean, func(r *record.Correction) { out.Encode(r) })
	})
}

// blocksCommand exports the calls that hooks blocked.
type blocksCommand struct {
	quoting `embed:""`
	Date    string `placeholder:"DATE" help:"Day of the export, which begins the ids (default: today in the zone)."`
}

// Run writes the blocks.
func (c *blocksCommand) Run(env *cli.Env) error {
	zone, err := env.Zone(c.TZ)
	if err != nil {
		return err
	}
	day := record.NewDay(env.Now(), zone)
	if c.Date != "" {
		var ok bool
		if day, ok = record.ParseDay(c.Date); !ok {
			return cli.Usagef("--date: want a day (2026-03-01)")
		}
	}
	clean, out := cleaner(env), ndjson.NewWriter(env.Stdout)
	var export *detect.Blocks
	return c.each(env, func(s *transcript.Session, opt *detect.Options) error {
		if export == nil {
			export = detect.NewBlocks(opt, clean, day)
		}
		return export.Session(s, func(b *record.Block) { out.Encode(b) })
	})
}
