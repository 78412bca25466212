package predicate

import (
	"slices"
	"strings"

	"retro/pkg/shell"
)

// queries are the programs that answer "no" with exit code 1: nothing found,
// files differ, condition false. Their errors are 2 and above, or talk on
// standard error.
var queries = wordSet(`grep egrep fgrep zgrep pgrep rg ag ack diff cmp colordiff sdiff test [ [[ (( which type hash command
	expr jq pidof lsof fuser nc false comm look`)

// gitQueries are git's sub-commands that do the same.
var gitQueries = wordSet("grep diff merge-base show-ref rev-parse check-ignore config ls-remote diff-index diff-files diff-tree symbolic-ref")

// silent are the commands that may decide on an exit only by saying why: with
// nothing on standard error the exit is not theirs.
var silent = wordSet("cd pushd popd export source . set unset echo printf true : pwd mkdir cat head tail sort uniq wc cut tr ls")

func wordSet(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// BenignExit tells whether the failure of a shell line is an answer and no
// error: exit code 1 of a query (grep found nothing, diff found something, test
// is false) with nothing on standard error. quiet says that nothing was there,
// as far as it is known. The query must be what decided: `make && grep x log`
// may have failed in make, and `grep x f | head` exits as head does.
func BenignExit(line string, exitCode int, quiet bool) bool {
	if exitCode != 1 && exitCode != 123 || !quiet {
		return false
	}
	answered := false
	for _, cmd := range shell.Commands(line) {
		switch query := isQuery(&cmd); {
		case cmd.Guessed:
			return false
		case exitCode == 123: // of xargs: one of its commands said 1
			answered = answered || query && cmd.Decides && cmd.Via == "xargs"
		case !cmd.Decides:
		case query:
			answered = true
		case !silent[cmd.Program()] && !isContainer(&cmd):
			return false
		}
	}
	return answered
}

// MayBenignExit is a quick look before BenignExit, at the line as it stands in the
// transcript: false means that BenignExit is false too. It spares most failures the
// parser. (A name taken apart by quotes, g"re"p, is not seen; nobody writes that.)
func MayBenignExit(line []byte, exitCode int) bool {
	if exitCode != 1 && exitCode != 123 {
		return false
	}
	for from, i := 0, 0; i <= len(line); i++ {
		if i < len(line) && isNameByte(line[i]) {
			continue
		}
		if word := string(line[from:i]); queries[word] || word == "git" || i < len(line) && (line[i] == '[' || line[i] == '(') {
			return true
		}
		from = i + 1
	}
	return false
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// isContainer tells whether the command's exit is that of a command inside it,
// which comes after it in the line's list.
func isContainer(cmd *shell.Command) bool {
	switch cmd.Program() {
	case "eval":
		return true
	case "bash", "sh", "zsh", "dash", "ksh":
		return slices.ContainsFunc(cmd.Args, func(w shell.Word) bool {
			return len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.HasSuffix(w.Text, "c")
		})
	}
	return false
}

func isQuery(cmd *shell.Command) bool {
	program := cmd.Program()
	if program == "git" {
		_, sub := gitSubcommand(cmd)
		return gitQueries[sub]
	}
	return queries[program]
}
