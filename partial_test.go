package retro

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retro/pkg/cli"
)

// twoDays is a session over midnight, with friction on both days.
const twoDays = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-03-01T23:00:00.000Z","message":{"role":"user","content":"Add a page."}}
{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-03-01T23:01:00.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"a.go"}}]}}
{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-03-01T23:02:00.000Z","message":{"role":"user","content":"No, that is not what I asked for. Undo it."}}
{"type":"assistant","uuid":"u4","sessionId":"s","timestamp":"2026-03-02T00:01:00.000Z","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"a.go"}}]}}
{"type":"user","uuid":"u5","sessionId":"s","timestamp":"2026-03-02T00:02:00.000Z","message":{"role":"user","content":"No, that is wrong again. Revert that."}}
`

// TestCutPartial cuts the partial of a job in many places, about its line ends
// at every byte, as a job that was killed or a full disk leaves it. What is gone is told, on stderr or as a
// session without its record, and the partial of a second try makes it good.
func TestCutPartial(t *testing.T) {
	dir := t.TempDir()
	var code int
	run := func(stdin string, args ...string) (stdout, stderr string) {
		t.Helper()
		for _, p := range programs() {
			if p.Name != args[0] {
				continue
			}
			var out, errors bytes.Buffer
			env := &cli.Env{Program: p.Name, Stdin: strings.NewReader(stdin), Stdout: bufio.NewWriter(&out), Stderr: &errors, Dir: dir,
				Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
			code = cli.Run(p, args[1:], env)
			return out.String(), errors.String()
		}
		return "", ""
	}
	save := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	signals, _ := run("", "retro-scan", save("s.jsonl", twoDays))
	scored, _ := run(signals, "retro-score", "--tee")
	whole, _ := run(scored, "retro-episode", "--partial")
	want, _ := run(whole, "retro-episode")
	if strings.Count(whole, "\n") != 3 || code != cli.ExitDone {
		t.Fatalf("want two episodes and an end, got %s", whole)
	}
	if got, stderr := run(whole+whole, "retro-episode"); got != want || stderr != "" || code != cli.ExitDone {
		t.Fatalf("two whole ones: exit code %d, %s", code, stderr)
	}
	for n := 1; n < len(whole)-1; n++ {
		if near := whole[max(0, n-5):min(len(whole), n+5)]; n%37 != 0 && n > 10 && !strings.Contains(near, "\n") {
			continue
		}
		got, stderr := run(whole[:n], "retro-episode")
		if stderr == "" || code != cli.ExitFailed {
			t.Fatalf("cut behind %d bytes, exit code %d, %q: %s", n, code, stderr, got)
		}
		if got, _ := run("", "retro-episode", save("cut", whole[:n]), save("whole", whole)); got != want {
			t.Fatalf("cut behind %d bytes, and tried again: got %s", n, got)
		}
		// Files joined by cat: the next record may be lost to the cut one, not silently.
		if got, stderr := run(whole[:n]+whole, "retro-episode"); got != want && stderr == "" {
			t.Fatalf("cut behind %d bytes, joined with the second try: %s", n, got)
		}
	}
}
