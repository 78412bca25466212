// Retro-episode adds signals and verdicts up by session and day, holds the sums against the registry's thresholds, and prints what they come to as bucket records, one JSON object a line.
//
//	retro-scan --project . --root . | retro-score --tee | retro-episode | retro-render > report.md
//	retro-episode .claude/retro/signals.jsonl          # what the hooks captured
//	retro-scan x.jsonl | retro-score --tee | retro-episode --partial > x.partial
//	retro-episode *.partial | retro-render             # partials of any split give the same bytes
//	retro-episode rules merge-seed                     # switch rule measurement on
//	retro-episode --instructions . .claude/retro/signals.jsonl | retro-render
//	retro-episode layout                               # budgets of the instruction files
//	retro-episode rules status && echo "time for a retrospective"
//
// An episode is one session on one day. Three violations in one afternoon are
// one mishap, three on three days are a habit, so the thresholds count both.
// Every record counts once however often it comes: signals by their id, and of
// two partials of one session and day the one that saw more of the session
// stands. Records of another zone or of another configuration are refused,
// since their sum would mean nothing.
//
// The rules, their enforcement and the thresholds are the project's own file,
// .github/retro/rules.json. Without it the friction, the tokens and the coverage
// are counted and the rules are not. A registry that cannot be used is named on
// stderr and in the summary, the rest is counted, and the exit code is 1.
//
// Buckets: summary, rule, decisions, path-cluster, build-retry, gotcha, tokens,
// adherence, friction, archives, coverage; with --partial, episode and, last, share, by which a partial that was cut is told; with
// --instructions, layout and gotcha-entry. A rate comes
// with what it stands on, n, and its 95 % Wilson interval; of nothing it is
// null.
//
// Exit codes: 0 done; 1 a file could not be read, or a partial was cut; 2 bad usage, or records that
// must not be counted together. The commands under rules have their own, see
// their help.
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/episode"
)

//go:embed main.go
var manual string

func main() { cli.Main(episode.Program(manual)) }
