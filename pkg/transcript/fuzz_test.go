package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"retro/pkg/ndjson"
)

// FuzzClaude checks that no input makes the adapter panic, that every text it
// delivers is valid UTF-8, and that each tool call and each result comes once.
func FuzzClaude(f *testing.F) {
	samples, _ := filepath.Glob("../../testdata/transcripts/*/*.jsonl")
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4<<10)])
	}
	for _, lines := range []string{user(`"<command-args>x"`), assistant("m", bashCall+","+editCall), user(bashResult) + user(bashResult),
		`{"type":"queue-operation","operation":"remove"}`, `{"type":"attachment","attachment":{"type":"queued_command","prompt":["x"]}}`} {
		f.Add([]byte(lines))
	}
	for _, data := range damagedFiles(f) {
		f.Add(data[:min(len(data), 4<<10)])
		f.Add(data[max(0, len(data)-4<<10):])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		calls := map[string]bool{}
		_, err := FromStream("x", "", bytes.NewReader(data)).Read(Handler{
			Line: func(*Line) {},
			Turn: func(*Turn) {},
			Block: func(b *Block) {
				if !utf8.Valid(b.Text) {
					t.Errorf("text is not UTF-8: %q", b.Text)
				}
				if b.Kind == ToolCall && len(b.Call.ID) > 0 {
					if calls[string(b.Call.ID)] {
						t.Errorf("call %q came twice", b.Call.ID)
					}
					calls[string(b.Call.ID)] = true
				}
			},
		})
		if err != nil && !bytes.HasPrefix(data, []byte{0x1F, 0x8B}) && !bytes.HasPrefix(data, []byte{0x28, 0xB5}) {
			t.Errorf("error %v", err)
		}
	})
}

// FuzzParseRecord checks the one-walk index of a line against the standard
// library on the fields that decide everything else.
func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(user(`"hi"`)))
	f.Add([]byte(assistant("m", textBlock)))
	f.Add([]byte(`{"type":"a","type":"b","uuid":"\u00e9","message":{"id":1,"id":"x"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var want map[string]any
		if bytes.ContainsAny(line, "NI") || json.Unmarshal(line, &want) != nil || want == nil || !utf8.Valid(line) {
			return
		}
		var r claudeRecord
		if !r.parse(new(ndjson.Walker), trimSpace(line)) {
			if strings.Count(string(line), "9") < 4000 {
				t.Fatalf("refused %q", line)
			}
			return
		}
		for key, got := range map[string]string{"type": r.typ.String(), "uuid": r.uuid.String(), "sessionId": r.sessionID.String(), "timestamp": r.timestamp.String()} {
			if s, _ := want[key].(string); s != got {
				t.Errorf("%s of %q: got %q, want %q", key, line, got, s)
			}
		}
	})
}
