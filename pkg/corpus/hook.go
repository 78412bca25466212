package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Hook is a hook as the agent's settings name it: a shell command.
type Hook struct {
	command string
	limit   time.Duration
}

// NewHook makes a hook. Words of the command that name files relative to dir
// are made absolute, because a hook runs in the directory of its case. A run
// that takes longer than limit is ended.
func NewHook(command, dir string, limit time.Duration) *Hook {
	words := strings.Split(command, " ")
	for i, word := range words {
		if word == "" || filepath.IsAbs(word) || strings.ContainsAny(word, "'\"\\$`*?;&|<>(){}[]~!#") || i == 0 && !strings.Contains(word, "/") {
			continue
		}
		if file := filepath.Join(dir, word); isFile(file) {
			words[i] = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
		}
	}
	return &Hook{command: strings.Join(words, " "), limit: limit}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// Run judges one case in the sandbox of its segment; a nil box is one that
// could not be made.
func (h *Hook) Run(ctx context.Context, box *Sandbox, segment int, c *record.Case) record.CaseVerdict {
	v := record.CaseVerdict{V: record.Version, Kind: record.KindCaseVerdict, Segment: segment, ID: c.ID,
		Want: c.Expected, Known: c.Known, Why: c.Why}
	if !c.Skip.IsZero() {
		v.Result, v.Why = record.CaseSkip, c.Skip
		return v
	}
	if box == nil {
		v.Result, v.Fault = record.CaseFail, "the segment's sandbox could not be made"
		return v
	}
	var err error
	if v.Got, err = h.answer(ctx, box, c); err != nil {
		v.Result, v.Fault = record.CaseFail, err.Error()
		return v
	}
	v.Result = compare(v)
	return v
}

func compare(v record.CaseVerdict) record.CaseResult {
	match := v.Got == v.Want
	switch {
	case v.Known.IsZero() && match:
		return record.CaseOK
	case v.Known.IsZero():
		return record.CaseFail
	case match:
		return record.CaseKnownFixed
	}
	return record.CaseKnown
}

// answer runs the hook on the case.
func (h *Hook) answer(ctx context.Context, box *Sandbox, c *record.Case) (record.Answer, error) {
	if !inside(c.Cwd.String(), box.from) {
		return record.Answer{}, errors.New("the case's directory is outside the segment's home")
	}
	cwd := box.Rewrite(c.Cwd.String())
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		return record.Answer{}, errors.New("the case's directory cannot be made")
	}
	ctx, cancel := context.WithTimeout(ctx, h.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", h.command)
	cmd.Dir = cwd
	cmd.Env = append(box.environ(), "PWD="+cwd, "CLAUDE_PROJECT_DIR="+projectOf(cwd, box.Home))
	cmd.Stdin = bytes.NewReader(input(box, c, cwd))
	var stdout head
	cmd.Stdout = &stdout
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	defer endGroup(cmd)
	return answerOf(ctx, cmd.Run(), stdout.Bytes(), h.limit)
}

// input is what the agent would give the hook.
func input(box *Sandbox, c *record.Case, cwd string) []byte {
	out, err := ndjson.Marshal(struct {
		SessionID      string      `json:"session_id"`
		TranscriptPath string      `json:"transcript_path"`
		Cwd            string      `json:"cwd"`
		PermissionMode string      `json:"permission_mode"`
		Event          string      `json:"hook_event_name"`
		Tool           record.Name `json:"tool_name"`
		Input          ndjson.Raw  `json:"tool_input"`
	}{
		"corpus", filepath.Join(box.Home, ".claude", "projects", "corpus.jsonl"), cwd, "default", "PreToolUse",
		c.ToolName, c.ToolInput.Rewritten(box.Rewrite),
	})
	if err != nil {
		return []byte("{}") // cannot be: the input was valid JSON when it was read
	}
	return out
}

// projectOf is the nearest directory at or above cwd that holds .git, else cwd.
func projectOf(cwd, home string) string {
	for dir := cwd; len(dir) >= len(home); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return cwd
}

// answerOf reads the answer off the end of the run. Other exit codes than 0 and
// 2 let the call through in a session, with an error that nobody may see: here
// they are the hook's crash.
func answerOf(ctx context.Context, err error, stdout []byte, limit time.Duration) (record.Answer, error) {
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return record.Answer{}, fmt.Errorf("the hook hung: no answer in %v", limit)
	case ctx.Err() != nil:
		return record.Answer{}, errors.New("interrupted")
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child of the hook kept stdout open
		if denies(stdout) {
			return record.AnswerBlock, nil
		}
		return record.AnswerAllow, nil
	case !errors.As(err, &exit):
		return record.Answer{}, errors.New("the hook could not be started")
	}
	switch code := exit.ExitCode(); {
	case code == 2:
		return record.AnswerBlock, nil
	case code < 0, code > 128: // the shell's way to say the same of its child
		return record.Answer{}, errors.New("the hook crashed: ended by a signal")
	case code == 126, code == 127:
		return record.Answer{}, fmt.Errorf("the hook could not be started: exit code %d of the shell", code)
	default:
		return record.Answer{}, fmt.Errorf("the hook crashed: exit code %d", code)
	}
}

// denies tells whether a hook's output is a JSON decision to block.
func denies(stdout []byte) bool {
	var out struct {
		Decision string `json:"decision"`
		Specific struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if ndjson.Unmarshal(bytes.TrimSpace(stdout), &out) != nil {
		return false
	}
	return out.Decision == "block" || out.Decision == "deny" || out.Specific.Decision == "deny" || out.Specific.Decision == "block"
}

// head keeps the first megabyte of what is written to it: a hook that does not
// stop writing must not fill the memory.
type head struct{ bytes.Buffer }

// Write takes everything.
func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:max(0, min(len(p), 1<<20-h.Len()))])
	return len(p), nil
}

// Tally counts verdicts.
type Tally struct {
	Total int // cases that were run
	Right int // without a mismatch, known errors counted in
	Known int // known errors that still show
	Wrong int // FAIL and KNOWN-FIXED: more than none fails the run
}

// Add counts one verdict; a skipped case counts nowhere.
func (t *Tally) Add(v record.CaseVerdict) {
	if v.Result == record.CaseSkip {
		return
	}
	t.Total++
	switch v.Result {
	case record.CaseFail:
		t.Wrong++
		return
	case record.CaseKnown:
		t.Known++
	case record.CaseKnownFixed:
		t.Wrong++
	}
	t.Right++
}

// String is the summary line.
func (t *Tally) String() string {
	s := fmt.Sprintf("hook corpus: %d/%d", t.Right, t.Total)
	if t.Known > 0 {
		s += fmt.Sprintf(", known errors %d", t.Known)
	}
	return s
}
