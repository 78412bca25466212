package record

import (
	"strings"
	"testing"

	"retro/pkg/ndjson"
	"retro/pkg/redact"
)

func TestInputIsCleaned(t *testing.T) {
	const in = `{"command":"A_TOKEN=tiger7x1 ls /home/brunhild","n":1.50,"list":["/Users/brunhild/x",null,true],"/home/brunhild":{}}`
	const want = `{"command":"A_TOKEN=[redacted] ls /home/user","n":1.50,"list":["/Users/user/x",null,true],"/home/user":{}}`
	input, ok := NewInput([]byte(in), &redact.Cleaner{})
	if line, err := ndjson.Marshal(input); !ok || err != nil || string(line) != want {
		t.Errorf("got %s, %v, %v, want %s", line, ok, err, want)
	}
	if _, ok := NewInput([]byte(`"text"`), &redact.Cleaner{}); ok {
		t.Error("a string is no input")
	}
}

func TestInputRewritten(t *testing.T) {
	var block Block
	if err := ndjson.Unmarshal([]byte(`{"tool_input":{"file_path":"/Users/x/a","n":7},"cwd":"/Users/x"}`), &block); err != nil {
		t.Fatal(err)
	}
	got := block.ToolInput.Rewritten(func(s string) string { return strings.ReplaceAll(s, "/Users/x", "/tmp/home") })
	if string(got) != `{"file_path":"/tmp/home/a","n":7}` || block.Cwd.String() != "/Users/x" {
		t.Errorf("got %s in %s", got, block.Cwd)
	}
}
