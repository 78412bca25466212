package score

import (
	"errors"
	"runtime/debug"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/score"
)

// verdicts is the job of the binary when no sub-command is named: signals in,
// one verdict a session out.
type verdicts struct {
	cli.Input
	Threshold *string `placeholder:"N" help:"Score from which on a session passes. Default: RETRO_THRESHOLD, then the profile's."`
	Profile   string  `placeholder:"NAME|FILE" help:"Use the weights, caps and threshold of this profile. Default: RETRO_PROFILE, then the profile under which the stream was scanned."`
	ExitCode  bool    `help:"Exit 3 when a session passed the gate."`
	Tee       bool    `help:"Copy every input line through, too."`
}

// gcPercent trades memory for time: what is kept is little, the open sessions, so
// that with the default of 100 garbage is collected every 4 MB, for an eighth of the
// time.
const gcPercent = 400

// badThreshold is the warning about a threshold that is none.
const badThreshold = "threshold is not a finite number, using that of the profile"

// Run scores the stream.
func (c *verdicts) Run(env *cli.Env) error {
	opt, err := c.options(env)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	out := gate{scorer: score.New(opt), w: ndjson.NewWriter(env.Stdout), env: env, tee: c.Tee}
	if err := c.Each(env, "retro-score [FILE...]", out.line); err != nil {
		return err
	}
	for _, v := range out.scorer.Finish() {
		env.Diagnostics().Warn("trailer", "", 0, "session "+v.SessionID.String()+" has no session record, its verdict may be too low")
		if err := out.write(v); err != nil {
			return err
		}
	}
	if c.ExitCode && out.passed {
		return cli.Exit(cli.ExitMatched)
	}
	return nil
}

// options resolves the flags and their variables.
func (c *verdicts) options(env *cli.Env) (opt score.Options, err error) {
	if name := first(c.Profile, env.Getenv("RETRO_PROFILE")); name != "" {
		if opt.Weights, err = profile.Load(name); err != nil {
			return opt, cli.Usagef("profile: %s", err)
		}
	}
	text := env.Getenv("RETRO_THRESHOLD")
	if c.Threshold != nil {
		text = *c.Threshold
	}
	if text == "" {
		return opt, nil
	}
	if threshold, ok := profile.ParseThreshold(text); ok {
		opt.Threshold = &threshold
		return opt, nil
	}
	env.Diagnostics().Warn("threshold", "", 0, badThreshold)
	opt.Warning = badThreshold
	return opt, nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// gate feeds lines to the scorer and writes what comes of them.
type gate struct {
	scorer *score.Scorer
	w      *ndjson.Writer
	env    *cli.Env
	tee    bool
	passed bool
	warned bool
}

func (g *gate) line(l *cli.Line) error {
	if g.tee {
		if err := l.Copy(g.w); err != nil {
			return err
		}
	}
	if !l.Object {
		l.Bad(score.ErrNotRecord.Error())
		return nil
	}
	v, err := g.scorer.AddRecord(&l.Envelope)
	switch {
	case errors.Is(err, score.ErrIncomplete):
		l.Bad(err.Error())
		return nil
	case err != nil:
		return cli.Usagef("%s:%d: %s", l.File, l.Number, err)
	case v == nil:
		return nil
	}
	return g.write(v)
}

func (g *gate) write(v *record.Verdict) error {
	g.passed = g.passed || v.Passed
	if v.Warning != "" && v.Warning != badThreshold && !g.warned {
		g.warned = true
		g.env.Diagnostics().Warn("verdict", "", 0, v.Warning)
	}
	return g.w.Encode(v)
}
