package scan

import (
	"retro/pkg/cli"
	"retro/pkg/transcript"
)

// ruleHook runs the rule hooks on an event before a call or a prompt.
func ruleHook(env *cli.Env, h *transcript.Hook) error { return nil }

// statusLine is what a starting session is told of the store; "" for nothing.
func statusLine(env *cli.Env, h *transcript.Hook) string { return "" }
