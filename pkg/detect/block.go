package detect

import (
	"path"
	"regexp"
	"strings"

	"retro/pkg/record"
	"retro/pkg/shell"
	"retro/pkg/transcript"
)

// blockHead is the form of a hook's refusal: the event, the tool, and in
// brackets the hook's command. Metrics specification, hook block.
var blockHead = regexp.MustCompile(`^\s*PreToolUse:\S+ hook error(?::? ?\[([^\]\n]*)\])?:? ?`)

// hookBlock reads a block by a hook off a tool result. The word alone does not
// make one: a search in the text of a hook finds it too.
func hookBlock(b *transcript.Block) (hook, message string, ok bool) {
	if b.Kind != transcript.ToolResult || b.Result.Status != transcript.Blocked {
		return "", "", false
	}
	text := b.Result.Text()
	head := blockHead.FindStringSubmatch(text)
	if head == nil || !strings.Contains(text, "BLOCKED") {
		return "", "", false
	}
	return hookName(head[1]), text[len(head[0]):], true
}

// hookName is the name of a hook's script: the last element of its path
// without the extension. A program that runs the script is not its name.
func hookName(command string) string {
	for _, c := range shell.Commands(command) {
		for i, w := range c.Args {
			name := path.Base(strings.ReplaceAll(w.Text, `\`, "/"))
			switch {
			case strings.HasPrefix(w.Text, "-"), i == 0 && runners[c.Program()], i == 1 && w.Text == "run" && runners[c.Program()]:
				continue
			}
			return strings.TrimSuffix(name, path.Ext(name))
		}
	}
	return "unknown"
}

// runners are the programs that run a script which is named behind them.
var runners = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "env": true, "python": true, "python3": true,
	"uv": true, "node": true, "npx": true, "bun": true, "deno": true, "tsx": true, "ruby": true, "perl": true, "pwsh": true, "php": true}

// denialReason is where the classifier of the automatic mode tells the class of
// its reason. Metrics specification, classifier denial.
var denialReason = regexp.MustCompile(`denied by the Claude Code auto mode classifier\. Reason: \[([^\]]+)\]`)

// classifierDenial reads the class of a denial off a tool result.
func classifierDenial(b *transcript.Block) (class record.Name, ok bool) {
	if b.Result.Status != transcript.Denied {
		return record.Name{}, false
	}
	m := denialReason.FindStringSubmatch(b.Result.Text())
	if m == nil {
		return record.Name{}, false
	}
	return record.NewName(strings.Join(strings.Fields(m[1]), "-")), true
}
