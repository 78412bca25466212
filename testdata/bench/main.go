// Command bench prints what the programs cost, one Markdown table: beside finding
// the ends of lines, which is the limit, and beside jq.
//
//	bench -sizes 10MB,100MB,1GB
//
// It links nothing but the standard library, and keeps little in memory: on Linux
// a process starts with the peak memory of the one that started it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// bench is one run.
type bench struct {
	programs string // the directory of the five programs
	tools    string // that of this program, gen, allocs and empty
	data     string // where sets are made, and kept
	registry string // the rules that are measured
	rounds   int    // of each set; 0 for what its size deserves
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	if len(os.Args) == 3 && os.Args[1] == "newlines" {
		if err := newlines(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	debug.SetGCPercent(20)
	var b bench
	sizes := flag.String("sizes", "10MB,100MB,1GB", "sizes of the sets, with commas between")
	flag.StringVar(&b.programs, "programs", "bin", "directory of the programs")
	flag.StringVar(&b.tools, "tools", ".bench/bin", "directory of gen, allocs and empty")
	flag.StringVar(&b.data, "data", ".bench", "directory of the sets, which are made once")
	flag.StringVar(&b.registry, "registry", "pkg/rules/seed.json", "registry of the rules that are measured")
	flag.IntVar(&b.rounds, "rounds", 0, "rounds a set (default: by its size)")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := b.run(*sizes, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func (b *bench) run(sizes string, w io.Writer) error {
	for _, dir := range []*string{&b.programs, &b.tools, &b.data, &b.registry} {
		var err error
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
	}
	var rows []row
	for _, name := range strings.Split(sizes, ",") {
		s, err := b.makeSet(name)
		if err != nil {
			return err
		}
		more, err := b.measure(s)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	starts, err := b.starts()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s/%s, %d processors.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	printTable(w, append(rows, starts...))
	return nil
}

// parseSize reads a size like 10MB; a KB is 1000 bytes.
func parseSize(s string) (int64, error) {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if number, found := strings.CutSuffix(s, unit.name); found {
			n, err := strconv.ParseInt(number, 10, 32)
			if err == nil && n > 0 {
				return n * unit.bytes, nil
			}
		}
	}
	return 0, fmt.Errorf("%q is no size like 200kB, 10MB or 1GB", s)
}

// newlines is the limit: it reads all transcripts of a directory and finds the
// ends of their lines. It prints how many bytes and lines there are.
func newlines(dir string) error {
	size, lines := 0, 0
	buf := make([]byte, 256<<10)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for {
			n, err := f.Read(buf)
			size += n
			for rest := buf[:n]; ; lines++ {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				rest = rest[i+1:]
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	fmt.Println(size, lines)
	return err
}
