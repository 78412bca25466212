// Retro-render says in Markdown what the records say in numbers.
//
//	retro-scan --project . --root . | retro-score --tee | retro-episode | retro-render > report.md
//	retro-scan x.jsonl | retro-score | retro-render        # a table of sessions
//	retro-scan x.jsonl | retro-score | retro-render why    # how each verdict came about
//	retro-episode .claude/retro/signals.jsonl | retro-render status
//	retro-episode --instructions . .claude/retro/signals.jsonl | retro-render proposal
//	retro-render metrics 2026-03-31.metrics.json --prev 2026-03-01.metrics.json
//	retro-scan corrections --project . | retro-render draft - --metrics 2026-03-31.metrics.json
//
// The report has a section for each kind of record in the stream, in a fixed
// order: plain words first, then tables and charts, which GitHub draws. Of fewer
// than five cases it tells counts and no percentage as a finding. Text from
// outside stands in code spans or is escaped: no path and no id can break a
// table or become a link.
//
// A proposal is an OpenSpec change in a new directory: what the figures call for,
// with the figures beside it. Nothing of it is applied; a person takes its tasks
// one by one, and the last of them is the way back.
//
// Exit codes: 0 done; 1 a file could not be read; 2 bad usage.
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/render"
)

//go:embed main.go
var manual string

func main() { cli.Main(render.Program(manual)) }
