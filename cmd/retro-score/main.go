// Retro-score turns the signals of a session into a verdict, one JSON object a line: was this session rough?
//
//	retro-scan x.jsonl | retro-score
//	retro-score corpus build --labels labels.json blocks.ndjson   # blocked calls become cases of a hook
//	retro-score corpus run --hook ./guard.sh                      # exit code 1 when the hook fails one
//	retro-scan --candidates DIR | retro-score calibrate --labels labels.json   # how often is the gate right?
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/score"
)

//go:embed main.go
var manual string

func main() { cli.Main(score.Program(manual)) }
