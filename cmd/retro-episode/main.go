// Retro-episode counts signals and verdicts by session and day and holds them against thresholds.
//
//	retro-scan --project . | retro-score --tee | retro-episode | retro-render > report.md
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/episode"
)

//go:embed main.go
var manual string

func main() { cli.Main(episode.Program(manual)) }
