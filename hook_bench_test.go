package retro

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHook is one hook call from start to end beside an empty Go program
// and the interpreter that the original hook started: the median of twenty
// calls an operation. What counts is the difference to the empty program.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	build(b, filepath.Join(dir, "empty"), empty)
	build(b, filepath.Join(dir, "retro-scan"), "./cmd/retro-scan")
	project := filepath.Join(dir, "p")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, ".git", "HEAD"), nil, 0o600); err != nil {
		b.Fatal(err)
	}
	const call = `{"session_id":"s","tool_name":"Write","tool_use_id":"toolu_1","tool_input":{"file_path":"a.go","content":"CONTENT"},"hook_event_name":"EVENT"}`
	event := func(name, content string) string {
		return strings.NewReplacer("EVENT", name, "CONTENT", content).Replace(call)
	}
	for _, c := range []struct {
		name, input string
		args        []string
	}{
		{"empty", "", []string{filepath.Join(dir, "empty")}},
		{"nothing", event("Notification", ""), []string{filepath.Join(dir, "retro-scan"), "hook"}},
		{"ledger", event("PostToolUseFailure", ""), []string{filepath.Join(dir, "retro-scan"), "hook"}},
		{"ledger-1MB", event("PostToolUseFailure", strings.Repeat("x", 1<<20)), []string{filepath.Join(dir, "retro-scan"), "hook"}},
		{"before-call", event("PreToolUse", ""), []string{filepath.Join(dir, "retro-scan"), "hook"}},
		{"python3", "", []string{"python3", "-c", "pass"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if _, err := exec.LookPath(c.args[0]); err != nil {
				b.Skip("not installed")
			}
			var calls []float64
			for b.Loop() {
				for range 20 {
					cmd := exec.Command(c.args[0], c.args[1:]...)
					cmd.Stdin = strings.NewReader(c.input)
					cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+project)
					start := time.Now()
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
					calls = append(calls, float64(time.Since(start).Microseconds())/1000)
				}
			}
			slices.Sort(calls)
			b.ReportMetric(calls[len(calls)/2], "ms/call")
		})
	}
}

// build builds a program as a release is built.
func build(b *testing.B, to, from string) {
	b.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, from)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}
