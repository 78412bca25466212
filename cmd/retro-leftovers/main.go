// Retro-leftovers lists the branches and worktrees that closed tasks left behind in repositories.
//
//	retro-leftovers ~/src/* | retro-render
package main

import (
	_ "embed"

	"retro/pkg/cli"
	"retro/pkg/cli/leftovers"
)

//go:embed main.go
var manual string

func main() { cli.Main(leftovers.Program(manual)) }
