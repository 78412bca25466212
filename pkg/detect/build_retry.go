package detect

import (
	"cmp"
	"slices"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/shell"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "build-retry",
		Doc:  "One shell command was run three times or more and failed twice or more.",
		New:  buildRetry,
	})
}

// The counts from which a command is a retry, of the rules specification.
const (
	retryRuns   = 3
	retryErrors = 2
)

// retried is one command of a session.
type retried struct {
	program      record.Program
	key          record.CommandKey
	gotchas      []record.Name
	runs, errors int
	order        int
	last         place
}

// buildRetry groups the shell commands of a session by the hash of their text. A
// run without a result is no error, and neither is one that never ran (refused,
// denied, blocked, cancelled) or whose exit code is an answer (grep found
// nothing).
//
// Read by hand on recorded sessions: 27 of 27 hits were a build, a test or a lint
// that failed twice or more in earnest.
func buildRetry(opt *Options, report Report) *Observer {
	s := opt.rules
	if s == nil {
		return nil
	}
	commands := make(map[record.CommandKey]*retried)
	none := record.CommandKey{}
	return &Observer{
		Block: func(b *transcript.Block) {
			switch b.Kind {
			case transcript.ToolCall:
				if key := commandKey(b, s.call); s.call.IsShell() && key != none {
					c := commands[key]
					if c == nil {
						c = &retried{key: key, order: len(commands)}
						commands[key] = c
					}
					if c.runs++; c.runs == retryRuns {
						c.program = record.NewProgram(shell.Program(s.call.Command))
						c.gotchas = gotchasOf(opt.view.allGotchas(), s.call.Command)
					}
					c.last = placeOf(b)
				}
			case transcript.ToolResult:
				if b.Call == nil || b.Result.Status != transcript.Failed {
					return
				}
				// A command that was cut has another hash here and counts no
				// error: it is too long to be a build command.
				c := commands[record.KeyOfCommand(b.Call.Command)]
				if c != nil && !predicate.BenignExit(string(b.Call.Command), b.Result.ExitCode, true) {
					c.errors++
				}
			}
		},
		End: func(*transcript.Summary) {
			for _, c := range inOrder(commands) {
				if c.runs >= retryRuns && c.errors >= retryErrors {
					report(c.last.hit(&record.BuildRetryEvidence{
						Program: c.program, Hash: c.key.Hash(), Runs: c.runs, Errors: c.errors, Gotchas: c.gotchas, Site: c.last.site(),
					}, "", c.key.Hash().String()))
				}
			}
		},
	}
}

// commandKey is the key of the whole command of a call, which the block may have cut.
func commandKey(b *transcript.Block, call *predicate.Call) record.CommandKey {
	if isCut(b.Call) {
		return record.KeyOfCommand([]byte(call.Command))
	}
	return record.KeyOfCommand(b.Call.Command)
}

func inOrder(commands map[record.CommandKey]*retried) []*retried {
	out := make([]*retried, 0, len(commands))
	for _, c := range commands {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *retried) int { return cmp.Compare(a.order, b.order) })
	return out
}

func gotchasOf(entries []predicate.Gotcha, command string) []record.Name {
	var out []record.Name
	for i := range entries {
		if len(entries[i].Missing) == 0 && entries[i].MatchesCommand(command) {
			out = append(out, record.NewName(entries[i].ID))
		}
	}
	return out
}
