package report

import (
	"fmt"
	"strings"
)

// context is how many lines a hunk shows around a change.
const context = 3

// unified is the difference of two texts of one file as `git apply` takes it;
// "" when they are the same.
func unified(file, before, after string) string {
	ops := lineOps(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"))
	var out strings.Builder
	oldLine, newLine := 1, 1
	for i := 0; i < len(ops); {
		if ops[i].sign == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		start := max(0, i-context)
		end := hunkEnd(ops, i)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", file, file)
		}
		back := i - start
		oldCount, newCount := 0, 0
		for _, op := range ops[start:end] {
			if op.sign != '+' {
				oldCount++
			}
			if op.sign != '-' {
				newCount++
			}
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", oldLine-back, oldCount, newLine-back, newCount)
		for _, op := range ops[start:end] {
			out.WriteByte(op.sign)
			out.WriteString(op.line)
			if !strings.HasSuffix(op.line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, i = oldLine-back+oldCount, newLine-back+newCount, end
	}
	return out.String()
}

// hunkEnd is where the hunk ends that holds the change at i: past its context,
// when no other change is near.
func hunkEnd(ops []lineOp, i int) int {
	last := i
	for j := i; j < len(ops) && j <= last+2*context; j++ {
		if ops[j].sign != ' ' {
			last = j
		}
	}
	return min(len(ops), last+1+context)
}

// lineOp is a line that stays (blank), goes (-) or comes (+).
type lineOp struct {
	sign byte
	line string
}

// lineOps aligns two lists of lines by their longest common subsequence; lists
// too long for that are taken as replaced, but for what they begin and end with.
func lineOps(a, b []string) (ops []lineOp) {
	a, b = dropEmpty(a), dropEmpty(b)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add := func(sign byte, lines []string) {
		for _, line := range lines {
			ops = append(ops, lineOp{sign, line})
		}
	}
	add(' ', a[:head])
	ops = append(ops, align(a[head:len(a)-tail], b[head:len(b)-tail])...)
	add(' ', a[len(a)-tail:])
	return ops
}

// dropEmpty drops the empty piece behind the last line feed.
func dropEmpty(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

// maxCells bounds the table of align.
const maxCells = 4 << 20

func align(a, b []string) (ops []lineOp) {
	width := len(b) + 1
	var common []int32 // length of the longest common subsequence of a[i:] and b[j:]
	if (len(a)+1)*width <= maxCells {
		common = make([]int32, (len(a)+1)*width)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i*width+j] = common[(i+1)*width+j+1] + 1
				} else {
					common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case common != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			ops = append(ops, lineOp{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common == nil || common[(i+1)*width+j] >= common[i*width+j+1]):
			ops = append(ops, lineOp{'-', a[i]})
			i++
		default:
			ops = append(ops, lineOp{'+', b[j]})
			j++
		}
	}
	return ops
}
