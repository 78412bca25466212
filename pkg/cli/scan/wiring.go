package scan

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/shell"
)

// hookProgram is the command line that the settings name.
const hookProgram = "retro-scan hook"

// wire is one event that the hook is wired to.
type wire struct {
	event string
	// tools are the tools it must see, for an event that has a matcher.
	tools []string
	// timeout is the time limit in seconds, 0 for the agent's own.
	timeout int
}

// graphTools stands for the tools of the code graph in the matcher.
const graphTools = "mcp__code-graph__.*"

// wires are the events, in the order in which they are printed (rules
// specification, wiring).
func wires() []wire {
	return []wire{
		{event: "SessionStart", timeout: 10},
		{event: "SessionEnd", timeout: 60},
		{event: "PreCompact", timeout: 60},
		{event: "PreToolUse", timeout: 10, tools: []string{
			"Bash", "PowerShell", "Edit", "Write", "MultiEdit", "NotebookEdit",
			"Grep", "Glob", "Skill", "Task", "Agent", graphTools,
		}},
		{event: "UserPromptSubmit", timeout: 10},
		{event: "PostToolUseFailure", timeout: 10},
		{event: "PermissionDenied", timeout: 10},
		{event: "StopFailure", timeout: 10},
	}
}

// hookGroup and hookEntry are the form of the agent's settings.
type hookGroup struct {
	Matcher string      `json:"matcher,omitempty"`
	Hooks   []hookEntry `json:"hooks"`
}

type hookEntry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// printSettings prints the block to paste. Events are written one by one,
// because an object with their names as keys is no struct.
func printSettings(env *cli.Env) error {
	var members []ndjson.Member
	for _, w := range wires() {
		group := hookGroup{
			Matcher: strings.Join(w.tools, "|"),
			Hooks:   []hookEntry{{Type: "command", Command: hookProgram, Timeout: w.timeout}},
		}
		text, err := ndjson.Marshal([]hookGroup{group})
		if err != nil {
			return err
		}
		members = append(members, ndjson.Member{Key: w.event, Value: text})
	}
	block := ndjson.Join([]ndjson.Member{{Key: "hooks", Value: ndjson.Join(members)}})
	_, err := fmt.Fprintf(env.Stdout, "%s\n", ndjson.Indent(block))
	return err
}

// checkSettings prints a line for each wire that the settings file lacks.
func checkSettings(env *cli.Env, file string, exitCode bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return cli.Failf("%s: %s", file, why(err))
	}
	lacking, err := lackingWires(text)
	if err != nil {
		return cli.Failf("%s: %s", file, err)
	}
	for _, line := range lacking {
		fmt.Fprintln(env.Stdout, line)
	}
	if len(lacking) > 0 && exitCode {
		return cli.Exit(cli.ExitMatched)
	}
	return nil
}

// lackingWires compares a settings file with the wires.
func lackingWires(text []byte) (lacking []string, err error) {
	var settings struct {
		Disabled bool                   `json:"disableAllHooks"`
		Hooks    map[string][]hookGroup `json:"hooks"`
	}
	if err := ndjson.Unmarshal(text, &settings); err != nil {
		return nil, fmt.Errorf("not a settings file")
	}
	if settings.Disabled {
		lacking = append(lacking, "disableAllHooks is on: no hook runs")
	}
	for _, w := range wires() {
		if fault := w.fault(settings.Hooks[w.event]); fault != "" {
			lacking = append(lacking, w.event+": "+fault)
		}
	}
	return lacking, nil
}

// fault says what the groups of an event lack, "" for nothing.
func (w wire) fault(groups []hookGroup) string {
	var matchers []string
	for _, g := range groups {
		if slices.ContainsFunc(g.Hooks, runsHook) {
			matchers = append(matchers, g.Matcher)
		}
	}
	if len(matchers) == 0 {
		return "nothing runs " + hookProgram
	}
	var missed []string
	for _, tool := range w.tools {
		if !slices.ContainsFunc(matchers, func(m string) bool { return matches(m, tool) }) {
			missed = append(missed, tool)
		}
	}
	if len(missed) > 0 {
		return "the matcher leaves out " + strings.Join(missed, ", ")
	}
	return ""
}

// runsHook tells whether an entry runs this program as the hook, by whatever
// path.
func runsHook(e hookEntry) bool {
	return slices.ContainsFunc(shell.Commands(e.Command), func(c shell.Command) bool {
		return len(c.Args) > 0 && path.Base(c.Args[0].Text) == "retro-scan" && c.Has("hook")
	})
}

// matches tells whether a matcher of the settings takes the tool in: empty and
// `*` take all, anything else is a pattern for the whole name.
func matches(matcher, tool string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	if tool == graphTools {
		tool = "mcp__code-graph__query"
	}
	pattern, err := regexp.Compile("^(?:" + matcher + ")$")
	return err == nil && pattern.MatchString(tool)
}
