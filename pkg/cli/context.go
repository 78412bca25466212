package cli

import "retro/pkg/ndjson"

// PrintContext prints a text as a hook's answer that both the person and the
// model shall see.
func (e *Env) PrintContext(event, text string) error {
	out := hookOutput{SystemMessage: text}
	out.Specific.Event, out.Specific.Context = event, text
	return ndjson.NewWriter(e.Stdout).Encode(out)
}

// hookOutput is the JSON that Claude Code reads from a hook's standard output.
type hookOutput struct {
	SystemMessage string `json:"systemMessage"`
	Specific      struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}
