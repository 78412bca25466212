package predicate

import (
	"slices"
	"strings"

	"retro/pkg/shell"
)

// gitValued are git's own options, before the sub-command, that take the next
// word.
var gitValued = strings.Fields("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source")

// Commits tells whether the call makes a git commit: in any command of the line,
// with any of git's own options before the sub-command. Plumbing
// (`commit-tree`) and rehearsals (`--dry-run`) make none. Rules specification,
// defect-warn, as mended there.
func Commits(c *Call) bool {
	if !c.IsShell() || !hasLineWord(c.line(), "commit") {
		return false
	}
	return slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool {
		args, sub := gitSubcommand(&cmd)
		return sub == "commit" && !cmd.Guessed && !has(args, "--dry-run", "--help", "-h")
	})
}

// hasLineWord tells whether a word is among those of a shell line.
func hasLineWord(line, want string) bool {
	for word := range lineWords(line) {
		if string(word) == want {
			return true
		}
	}
	return false
}

// gitSubcommand gives the sub-command of a git command and what follows it.
func gitSubcommand(cmd *shell.Command) (args []shell.Word, sub string) {
	if cmd.Program() != "git" {
		return nil, ""
	}
	for i := 1; i < len(cmd.Args); i++ {
		word := cmd.Args[i].Text
		switch {
		case slices.Contains(gitValued, word):
			i++
		case !strings.HasPrefix(word, "-"):
			return cmd.Args[i+1:], word
		}
	}
	return nil, ""
}

func has(args []shell.Word, words ...string) bool {
	return slices.ContainsFunc(args, func(w shell.Word) bool { return slices.Contains(words, w.Text) })
}
