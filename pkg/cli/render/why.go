package render

import (
	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/report"
)

// whyCommand prints the table of every verdict.
type whyCommand struct {
	cli.Input
	Profile string `placeholder:"NAME|FILE" help:"The profile whose weights made the verdicts. Default: the one that the verdict names."`
}

// Run prints the tables in the order of the verdicts, a blank line between.
func (c *whyCommand) Run(env *cli.Env) error {
	var own *profile.Profile
	if c.Profile != "" {
		var err error
		if own, err = profile.Load(c.Profile); err != nil {
			return cli.Usagef("profile: %s", err)
		}
	}
	printed := false
	hits := map[string][]*record.FrictionEvidence{}
	return c.Each(env, "retro-render why [FILE...]", func(l *cli.Line) error {
		v, ok := verdict(l, hits)
		if !ok {
			return nil
		}
		session := v.SessionID.String()
		defer delete(hits, session)
		if printed {
			env.Stdout.WriteByte('\n')
		}
		printed = true
		return report.WriteWhy(env.Stdout, v, weightsOf(l, v, own), hits[session])
	})
}

// verdict reads the verdict on the line; records of other kinds are none. Hits
// that come before it (with retro-score --tee) are kept by their session.
func verdict(l *cli.Line, hits map[string][]*record.FrictionEvidence) (*record.Verdict, bool) {
	kind, ok := record.KindOf(l.Bytes)
	if !ok {
		l.Bad("not a record")
		return nil, false
	}
	if kind == record.Friction {
		keepHit(l, hits)
	}
	if kind != record.KindVerdict {
		return nil, false
	}
	v := new(record.Verdict)
	if err := ndjson.Unmarshal(l.Bytes, v); err != nil {
		l.Bad("not a record of its kind")
		return nil, false
	}
	return v, true
}

func keepHit(l *cli.Line, hits map[string][]*record.FrictionEvidence) {
	var s record.Signal
	if ndjson.Unmarshal(l.Bytes, &s) != nil {
		return
	}
	if e, ok := s.Evidence.(*record.FrictionEvidence); ok && len(e.Features) > 0 {
		id := s.SessionID.String()
		hits[id] = append(hits[id], e)
	}
}

// weightsOf finds the profile that made the verdict; nil when it is not built
// in and was not named.
func weightsOf(l *cli.Line, v *record.Verdict, own *profile.Profile) *profile.Profile {
	if own != nil {
		return own
	}
	name := v.Profile
	if !v.Weights.IsZero() {
		name = v.Weights
	}
	p, ok := profile.Named(name.String())
	if !ok {
		l.Note("profile is not built in, so its weights are not shown; name its document with --profile")
		return nil
	}
	return p
}
