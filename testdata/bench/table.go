package main

import (
	"fmt"
	"io"
	"strings"
)

// The goals, and the floors, below which a release is not good enough. They hold
// for the whole program with all detectors on; CPU is in units of the newline
// scan of the same run. They were set by a prototype that only takes the wanted
// values out of the lines, which took 4.6.
const (
	goalLimits, floorLimits   = 4.0, 6.5   // scan on one core, CPU over that of the limit
	goalPeakMB, floorPeakMiB  = 48, 64     // any scan, any input: MB the one, MiB the other
	goalAllocs, floorAllocs   = 0.02, 0.2  // a scan, a line of a transcript
	goalHook, floorHook       = 2, 5       // ms of a hook call over an empty process
	goalRecord, floorRecord   = 1000, 2000 // ns a signal record, retro-score and retro-episode each
	goalSpeedup, floorSpeedup = 1.95, 1.7  // wall time of one core over that of two, many files
)

var columns = []string{"set", "what", "wall s", "CPU s", "MB/s by CPU", "MB/s by wall", "x limit", "ns/record", "allocs/record", "peak MiB"}

// printTable prints the rows, what the columns mean and the goals.
func printTable(w io.Writer, rows []row) {
	cells := [][]string{columns, rule()}
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	widths := make([]int, len(columns))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, line := range cells {
		for i, cell := range line {
			switch pad := strings.Repeat(" ", widths[i]-len(cell)); {
			case cell == "---" || cell == "--:":
				fmt.Fprintf(w, "| %s%s ", strings.Repeat("-", len(pad)), cell)
			case i < 2:
				fmt.Fprintf(w, "| %s%s ", cell, pad)
			default:
				fmt.Fprintf(w, "| %s%s ", pad, cell)
			}
		}
		fmt.Fprintln(w, "|")
	}
	fmt.Fprintf(w, `
Medians of rounds in which all take turns. x limit: CPU over that of the newline scan in the same round. A record is a line of the transcripts; for retro-score and retro-episode a signal record, of which they read those of the set %d times over (and MB/s are of those). ns/record: CPU. Peak: the largest process.

`, copies)
	fmt.Fprintf(w, "Goals, and floors in brackets: a scan on one core takes %g (%g) times the CPU of the limit, %d MB (%d MiB) of memory and %g (%g) allocations a line; two cores are %g (%g) times as fast as one; a hook call takes %d (%d) ms longer than an empty process; retro-score and retro-episode take %d (%d) ns a signal record.\n",
		goalLimits, floorLimits, goalPeakMB, floorPeakMiB, goalAllocs, floorAllocs, goalSpeedup, floorSpeedup, goalHook, floorHook, goalRecord, floorRecord)
}

func rule() []string {
	line := []string{"---", "---"}
	for range columns[2:] {
		line = append(line, "--:")
	}
	return line
}

func (r *row) cells() []string {
	mb := float64(r.bytes) / 1e6
	return []string{r.set, r.what, seconds(r.wall), seconds(r.cpu), ratio("%.0f", mb, r.cpu), ratio("%.0f", mb, r.wall),
		ratio("%.1f", r.limits, 1), ratio("%.0f", r.cpu*1e9, float64(r.records)), r.allocations(), ratio("%.0f", r.peak, 1)}
}

// ratio is a quotient, "-" when there is none.
func ratio(format string, a, b float64) string {
	if a == 0 || b == 0 {
		return "-"
	}
	return fmt.Sprintf(format, a/b)
}

func seconds(s float64) string {
	switch {
	case s == 0:
		return "-"
	case s < 0.1:
		return fmt.Sprintf("%.4f", s)
	}
	return fmt.Sprintf("%.2f", s)
}

func (r *row) allocations() string {
	if r.allocs < 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", r.allocs)
}
