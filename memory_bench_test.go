//go:build unix

package retro

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkPeakMemory runs retro-scan as a process on a transcript of 500 MB and
// on one whose tool result is a single line of 200 MB, and reports the most
// memory it took. It runs with RETRO_BENCH set, by `make bench-go`.
func BenchmarkPeakMemory(b *testing.B) {
	if os.Getenv("RETRO_BENCH") == "" {
		b.Skip("large files are made only by make bench-go")
	}
	dir := b.TempDir()
	binary := filepath.Join(dir, "retro-scan")
	run(b, exec.Command("go", "build", "-o", binary, "./cmd/retro-scan"))
	run(b, exec.Command("go", "run", "./testdata/gen", "-out", filepath.Join(dir, "large"), "-files", "1", "-total", "500000000", "-large", "0"))
	writeLongLine(b, filepath.Join(dir, "line.jsonl"))
	for name, path := range map[string]string{"500MB": filepath.Join(dir, "large"), "line-200MB": filepath.Join(dir, "line.jsonl")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(binary, path)
				run(b, cmd)
				usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				if !ok {
					b.Skip("no resource usage on this system")
				}
				b.ReportMetric(float64(usage.Maxrss)/1024, "MiB-peak")
				b.ReportMetric(cmd.ProcessState.UserTime().Seconds(), "user-s")
			}
		})
	}
}

func run(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out[:min(len(out), 2000)])
	}
}

func writeLongLine(b *testing.B, path string) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, `{"type":"user","message":{"content":"hi"}}`)
	fmt.Fprint(w, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"`)
	for range 200 {
		w.WriteString(strings.Repeat(`some text \n`, 1_000_000/12))
	}
	fmt.Fprintln(w, `","is_error":true}]}}`)
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}
