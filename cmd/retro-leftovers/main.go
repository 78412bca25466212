// Retro-leftovers lists what closed tasks left behind in git repositories: merged branches, worktrees, directories, one JSON object each, with the evidence and a command to paste. It only reads; the commands are suggestions.
//
//	retro-leftovers                                  # the repository one stands in
//	retro-leftovers ~/src/app ~/src/lib | retro-render
//	retro-leftovers --workspace ~/src --fetch        # every repository one level below
//	retro-leftovers --workspace repos.md             # those in a Markdown table with a path column
//	find ~ -name .git -prune -printf '{"path":"%h"}\n' | retro-leftovers
//	retro-leftovers --signals signals.jsonl          # with the session that made each
//	retro-leftovers --exit-code . > /dev/null || echo "time to tidy up"
//
// A branch is compared with the base: what origin/HEAD points to, else
// origin/main, else what --base names. It is merged when the base reaches its
// tip, and merged by content when the base has its changes under other
// commits, as after a squash or a rebase; the evidence names the rung of the
// ladder that held: patches, squash, no-op (merging it would change nothing)
// or earlier-no-op (merging it at an earlier commit of the base would have
// changed nothing). That its upstream is gone is a fact of its own and proves
// no merge. A branch that equals the base, the default branch, and names that
// --keep keeps are never leftovers.
//
// Whatever keeps a thing from being removed stands in holds: a worktree that
// is locked, dirty, detached, in use, has submodules or an operation under way;
// a branch that is checked out, that may have been reverted, or that nobody
// could check. Only what nothing holds gets a command that removes it, and that
// command checks again, when it is run, what it rests on.
//
// Exit codes: 0 done; 1 a repository could not be read, or not all of it; 2 bad
// usage; 3 with --exit-code when there is a leftover.
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/leftovers"
)

//go:embed main.go
var manual string

func main() { cli.Main(leftovers.Program(manual)) }
