// Retro-score turns the signals of a session into a verdict, one JSON object a line: was this session rough?
//
//	retro-scan x.jsonl | retro-score
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/score"
)

//go:embed main.go
var manual string

func main() { cli.Main(score.Program(manual)) }
