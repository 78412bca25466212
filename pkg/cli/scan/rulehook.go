package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"retro/pkg/cli"
	"retro/pkg/guard"
	"retro/pkg/ndjson"
	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/store"
	"retro/pkg/transcript"
)

// ruleHook runs the rule hooks on an event before a call or a prompt. A refusal
// is the one thing that ends the hook with another exit code than 0.
func ruleHook(env *cli.Env, h *transcript.Hook) error {
	project, err := hookProject(env, h)
	if err != nil {
		return err
	}
	registry, err := rules.Read(project.Registry())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return errors.New("rules.json: " + registryFault(err))
	}
	g := guard.Guard{Registry: registry, Project: ruleProject(project.Root(), registry), Markers: project.Markers()}
	answer := g.Answer(ruleEvent(env, h))
	recordErr := recordDecisions(project, registry, answer.Signals)
	if answer.Block != "" {
		fmt.Fprintln(env.Stderr, answer.Block)
		return cli.Exit(cli.ExitUsage) // the agent reads 2 as a refusal
	}
	if err := printAnswer(env, h.Event, answer); err != nil {
		return err
	}
	return recordErr
}

// ruleProject is the project at root as predicates know it.
func ruleProject(root string, registry *rules.Registry) *predicate.Project {
	set := registry.Settings
	return predicate.NewProject(root, os.DirFS(root), predicate.Settings{
		GraphTools: set.CodeGraph.ToolPrefixes, GraphDatabase: set.CodeGraph.Database,
		OpenSpec: set.OpenSpec.Root, Changes: set.OpenSpec.Changes, Reviews: set.ReviewSkills,
	})
}

// ruleEvent is the event as the guard takes it.
func ruleEvent(env *cli.Env, h *transcript.Hook) *guard.Event {
	e := &guard.Event{
		Session: record.NewSessionID(h.SessionID), ToolUseID: h.ToolUseID,
		Prompt: h.Prompt, Subagent: h.AgentID != "", Time: env.Now(),
	}
	if h.Event == "PreToolUse" {
		e.Call = &predicate.Call{
			Tool: h.Tool, Path: h.Input.File(), Command: h.Input.Command, Skill: h.Input.Skill,
			Agent: cmp.Or(h.Input.SubagentType, h.Input.Description), Dir: h.Cwd, Input: editText(h),
		}
	}
	return e
}

// editText is the input of an edit, for the rules that look at its text; nil when
// it was too long to be kept.
func editText(h *transcript.Hook) ndjson.Raw {
	if h.EditText == "" {
		return nil
	}
	return ndjson.Raw(h.EditText)
}

// recordDecisions appends what was decided to the signals store.
func recordDecisions(project store.Project, registry *rules.Registry, signals []record.Signal) error {
	if len(signals) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	into := store.NewSignals(project.Signals(), store.Retention{Sessions: registry.MaxSessions, IgnorePrefixes: registry.IgnorePrefixes})
	if err := into.Append(ctx, signals...); err != nil {
		return errors.New("signals store: " + err.Error())
	}
	return nil
}

// ruleAnswer is the JSON of a rule hook: the warning for the person, the context
// for the model, and no decision about the permission.
type ruleAnswer struct {
	SystemMessage string      `json:"systemMessage,omitempty"`
	Specific      ruleContext `json:"hookSpecificOutput"`
}

type ruleContext struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

func printAnswer(env *cli.Env, event string, a guard.Answer) error {
	if a.Context == "" {
		return nil
	}
	return ndjson.NewWriter(env.Stdout).Encode(ruleAnswer{a.Warning, ruleContext{cmp.Or(event, "PreToolUse"), a.Context}})
}
