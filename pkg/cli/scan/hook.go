package scan

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/record"
	"retro/pkg/store"
	"retro/pkg/transcript"
)

// hookCommand is a hook of a running agent session.
type hookCommand struct {
	Settings bool   `help:"Print the block for the agent's settings.json that wires the hooks, and end."`
	Check    string `placeholder:"FILE" help:"Say what the settings file FILE lacks, and end."`
	ExitCode bool   `help:"With --check: exit code 3 when something is lacking."`
}

// Help is the long help of the command.
func (*hookCommand) Help() string {
	return `Reads one hook event of Claude Code on standard input and does what belongs to it:

  PostToolUseFailure, PermissionDenied, StopFailure   append a row to the ledger
  SessionEnd, PreCompact, SessionStart after compact  capture the session's transcript
  SessionStart                                        catch up on earlier sessions, print the status line
  PreToolUse, UserPromptSubmit                        the rule hooks

State lies in .claude/retro/ of the repository's main working tree. Without a registry (.github/retro/rules.json) only the ledger is written. Any other event does nothing. A failure is one line on standard error and exit code 0: a hook must not stand in the agent's way.

The ledger is FRICTION_LEDGER when that is set; FRICTION_LEDGER_MAX_LINES and FRICTION_LEDGER_MAX_BYTES bound it.`
}

// Run prints the wiring, checks it, or is the hook.
func (c *hookCommand) Run(env *cli.Env) error {
	switch {
	case c.Settings:
		return printSettings(env)
	case c.Check != "":
		return checkSettings(env, c.Check, c.ExitCode)
	}
	return runHook(env)
}

// directHook is the hook without the flag parser, which costs as much time as
// all the rest. Wired with an argument that does not exist it must not end with
// the exit code of bad usage, because that is the one that blocks a call.
func directHook(args []string) func(*cli.Env) error {
	if len(args) == 0 || args[0] != "hook" {
		return nil
	}
	if len(args) == 1 {
		return runHook
	}
	for _, known := range []string{"--settings", "--check", "--exit-code", "--help", "-h"} {
		if name, _, _ := strings.Cut(args[1], "="); name == known {
			return nil
		}
	}
	return func(*cli.Env) error { return cli.Failf("hook: no such argument (--help tells more)") }
}

const (
	// ledgerWait and storeWait bound the wait for a lock when one line is to be
	// appended. The store's is that of the rules specification.
	ledgerWait = time.Second
	storeWait  = 2 * time.Second
	// replaceWait bounds it when a session is captured: others may be at it.
	replaceWait = 10 * time.Second
)

// runHook is the hook: whatever goes wrong is one line on stderr and exit code
// 0, a panic too, whose own exit code would block the call.
func runHook(env *cli.Env) (err error) {
	defer func() {
		failed := recover()
		if failed == nil && env.Stdout.Flush() == nil {
			return
		}
		env.Stdout.Reset(discard{})
		env.Diagnostics().Warn("hook", "", 0, "hook: internal error")
		err = nil
	}()
	if env.StdinTerminal {
		return cli.ShortHelp(env, "retro-scan hook < event.json")
	}
	h, err := transcript.ReadHook(env.Stdin)
	if err == nil {
		err = dispatchHook(env, h)
	}
	var exit *cli.ExitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	env.Diagnostics().Warn("hook", "", 0, "hook: "+err.Error())
	return nil
}

// discard takes what nobody wants any more.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// dispatchHook does what belongs to the event. An event that no case names
// does nothing.
func dispatchHook(env *cli.Env, h *transcript.Hook) error {
	switch h.Event {
	case "PostToolUseFailure", "PermissionDenied", "StopFailure":
		return appendLedger(env, h)
	case "SessionEnd", "PreCompact":
		return captureOwn(env, h)
	case "SessionStart":
		return sessionStart(env, h)
	case "PreToolUse", "UserPromptSubmit":
		return ruleHook(env, h)
	}
	return nil
}

// sessionStart captures what there is to capture and prints the status line,
// also when the capture failed.
func sessionStart(env *cli.Env, h *transcript.Hook) error {
	take := catchUp
	if h.Source == "compact" {
		take = captureOwn
	}
	err := take(env, h)
	if text := statusLine(env, h); text != "" {
		if printErr := env.PrintContext(h.Event, text); err == nil {
			err = printErr
		}
	}
	return err
}

// appendLedger writes the row of a failed call. An event without a session
// belongs to nobody and is passed over.
func appendLedger(env *cli.Env, h *transcript.Hook) error {
	if h.SessionID == "" {
		return nil
	}
	project, err := hookProject(env, h)
	if err != nil {
		return err
	}
	path := project.Ledger()
	if own := env.Getenv("FRICTION_LEDGER"); own != "" {
		path = own
	}
	ctx, cancel := context.WithTimeout(context.Background(), ledgerWait)
	defer cancel()
	if err := store.NewLedger(path, ledgerLimits(env)).Append(ctx, ledgerRow(env.Now(), project, h)); err != nil {
		return errors.New("ledger: " + err.Error())
	}
	return nil
}

// ledgerRow keeps what says which call failed, and nothing that was said. The
// lengths are bounded by the types of the fields.
func ledgerRow(now time.Time, project store.Project, h *transcript.Hook) record.LedgerRow {
	row := record.LedgerRow{
		TS:        record.NewLedgerTime(now),
		SessionID: record.NewSessionID(h.SessionID),
		Event:     record.NewName(h.Event),
		Tool:      record.NewName(h.Tool),
	}
	if file := h.Input.File(); file != "" {
		row.Path = project.Path(file, h.Cwd)
	}
	row.ToolUseID, _ = record.NewIdentifier(h.ToolUseID)
	return row
}

// ledgerLimits reads the limits as the original gate does: what is no number
// means the default, and 0 means 1.
func ledgerLimits(env *cli.Env) store.Limits {
	limits := store.DefaultLimits
	if n, ok := count(env.Getenv("FRICTION_LEDGER_MAX_LINES")); ok {
		limits.Lines = int(n)
	}
	if n, ok := count(env.Getenv("FRICTION_LEDGER_MAX_BYTES")); ok {
		limits.Bytes = n
	}
	return limits
}

func count(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return max(1, n), true
}

// hookProject is the project that the event belongs to: CLAUDE_PROJECT_DIR,
// else the event's folder, else the working directory.
func hookProject(env *cli.Env, h *transcript.Hook) (store.Project, error) {
	for _, dir := range []string{env.Getenv("CLAUDE_PROJECT_DIR"), h.Cwd, env.Dir} {
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return store.FindProject(dir)
		}
	}
	return store.Project{}, errors.New("no project directory")
}
