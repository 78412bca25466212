// Command allocs counts what one of the programs allocates for its input:
//
//	allocs retro-scan INPUT -j 1 {}
//
// It runs the program in process on an empty input and on INPUT, and prints the
// difference in allocations, so that what a start costs is not in it. INPUT takes
// the place of {}, else it is standard input.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/cli/episode"
	"retro/pkg/cli/scan"
	"retro/pkg/cli/score"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: allocs PROGRAM INPUT [ARGUMENT...]")
	}
	name, input, args := os.Args[1], os.Args[2], os.Args[3:]
	program, found := map[string]func(string) cli.Program{
		"retro-scan": scan.Program, "retro-score": score.Program, "retro-episode": episode.Program,
	}[name]
	if !found {
		log.Fatalf("allocs: no program %s", name)
	}
	empty, err := os.CreateTemp("", "empty-*.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(empty.Name())
	p := program("")
	count(p, input, args) // tables are made once
	base := count(p, empty.Name(), args)
	fmt.Println(int64(count(p, input, args)) - int64(base))
}

// count runs the program once and counts its allocations.
func count(p cli.Program, input string, args []string) uint64 {
	in, err := os.Open(input)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	args = slices.Clone(args)
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "{}", input)
	}
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	env := &cli.Env{Program: p.Name, Stdin: in, Stdout: bufio.NewWriterSize(io.Discard, 64<<10), Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Now: time.Now, Dir: dir}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cli.Run(p, args, env)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
