// Retro-render says in Markdown what the records say in numbers.
//
//	retro-scan --project . | retro-score --tee | retro-episode | retro-render > report.md
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/render"
)

//go:embed main.go
var manual string

func main() { cli.Main(render.Program(manual)) }
