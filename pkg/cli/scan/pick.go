package scan

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// picking says which of the selected sessions a scheduled run reads.
type picking struct {
	MinAge   time.Duration `placeholder:"60s" help:"Leave out sessions written to less than so long ago, and name them."`
	NotRetro bool          `help:"Leave out sessions from where a person ran a retrospective in them."`
	SkipSeen string        `placeholder:"FILE" help:"Leave out sessions that the file of --mark-seen knows at their present size."`
	MarkSeen string        `placeholder:"FILE" help:"Write the sessions that were read, and those known before, to this file once all output is written."`
}

func (p *picking) used() bool {
	return p.MinAge != 0 || p.NotRetro || p.SkipSeen != "" || p.MarkSeen != ""
}

// picked is what came of the picking.
type picked struct {
	sessions []*transcript.Session
	known    []*transcript.Session // left out because they were seen
	seen     *transcript.Seen      // nil without --skip-seen and --mark-seen
	record   record.Selection
}

// pick chooses from the sessions and names those in progress.
func (p *picking) pick(env *cli.Env, sessions []*transcript.Session) (*picked, error) {
	for _, s := range sessions {
		if s.Main.Path == stdinName {
			return nil, cli.Usagef("--min-age, --not-retro, --skip-seen and --mark-seen need files: standard input has neither age nor size")
		}
	}
	out := &picked{seen: p.readSeen(env)}
	picker := transcript.Picker{MinAge: p.MinAge, Now: env.Now(), NotRetro: p.NotRetro}
	if p.SkipSeen != "" {
		picker.Seen = out.seen
	}
	var left []transcript.LeftOut
	out.sessions, left = picker.Pick(sessions)
	reasons := map[string]int{}
	for _, l := range left {
		reasons[l.Reason]++
		switch l.Reason {
		case "in-progress":
			env.Diagnostics().Warn(l.Reason, l.Session.Main.Path, 0, "left out: in progress, written to "+l.Age.Truncate(time.Second).String()+" ago")
		case "seen":
			out.known = append(out.known, l.Session)
		}
	}
	out.record = summary(len(sessions), out.sessions, reasons)
	return out, nil
}

func summary(found int, sessions []*transcript.Session, reasons map[string]int) record.Selection {
	r := record.Selection{V: record.Version, Kind: record.KindSelection, Found: found, Read: len(sessions), LeftOut: []record.Count{}}
	for _, reason := range []string{"in-progress", "retro", "seen"} {
		if n := reasons[reason]; n > 0 {
			r.LeftOut = append(r.LeftOut, record.Count{Name: record.NewName(reason), Count: n})
		}
	}
	for _, s := range sessions {
		if !s.Cut.IsZero() {
			r.Cut++
		}
	}
	return r
}

// readSeen reads what earlier runs have seen: from the file to skip by, else
// from the one to write, so that no run forgets what another read.
func (p *picking) readSeen(env *cli.Env) *transcript.Seen {
	path := p.SkipSeen
	if path == "" {
		path = p.MarkSeen
	}
	if path == "" {
		return nil
	}
	// A device remembers nothing, and /dev/full never ends. A pipe to write to has
	// nothing to read either; one to skip by (a process substitution) has.
	if mode := modeOf(path); mode&fs.ModeCharDevice != 0 || p.SkipSeen == "" && mode&fs.ModeNamedPipe != 0 {
		return transcript.NewSeen()
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return transcript.NewSeen()
	}
	if err == nil {
		defer f.Close()
		seen, readErr := transcript.ReadSeen(f)
		if readErr == nil {
			return seen
		}
		err = readErr
	}
	env.Diagnostics().Fail("seen", path, 0, why(err)+", taken as empty")
	return transcript.NewSeen()
}

// modeOf is the mode of a file; 0 of what cannot be looked at.
func modeOf(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode()
}

// mark writes the file of --mark-seen, after everything that was read has left
// for standard output: what a killed run has not written it has not seen.
func (p *picking) mark(env *cli.Env, chosen *picked, read []*transcript.Session) error {
	if p.MarkSeen == "" {
		return nil
	}
	if err := env.Stdout.Flush(); err != nil {
		return cli.Failf("write error on standard output")
	}
	chosen.seen.Mark(append(read, chosen.known...))
	var file bytes.Buffer
	if _, err := chosen.seen.WriteTo(&file); err != nil {
		return cli.Failf("%s: cannot be written", p.MarkSeen)
	}
	if err := ndjson.WriteFile(p.MarkSeen, file.Bytes(), 0o600); err != nil {
		return cli.Failf("%s: cannot be written: %s", p.MarkSeen, why(err))
	}
	return nil
}

// optionsFor are the options for one session: one that runs into a
// retrospective is looked at up to there.
func optionsFor(s *transcript.Session, opt *detect.Options) *detect.Options {
	if s.Cut.IsZero() || !opt.Until.IsZero() && opt.Until.Before(s.Cut) {
		return opt
	}
	cut := *opt
	cut.Until = s.Cut
	return &cut
}
