// Package scan holds the commands of retro-scan, one file a command.
package scan

import (
	"errors"
	"io/fs"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// Program is the binary; manual is the source of its main.go.
func Program(manual string) cli.Program {
	return cli.Program{
		Name:    "retro-scan",
		Manual:  manual,
		Grammar: func() any { return new(grammar) },
	}
}

type grammar struct {
	Scan scanCommand `cmd:"" default:"withargs" help:"Read transcripts and write their signals (the default)."`
}

// scanCommand reads transcripts and writes signals.
type scanCommand struct {
	Paths       []string `arg:"" optional:"" name:"path" help:"Transcripts, or directories of them; - is stdin."`
	NoSubagents bool     `help:"Leave out the transcripts of sub-agents."`
	SessionID   string   `name:"session-id" placeholder:"ID" help:"Session id of a transcript on stdin."`
	Candidates  bool     `help:"Also write hits that a guard held back."`
}

// Run scans.
func (c *scanCommand) Run(env *cli.Env) error {
	sessions, err := c.sessions(env)
	if err != nil {
		return err
	}
	out := ndjson.NewWriter(env.Stdout)
	opt := &detect.Options{Candidates: c.Candidates, Now: env.Now()}
	opt.Fault = func(kind, file string, line int) {
		env.Diagnostics().Warn(kind, file, line, kind+" line")
	}
	for _, s := range sessions {
		var writeErr error
		err := detect.Session(s, opt, func(sig *record.Signal) {
			if writeErr == nil {
				writeErr = out.Encode(sig)
			}
		})
		if writeErr != nil {
			return cli.Failf("write error on standard output")
		}
		if err != nil {
			env.Diagnostics().Fail("unreadable", s.Main.Path, 0, why(err))
		}
	}
	return nil
}

func (c *scanCommand) sessions(env *cli.Env) ([]*transcript.Session, error) {
	paths := c.Paths
	if len(paths) == 0 {
		if env.StdinTerminal {
			return nil, cli.ShortHelp(env, "retro-scan [FILE...]")
		}
		paths = []string{"-"}
	}
	var out []*transcript.Session
	for _, p := range paths {
		if p == "-" {
			out = append(out, transcript.FromStream("standard input", c.SessionID, env.Stdin))
			continue
		}
		out = append(out, transcript.AtPath(p, !c.NoSubagents))
	}
	return out, nil
}

// why is a read error in few words.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return "read error"
}
