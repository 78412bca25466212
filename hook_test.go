//go:build unix

package retro

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"retro/pkg/ndjson"
)

// stage is a project with a registry and a transcript that hooks work on.
type stage struct {
	t          *testing.T
	project    string
	transcript string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	root := t.TempDir()
	s := &stage{t: t, project: filepath.Join(root, "p"), transcript: filepath.Join(root, "tr", "one.jsonl")}
	seed, err := os.ReadFile("pkg/rules/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	s.write(filepath.Join(s.project, ".git", "HEAD"), "x")
	s.write(filepath.Join(s.project, ".github", "retro", "rules.json"), string(seed))
	s.write(s.transcript, s.prompt("one", 0))
	return s
}

func (s *stage) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// prompt is a transcript line.
func (s *stage) prompt(session string, n int) string {
	return fmt.Sprintf(`{"type":"user","uuid":"%s-%d","sessionId":"%s","timestamp":"2026-03-01T08:00:%02d.000Z","message":{"role":"user","content":"go on"}}`+"\n",
		session, n, session, n%60)
}

func (s *stage) state(name string) string { return filepath.Join(s.project, ".claude", "retro", name) }

func (s *stage) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(s.state(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// files lists the state folder.
func (s *stage) files() string {
	entries, _ := os.ReadDir(filepath.Join(s.project, ".claude", "retro"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// failure and end are the two events that write: a row of the ledger, and a
// capture.
func failure(id string) string {
	return fmt.Sprintf(`{"session_id":"one","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"%s"}`, id)
}

func (s *stage) end(transcript string) string {
	return fmt.Sprintf(`{"session_id":"one","hook_event_name":"SessionEnd","transcript_path":"%s"}`, transcript)
}

// hook is one hook process; limit is a shell command to run before it.
func (s *stage) hook(event, limit string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command("retro-scan", "hook")
	if limit != "" {
		cmd = exec.Command("sh", "-c", limit+" && exec retro-scan hook")
	}
	cmd.Stdin = strings.NewReader(event)
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+s.project)
	return cmd
}

// fails runs a hook that cannot do its work: exit code 0, one line on stderr,
// nothing on stdout.
func (s *stage) fails(cmd *exec.Cmd, want string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		s.t.Errorf("exit: %v", err)
	}
	if stdout.Len() > 0 || stderr.String() != "retro-scan: hook: "+want+"\n" {
		s.t.Errorf("stdout %q, stderr %q, want %q", stdout.String(), stderr.String(), want)
	}
}

// Hooks that run at once, each a process of its own: every event is there
// once, and nothing but the two files. RETRO_STRESS makes it 32 agents with 200
// events each.
func TestHookProcesses(t *testing.T) {
	agents, events := 4, 10
	if os.Getenv("RETRO_STRESS") != "" {
		agents, events = 32, 200
	}
	s := newStage(t)
	var all sync.WaitGroup
	for a := range agents {
		all.Go(func() {
			name := fmt.Sprint("agent", a)
			transcript := filepath.Join(filepath.Dir(s.transcript), name+".jsonl")
			text := ""
			for e := range events {
				run := []string{failure(fmt.Sprint(name, "-", e))}
				if e%10 == 9 {
					text += s.prompt(name, e)
					s.write(transcript, text)
					run = append(run, s.end(transcript))
				}
				for _, event := range run {
					if out, err := s.hook(event, "").CombinedOutput(); err != nil || len(out) > 0 {
						t.Errorf("%s: %v, %q", event, err, out)
					}
				}
			}
		})
	}
	all.Wait()
	rows, sessions := make(map[string]int), make(map[string]int)
	for line := range strings.Lines(s.read("friction.jsonl")) {
		var row struct {
			ID string `json:"tool_use_id"`
		}
		if err := ndjson.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("damaged row %q", line)
		}
		rows[row.ID]++
	}
	for line := range strings.Lines(s.read("signals.jsonl")) {
		var signal struct {
			Session string `json:"session_id"`
			Kind    string `json:"kind"`
		}
		if err := ndjson.Unmarshal([]byte(line), &signal); err != nil {
			t.Errorf("damaged signal %q", line)
		}
		if signal.Kind == "session" {
			sessions[signal.Session]++
		}
	}
	for a := range agents {
		if n := sessions[fmt.Sprint("agent", a)]; n != 1 {
			t.Errorf("agent%d has %d session records", a, n)
		}
		for e := range events {
			if n := rows[fmt.Sprintf("agent%d-%d", a, e)]; n != 1 {
				t.Errorf("event %d of agent%d is there %d times", e, a, n)
			}
		}
	}
	if got := s.files(); got != "friction.jsonl signals.jsonl" {
		t.Errorf("the state folder holds %s", got)
	}
}

// A disk that is full, as a limit on the size of files shows it: what was
// there is there, and the hook says so in one line.
func TestHookOnFullDisk(t *testing.T) {
	s := newStage(t)
	for i := range 30 {
		if out, err := s.hook(failure(fmt.Sprint("t", i)), "").CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
	if out, err := s.hook(s.end(s.transcript), "").CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, %s", err, out)
	}
	rows, signals := s.read("friction.jsonl"), s.read("signals.jsonl")
	s.write(s.transcript, s.prompt("one", 0)+s.prompt("one", 1))
	// The ledger is longer than the limit; the store's new text is, too.
	s.fails(s.hook(failure("new"), "ulimit -f 1"), "ledger: write: file too large")
	s.fails(s.hook(s.end(s.transcript), "ulimit -f 1"), "signals store: write: file too large")
	if s.read("friction.jsonl") != rows || s.read("signals.jsonl") != signals {
		t.Error("the files changed")
	}
	if got := s.files(); got != "friction.jsonl signals.jsonl" {
		t.Errorf("the state folder holds %s", got)
	}
	// A limit that falls into the row (the unit is 512 bytes): the part that was written is taken back.
	s.write(s.state("friction.jsonl"), strings.Repeat("x", 1000)+"\n")
	s.fails(s.hook(failure("new"), "ulimit -f 2"), "ledger: write: file too large")
	if got := s.read("friction.jsonl"); got != strings.Repeat("x", 1000)+"\n" {
		t.Errorf("the ledger has %d bytes", len(got))
	}
}

// A state folder that may not be written to.
func TestHookInReadOnlyFolder(t *testing.T) {
	s := newStage(t)
	s.write(s.state("friction.jsonl"), "old\n")
	s.write(s.state("signals.jsonl"), "{\"old\":1}\n")
	for path, mode := range map[string]os.FileMode{
		s.state("friction.jsonl"): 0o444, s.state("signals.jsonl"): 0o444, s.state("."): 0o555,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(s.state("."), 0o755) })
	for _, c := range []struct{ event, want string }{
		{failure("new"), "ledger: open: permission denied"},
		{s.end(s.transcript), "signals store: open: permission denied"},
	} {
		cmd := s.hook(c.event, "")
		asNobody(t, cmd)
		s.fails(cmd, c.want)
	}
	if s.read("friction.jsonl") != "old\n" || s.read("signals.jsonl") != "{\"old\":1}\n" {
		t.Error("the files changed")
	}
}

// asNobody takes the rights of root from the command, whom no mode stops.
func asNobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	for _, path := range []string{filepath.Dir(cmd.Path), t.TempDir()} {
		for ; len(path) > len(filepath.Clean(os.TempDir())); path = filepath.Dir(path) {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// An interrupt in the middle of a capture leaves no temporary file, and the
// store whole.
func TestHookInterrupted(t *testing.T) {
	s := newStage(t)
	for i := range 12 {
		s.write(s.transcript, s.prompt("one", 0)+s.prompt("one", i+1)+strings.Repeat("\n", i))
		cmd := s.hook(s.end(s.transcript), "")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if got := s.files(); got != "" && got != "signals.jsonl" {
			t.Errorf("the state folder holds %s", got)
		}
	}
	if out, err := s.hook(s.end(s.transcript), "").CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, %s", err, out)
	}
	if got := strings.Count(s.read("signals.jsonl"), `"kind":"session"`); got != 1 {
		t.Errorf("%d session records", got)
	}
}
