package transcript

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

var (
	speakerNames = map[Speaker]string{Human: "human", Agent: "agent", Subagent: "subagent", Tool: "tool", Harness: "harness"}
	statusNames  = map[Status]string{OK: "ok", Failed: "failed", Refused: "refused", Denied: "denied", Blocked: "blocked", Cancelled: "cancelled", Guarded: "guarded"}
	noticeNames  = map[NoticeKind]string{Meta: "meta", CommandNotice: "command", CommandOutput: "output", ShellInput: "shell", TaskNotice: "task",
		Teammate: "teammate", IDE: "ide", Reminder: "reminder", HookFeedback: "hook", CompactionSummary: "summary", CompactBoundary: "boundary",
		PlanHandover: "plan", Interrupt: "interrupt", APIError: "api-error", APIRetry: "api-retry", SubagentPrompt: "subagent-prompt"}
)

// trace reads a session and lists what it delivers, an event a line.
func trace(t *testing.T, s *Session) []string {
	t.Helper()
	var out []string
	sum, err := s.Read(Handler{
		Block: func(b *Block) { out = append(out, traceBlock(b)) },
		Turn: func(turn *Turn) {
			late := ""
			if turn.Late {
				late = " late"
			}
			out = append(out, fmt.Sprintf("end of turn %d%s: %d characters, %d calls, output %d", turn.Number, late, turn.TextLen, turn.Calls, turn.Usage.Output))
		},
		Fault: func(kind, file string, line int) { out = append(out, fmt.Sprintf("fault %s at %d", kind, line)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sum.Totals.Dropped {
		out = append(out, fmt.Sprintf("dropped %s %d", d.Name, d.Count))
	}
	return out
}

func traceBlock(b *Block) string {
	who := fmt.Sprintf("%s, turn %d", speakerNames[b.Speaker], b.Turn)
	if b.Late {
		who += ", late"
	}
	switch b.Kind {
	case Text:
		return fmt.Sprintf("text %q (%s)", b.Text, who)
	case ToolCall:
		return fmt.Sprintf("call %s %s %s%s (%s)", b.Call.ID, b.Call.Name, b.Call.Path, b.Call.Command, who)
	case ToolResult:
		call := "no call"
		if b.Call != nil {
			call = string(b.Call.Name)
		}
		return fmt.Sprintf("result %s of %s (%s)", statusNames[b.Result.Status], call, who)
	case Prompt:
		var how []string
		for name, on := range map[string]bool{"steering": b.Prompt.Steering, "refusal": b.Prompt.Refusal, "images": b.Prompt.Images} {
			if on {
				how = append(how, " "+name)
			}
		}
		return fmt.Sprintf("prompt %q%s%s (%s)", b.Text, b.Prompt.Command, strings.Join(how, ""), who)
	}
	return fmt.Sprintf("notice %s (%s)", noticeNames[b.Notice], who)
}

// stream makes a session of lines.
func stream(id string, lines ...string) *Session {
	s := FromStream("test.jsonl", id, strings.NewReader(strings.Join(lines, "\n")+"\n"))
	return s
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Short forms of records.
func user(content string) string {
	return `{"type":"user","sessionId":"s","message":{"role":"user","content":` + content + `}}`
}

func assistant(id, blocks string) string {
	return `{"sessionId":"s","message":{"id":"` + id + `","role":"assistant","content":[` + blocks + `],"usage":{"output_tokens":5}},"type":"assistant"}`
}

const (
	bashCall   = `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}`
	editCall   = `{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/w/a.go"}}`
	textBlock  = `{"type":"text","text":"Done."}`
	bashResult = `[{"type":"tool_result","tool_use_id":"t1","content":"ok","is_error":false}]`
)

func TestTurnsAreMessages(t *testing.T) {
	got := trace(t, stream("",
		user(`"hi"`),
		assistant("m1", `{"type":"thinking","thinking":"hm"}`),
		assistant("m1", textBlock),
		assistant("m1", bashCall),
		user(bashResult),
		strings.Replace(assistant("m1", editCall), `"output_tokens":5`, `"output_tokens":9`, 1),
		assistant("m2", textBlock),
		strings.Replace(assistant("m1", textBlock), `"output_tokens":5`, `"output_tokens":12`, 1),
		user(`"thanks"`),
		`{"type":"assistant","message":{"content":"no id"}}`,
		`{"type":"assistant","message":{"content":"no id"}}`,
	))
	check(t, got,
		`prompt "hi" (human, turn 0)`,
		`text "Done." (agent, turn 1)`,
		`call t1 Bash make (agent, turn 1)`,
		`result ok of Bash (tool, turn 1)`,
		`call t2 Edit /w/a.go (agent, turn 1)`,
		`end of turn 1: 5 characters, 2 calls, output 9`,
		`text "Done." (agent, turn 2)`,
		`end of turn 1 late: 0 characters, 0 calls, output 3`,
		`text "Done." (agent, turn 1, late)`,
		`end of turn 2: 5 characters, 0 calls, output 5`,
		`prompt "thanks" (human, turn 2)`,
		`text "no id" (agent, turn 3)`,
		`end of turn 3: 5 characters, 0 calls, output 0`,
		`text "no id" (agent, turn 4)`,
		`end of turn 4: 5 characters, 0 calls, output 0`,
	)
}

func TestWhoSpoke(t *testing.T) {
	tests := []struct{ name, record, want string }{
		{"plain", user(`"do it"`), `prompt "do it" (human, turn 0)`},
		{"list", user(`[{"type":"text","text":"do"},{"type":"text","text":"it"}]`), `prompt "do\nit" (human, turn 0)`},
		{"white space", user(`"  \n"`), ``},
		{"meta", `{"type":"user","isMeta":true,"message":{"content":"Caveat: x"}}`, `notice meta (harness, turn 0)`},
		{"compaction by flag", `{"type":"user","isCompactSummary":true,"message":{"content":"Stop. Wrong."}}`, `notice summary (harness, turn 0)`},
		{"compaction by text", user(`"This session is being continued from a previous conversation"`), `notice summary (harness, turn 0)`},
		{"plan", user(`"Implement the following plan:\n\n# Plan"`), `notice plan (harness, turn 0)`},
		{"plan by field", `{"type":"user","planContent":"# P","message":{"content":"Go on with it"}}`, `notice plan (harness, turn 0)`},
		{"interrupt", user(`[{"type":"text","text":"[Request interrupted by user]"}]`), `notice interrupt (harness, turn 0)`},
		{"interrupt and words", user(`[{"type":"text","text":"[Request interrupted by user for tool use]"},{"type":"text","text":"no, the other"}]`),
			"notice interrupt (harness, turn 0)\n\t" + `prompt "no, the other" (human, turn 0)`},
		{"command", user(`"<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>"`), `notice command (harness, turn 0)`},
		{"command with words", user(`"<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>not that, the other file</command-args>"`),
			`prompt "not that, the other file"/fix (human, turn 0)`},
		{"output", user(`"<local-command-stdout>wrong</local-command-stdout>"`), `notice output (harness, turn 0)`},
		{"shell", user(`"<bash-input>git stop</bash-input>"`), `notice shell (harness, turn 0)`},
		{"task", user(`"<task-notification>\n<task-id>x</task-id> clipped"`), `notice task (harness, turn 0)`},
		{"upper case", user(`"<SYSTEM-REMINDER>stop</SYSTEM-REMINDER>"`), `notice reminder (harness, turn 0)`},
		{"reminder in a message", user(`"No, stop.<system-reminder>\nx\n</system-reminder>"`), `prompt "No, stop." (human, turn 0)`},
		{"editor", user(`[{"type":"text","text":"<ide_opened_file>The user opened a.go</ide_opened_file>"},{"type":"text","text":"rename it"}]`), `prompt "rename it" (human, turn 0)`},
		{"tag of a person", user(`"The <div> is wrong, </div> too"`), `prompt "The <div> is wrong, </div> too" (human, turn 0)`},
		{"unclosed in the middle", user(`"what does <system-reminder> mean?"`), `prompt "what does <system-reminder> mean?" (human, turn 0)`},
		{"generic", user(`"Vec<u8> is wrong"`), `prompt "Vec<u8> is wrong" (human, turn 0)`},
		{"user query", user(`"<user_query>\nfix it\n</user_query>"`), `prompt "fix it" (human, turn 0)`},
		{"hook feedback", user(`"Stop hook feedback:\n- stop it"`), `notice hook (harness, turn 0)`},
		{"teammate", user(`"<teammate-message teammate_id=\"a\">stop</teammate-message>"`), `notice teammate (harness, turn 0)`},
		{"peer by field", `{"type":"user","origin":{"kind":"peer"},"message":{"content":"stop"}}`, `notice teammate (harness, turn 0)`},
		{"human by field", `{"type":"user","origin":{"kind":"human"},"message":{"content":"stop"}}`, `prompt "stop" (human, turn 0)`},
		{"sidechain", `{"type":"user","isSidechain":true,"message":{"content":"stop"}}`, `notice subagent-prompt (subagent, turn 0)`},
		{"picture", user(`[{"type":"image","source":{}}]`), `prompt "" images (human, turn 0)`},
		{"api error", `{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}`, `notice api-error (harness, turn 0)`},
		{"boundary", `{"type":"system","subtype":"compact_boundary"}`, `notice boundary (harness, turn 0)`},
		{"odd types", `{"type":"user","message":{"content":[1,"x",null,{"type":7},{"type":"text","text":5}]}}`, ``},
		{"no message", `{"type":"user"}`, ``},
		{"message of numbers", `{"type":"assistant","message":{"0":1,"1":2,"content":[]}}`, `end of turn 1: 0 characters, 0 calls, output 0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, "\n\t")
			}
			check(t, trace(t, stream("", tt.record)), want...)
		})
	}
}

func TestResults(t *testing.T) {
	tests := []struct{ content, want string }{
		{`"Exit code 1\nFAIL"`, "failed"},
		{`"<tool_use_error>String to replace not found</tool_use_error>"`, "failed"},
		{`"<tool_use_error>File has not been read yet. Read it first</tool_use_error>"`, "guarded"},
		{`"<tool_use_error>Sibling tool call errored</tool_use_error>"`, "cancelled"},
		{`"<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>"`, "cancelled"},
		{`"The user doesn't want to proceed with this tool use. The tool use was rejected"`, "refused"},
		{`"The user doesn't want to take this action right now. STOP"`, "refused"},
		{`"Permission to use Bash has been denied."`, "denied"},
		{`"Permission for this action was denied by the Claude Code auto mode classifier. Reason: [x]"`, "denied"},
		{`"Claude requested permissions to write to /a, but you haven't granted it yet."`, "denied"},
		{`"PreToolUse:Bash hook error: [guard.sh]: BLOCKED: no"`, "blocked"},
		{`[{"type":"text","text":"Exit code 2"}]`, "failed"},
		{`null`, "failed"},
	}
	for _, tt := range tests {
		got := trace(t, stream("", assistant("m1", bashCall), user(`[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":`+tt.content+`}]`)))
		if want := "result " + tt.want + " of Bash (tool, turn 1)"; got[1] != want {
			t.Errorf("%s: got %s, want %s", tt.content, got[1], want)
		}
	}
	got := trace(t, stream("", user(`[{"type":"tool_result","tool_use_id":"t9","is_error":"false","content":"Exit code 1"}]`)))
	check(t, got, "result ok of no call (tool, turn 0)")
}

func TestRefusalWithWords(t *testing.T) {
	got := trace(t, stream("", assistant("m1", editCall),
		user(`[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nno, use b.go\n\nNote: The user's next message may contain a correction or preference."}]`)))
	check(t, got,
		`call t2 Edit /w/a.go (agent, turn 1)`,
		`result refused of Edit (tool, turn 1)`,
		`end of turn 1: 0 characters, 1 calls, output 5`,
		`prompt "no, use b.go" refusal (human, turn 1)`)
}

func TestQueue(t *testing.T) {
	enqueue := func(text string) string {
		return `{"type":"queue-operation","operation":"enqueue","content":"` + text + `"}`
	}
	op := func(name string) string { return `{"type":"queue-operation","operation":"` + name + `"}` }
	queued := func(text string) string {
		return `{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"` + text + `"}}`
	}
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"dequeued", []string{enqueue("later"), op("dequeue"), user(`"later"`)}, `prompt "later" (human, turn 0)`},
		{"removed", []string{enqueue("now"), op("remove")}, `prompt "now" steering (human, turn 0)`},
		{"removed, then mixed with a result", []string{enqueue("now"), op("remove"), user(`[{"type":"tool_result","tool_use_id":"x","content":""},{"type":"text","text":"now"}]`)},
			`prompt "now" steering (human, turn 0)|result ok of no call (tool, turn 0)|dropped queued 1`},
		{"removed, then attached", []string{enqueue("now"), op("remove"), queued("now")}, `prompt "now" steering (human, turn 0)|dropped queued 1`},
		{"attached, then removed", []string{enqueue("now"), queued("now"), op("remove")}, `prompt "now" steering (human, turn 0)`},
		{"taken back", []string{enqueue("now"), op("popAll")}, ``},
		{"never taken", []string{enqueue("a"), enqueue("b"), op("dequeue"), user(`"a"`)}, `prompt "a" (human, turn 0)|prompt "b" steering (human, turn 0)`},
		{"came by itself", []string{enqueue("a"), user(`"a"`), enqueue("b"), op("remove")}, `prompt "a" (human, turn 0)|prompt "b" steering (human, turn 0)`},
		{"command typed ahead", []string{enqueue("/exit"), op("remove"), enqueue("/fix not this"), op("remove")}, `prompt "not this"/fix steering (human, turn 0)`},
		{"task news", []string{enqueue("<task-notification>x</task-notification>"), op("remove")}, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(trace(t, stream("", tt.lines...)), "|"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCopiesAreDropped(t *testing.T) {
	own, old := "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	record := func(session, uuid, text string) string {
		return `{"type":"user","sessionId":"` + session + `","uuid":"` + uuid + `","message":{"content":"` + text + `"}}`
	}
	got := trace(t, stream(own, record(old, "u0", "old"), record(own, "u1", "new"), record(own, "u1", "new"), record(old, "u2", "foreign later")))
	check(t, got, `prompt "new" (human, turn 0)`, `prompt "foreign later" (human, turn 0)`, `dropped foreign 1`, `dropped repeated 1`)

	got = trace(t, stream(own, record(old, "u0", "renamed"), record(old, "u1", "file")))
	check(t, got, `prompt "renamed" (human, turn 0)`, `prompt "file" (human, turn 0)`)

	got = trace(t, stream("x", record(old, "u0", "any name")))
	check(t, got, `prompt "any name" (human, turn 0)`)
}

func TestDamagedLines(t *testing.T) {
	got := trace(t, stream("", "\xEF\xBB\xBF"+user(`"one"`), user(`"two"`)+user(`"three"`), user(`"cut`)[:40]+user(`"four"`), "junk", "\x00\x00"+user(`"five"`), `[1]`))
	check(t, got, `fault bom at 1`, `prompt "one" (human, turn 0)`, `fault joined at 2`, `prompt "two" (human, turn 0)`, `prompt "three" (human, turn 0)`,
		`fault spliced at 3`, `prompt "four" (human, turn 0)`, `fault unreadable at 4`, `fault nul at 5`, `prompt "five" (human, turn 0)`, `fault unreadable at 6`)
}

func TestSubagentFiles(t *testing.T) {
	s := stream("", user(`"go"`), assistant("m1", textBlock))
	s.Subagents = []File{{Path: "agent-1.jsonl", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(user(`"stop that"`) + "\n" + assistant("m1", bashCall) + "\n" + user(bashResult))), nil
	}}}
	s.Copies = 1
	check(t, trace(t, s),
		`prompt "go" (human, turn 0)`, `text "Done." (agent, turn 1)`, `end of turn 1: 5 characters, 0 calls, output 5`,
		`notice subagent-prompt (subagent, turn 0)`, `call t1 Bash make (subagent, turn 1)`, `result ok of Bash (subagent, turn 1)`,
		`end of turn 1: 0 characters, 1 calls, output 5`, `dropped copied-file 1`)
}
