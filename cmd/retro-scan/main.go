// Retro-scan reads the transcripts of coding agents and writes what it saw in them: signals, one JSON object a line, and one session record for every session.
//
//	retro-scan x.jsonl | retro-score
//	retro-scan --project . --root . | retro-score --tee | retro-episode | retro-render > report.md
//	retro-scan --project . --since 2026-03-01 --tz local | retro-episode metrics
//
// A period cuts records, not sessions: what is counted lies in it by its own
// time, and a session over its border belongs to both periods. Two commands
// quote sessions, after redaction, for a person to read:
//
//	retro-scan corrections --project .    # prompts that may have corrected the agent
//	retro-scan blocks --project .         # tool calls that hooks blocked
//
// In a running session it is a hook, and it fills the signals store from sessions that have ended:
//
//	retro-scan hook < event.json
//	retro-scan hook --settings
//	retro-scan backfill DIR --cwd PROJECT
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/scan"
)

//go:embed main.go
var manual string

func main() { cli.Main(scan.Program(manual)) }
