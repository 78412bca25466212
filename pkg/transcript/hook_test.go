package transcript

import (
	"strings"
	"testing"
)

func TestReadHook(t *testing.T) {
	const input = `{"session_id":"s1","transcript_path":"/t/s1.jsonl","cwd":"/p","permission_mode":"default",
		"hook_event_name":"PostToolUseFailure","agent_id":"a1","source":"startup","prompt":"do \u00e9",
		"tool_name":"NotebookEdit","tool_input":{"new_source":"SECRET } \" {","cell":{"path":"inner"},"notebook_path":"n.ipynb",
		"command":"make","skill_name":"role","subagent_type":"x","description":"d"},
		"error":"SECRET","tool_response":{"tool_name":"SECRET","content":["SECRET"]},"tool_use_id":"toolu_1"}`
	got, err := ReadHook(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	want := Hook{
		Event: "PostToolUseFailure", SessionID: "s1", TranscriptPath: "/t/s1.jsonl", Cwd: "/p", AgentID: "a1",
		Source: "startup", Prompt: "do é", Tool: "NotebookEdit", ToolUseID: "toolu_1",
		Input: HookInput{NotebookPath: "n.ipynb", Command: "make", Skill: "role", SubagentType: "x", Description: "d"},
	}
	if *got != want {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
}

// A field of an unexpected type is empty and costs nothing else.
func TestReadHookOddTypes(t *testing.T) {
	for _, c := range []struct {
		input string
		want  Hook
	}{
		{`{"session_id":7,"hook_event_name":"X","tool_input":"text"}`, Hook{Event: "X"}},
		{`{"session_id":null,"tool_name":["Bash"],"tool_input":[{"file_path":"a"}]}`, Hook{}},
		{`{"tool_input":{"file_path":{"x":1},"path":"p","command":false}}`, Hook{Input: HookInput{Path: "p"}}},
		{`{"cwd":"/a","cwd":"/b","tool_input":{"path":"a"},"tool_input":{}}`, Hook{Cwd: "/b"}},
		{`{"SESSION_ID":"x"}`, Hook{}},
		{`{}`, Hook{}},
	} {
		got, err := ReadHook(strings.NewReader(c.input))
		if err != nil || *got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v", c.input, got, err, c.want)
		}
	}
}

// The text of an edit is kept for the hook that runs before it, up to a length.
func TestReadHookEditText(t *testing.T) {
	event := func(name, tool, content string) string {
		return `{"hook_event_name":"` + name + `","tool_name":"` + tool + `","tool_input":{"file_path":"go.mod","content":"` + content + `"}}`
	}
	for _, c := range []struct{ input, want string }{
		{event("PreToolUse", "Write", "x"), `{"file_path":"go.mod","content":"x"}`},
		{event("PreToolUse", "Write", strings.Repeat("x", MaxEditText)), ""},
		{event("PostToolUseFailure", "Write", "x"), ""},
		{`{"hook_event_name":"PreToolUse","tool_input":{"command":"x"}}`, ""},
	} {
		got, err := ReadHook(strings.NewReader(c.input))
		if err != nil || got.EditText != c.want {
			t.Errorf("%.80s: got %.80q, %v", c.input, got.EditText, err)
		}
	}
}

func TestReadHookRefuses(t *testing.T) {
	for _, input := range []string{"", "SECRET", "[]", `{"session_id":"SECRET`, `{"session_id":SECRET}`, `{"tool_input":{"path" "SECRET"}}`} {
		_, err := ReadHook(strings.NewReader(input))
		if err != ErrNoHook {
			t.Errorf("%q: %v, want %v", input, err, ErrNoHook)
		}
	}
}

func TestHookFile(t *testing.T) {
	for _, c := range []struct {
		in   HookInput
		want string
	}{
		{HookInput{FilePath: "a", NotebookPath: "b", Path: "c"}, "a"},
		{HookInput{NotebookPath: "b", Path: "c"}, "b"},
		{HookInput{Path: "c"}, "c"},
		{HookInput{}, ""},
	} {
		if got := c.in.File(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzReadHook(f *testing.F) {
	f.Add(`{"session_id":"s","tool_input":{"path":"p","content":"}"}}`)
	f.Add(`{"tool_input":[{"path":1}],"prompt":"\ud800"}`)
	f.Fuzz(func(t *testing.T, input string) {
		h, err := ReadHook(strings.NewReader(input))
		switch {
		case err != nil && h != nil:
			t.Error("a hook and an error")
		case err != nil && len(input) > 3 && strings.Contains(err.Error(), input):
			t.Error("the error quotes the input")
		case h != nil && !strings.Contains(input, h.ToolUseID) && !strings.Contains(input, `\`) && strings.ToValidUTF8(input, "") == input:
			t.Errorf("%q is not in the input", h.ToolUseID)
		}
	})
}
