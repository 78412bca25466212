package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// row is a line of the table. A zero figure is one that there is not.
type row struct {
	set, what string
	wall, cpu float64 // seconds
	bytes     int64   // that were read
	limits    float64 // CPU in units of the limit
	records   int64   // lines that were read, of a transcript or of signals
	allocs    float64 // a record; below zero when it was not counted
	peak      float64 // MiB
}

// contestant is a program with its input.
type contestant struct {
	what    string
	command []string
	input   string // file for standard input
	bytes   int64
	records int64
	slow    bool     // it takes part in the first round only, when the set is large
	allocs  []string // arguments of allocs; none to count nothing
	runs    []usage
}

// usage is what a process took.
type usage struct{ wall, cpu, peak float64 }

// command is a program in a directory of no project and without the variables
// that would change what it does.
func (b *bench) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = os.TempDir()
	cmd.Env = []string{"PATH=" + b.programs + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + os.TempDir(), "TMPDIR=" + os.TempDir()}
	return cmd
}

// time runs a command once.
func (b *bench) time(cmd *exec.Cmd) (usage, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %v\n%.500s", cmd.Path, err, errs.String())
	}
	state := cmd.ProcessState
	return usage{wall.Seconds(), (state.UserTime() + state.SystemTime()).Seconds(), peak(state)}, nil
}

// contestants are the rows of a set, the limit first.
func (b *bench) contestants(s *set) []*contestant {
	program := func(name string) string { return filepath.Join(b.programs, name) }
	scan := func(what string, args ...string) *contestant {
		return &contestant{what: what, command: append([]string{program("retro-scan")}, append(args, s.dir)...), bytes: s.bytes, records: s.lines,
			allocs: append([]string{"retro-scan", s.dir}, append(args, "{}")...)}
	}
	filter := func(what, name, input string) *contestant {
		size := int64(0)
		if info, err := os.Stat(input); err == nil {
			size = info.Size()
		}
		return &contestant{what: what, command: []string{program(name)}, input: input, bytes: size, records: s.records, allocs: []string{name, input}}
	}
	list := []*contestant{
		{what: "limit: newline scan", command: []string{filepath.Join(b.tools, "bench"), "newlines", s.dir}, bytes: s.bytes, records: s.lines},
		scan("retro-scan, 1 core", "-j", "1"),
		scan("retro-scan, all cores"),
		scan("retro-scan, 1 core, rules measured", "-j", "1", "--registry", b.registry),
		scan("retro-scan, 1 core, classic", "-j", "1", "--profile", "classic"),
		filter("retro-score", "retro-score", s.signals),
		filter("retro-episode", "retro-episode", s.withVerdict),
		{what: "whole pipeline, rules measured", command: []string{"sh", "-c", `retro-scan --registry "$1" "$2" | retro-score --tee | retro-episode | retro-render`, "sh", b.registry, s.dir}, bytes: s.bytes, records: s.lines},
	}
	jq := &contestant{what: "jq .type", bytes: s.bytes, records: s.lines, slow: true}
	if path, err := exec.LookPath("jq"); err == nil {
		jq.command = append([]string{path, ".type"}, s.files...)
	}
	return append(list, jq)
}

// measure lets the contestants take turns and makes their rows.
func (b *bench) measure(s *set) ([]row, error) {
	out, err := b.command(filepath.Join(b.tools, "bench"), "newlines", s.dir).Output()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscan(string(out), &s.bytes, &s.lines); err != nil {
		return nil, err
	}
	list := b.contestants(s)
	for n := range b.roundsOf(s) {
		for _, c := range list {
			if len(c.command) == 0 || c.slow && n > 0 && s.bytes > largeSet {
				continue
			}
			if err := b.round(c); err != nil {
				return nil, err
			}
		}
	}
	var rows []row
	for _, c := range list {
		r := row{set: s.name, what: c.what, bytes: c.bytes, records: c.records, allocs: -1}
		r.fill(c.runs, list[0].runs)
		if len(c.allocs) > 0 {
			if r.allocs, err = b.allocations(c); err != nil {
				return nil, err
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// largeSet is the size from which fewer rounds tell enough.
const largeSet = 200_000_000

func (b *bench) roundsOf(s *set) int {
	switch {
	case b.rounds > 0:
		return b.rounds
	case s.bytes > largeSet:
		return 3
	}
	return 7
}

func (b *bench) round(c *contestant) error {
	cmd := b.command(c.command[0], c.command[1:]...)
	if c.input != "" {
		in, err := os.Open(c.input)
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	u, err := b.time(cmd)
	c.runs = append(c.runs, u)
	return err
}

// fill takes the medians of the runs. The ratio to the limit is the median of
// those within a round.
func (r *row) fill(runs, limit []usage) {
	if len(runs) == 0 {
		return
	}
	r.wall = median(runs, func(_ int, u usage) float64 { return u.wall })
	r.cpu = median(runs, func(_ int, u usage) float64 { return u.cpu })
	r.peak = median(runs, func(_ int, u usage) float64 { return u.peak })
	if len(limit) > 0 {
		r.limits = median(runs, func(i int, u usage) float64 { return u.cpu / limit[i].cpu })
	}
}

func median(runs []usage, f func(int, usage) float64) float64 {
	var all []float64
	for i, u := range runs {
		all = append(all, f(i, u))
	}
	slices.Sort(all)
	return (all[len(all)/2] + all[(len(all)-1)/2]) / 2
}

// allocations counts in a process of its own.
func (b *bench) allocations(c *contestant) (perRecord float64, err error) {
	out, err := b.command(filepath.Join(b.tools, "allocs"), c.allocs...).Output()
	if err != nil {
		return 0, fmt.Errorf("allocs: %v", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return max(0, float64(n)) / float64(c.records), err
}

// calls is how often a short process is started.
const calls = 40

// starts are the rows of a hook's call beside a process that does nothing.
func (b *bench) starts() ([]row, error) {
	project, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(project)
	git := filepath.Join(project, ".git")
	if err := os.Mkdir(git, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), nil, 0o600); err != nil {
		return nil, err
	}
	const event = `{"session_id":"s","tool_name":"Write","tool_use_id":"toolu_1","tool_input":{"file_path":"a.go","content":""},"hook_event_name":"%s"}`
	hook := []string{filepath.Join(b.programs, "retro-scan"), "hook"}
	list := []struct {
		contestant
		event string
	}{
		{contestant{what: "empty Go process", command: []string{filepath.Join(b.tools, "empty")}}, ""},
		{contestant{what: "hook, nothing to do", command: hook}, fmt.Sprintf(event, "Notification")},
		{contestant{what: "hook, a failed call is noted", command: hook}, fmt.Sprintf(event, "PostToolUseFailure")},
	}
	for range calls {
		for i := range list {
			c := &list[i]
			cmd := b.command(c.command[0], c.command[1:]...)
			cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+project)
			cmd.Stdin = strings.NewReader(c.event)
			u, err := b.time(cmd)
			if err != nil {
				return nil, err
			}
			c.runs = append(c.runs, u)
		}
	}
	var rows []row
	for _, c := range list {
		r := row{set: "-", what: c.what, allocs: -1}
		r.fill(c.runs, nil)
		rows = append(rows, r)
	}
	return rows, nil
}
