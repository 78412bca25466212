package transcript

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
)

const (
	askedLine    = `{"type":"user","uuid":"u1","timestamp":"2026-03-01T08:00:00Z","message":{"role":"user","content":"please fix it"}}`
	answeredLine = `{"type":"assistant","uuid":"a1","timestamp":"2026-03-01T08:01:00Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"done"}]}}`
)

// commandLine is a slash command as a person's own record shows it.
func commandLine(name string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"c1","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"<command-message>x</command-message>\n<command-name>%s</command-name>"}}`, name)
}

// place writes a transcript, last changed at the moment, and finds its session.
func place(t *testing.T, name string, modified time.Time, lines ...string) *Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
	return NewFinder(true).Path(path)[0]
}

func TestPickMinAge(t *testing.T) {
	now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		ago  time.Duration
		want bool
	}{{time.Hour, true}, {60 * time.Second, true}, {59 * time.Second, false}, {-time.Minute, false}} {
		s := place(t, "s1.jsonl", now.Add(-test.ago), askedLine)
		picked, left := Picker{MinAge: time.Minute, Now: now}.Pick([]*Session{s})
		if (len(picked) == 1) != test.want || len(picked)+len(left) != 1 {
			t.Errorf("%v old: picked %d", test.ago, len(picked))
		}
		if len(left) == 1 && (left[0].Reason != "in-progress" || left[0].Age != test.ago) {
			t.Errorf("%v old: %+v", test.ago, left[0])
		}
	}
}

func TestRetrospective(t *testing.T) {
	toolRead := `{"type":"user","uuid":"r1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"<command-name>/retro</command-name>"}]}}`
	said := `{"type":"assistant","uuid":"a2","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"<command-name>/retro</command-name>"}]}}`
	withArguments := `{"type":"user","uuid":"c2","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"<command-name>/retro</command-name><command-args>only mine</command-args>"}}`
	tests := []struct {
		name         string
		lines        []string
		found, alone bool
	}{
		{"at the end", []string{askedLine, answeredLine, commandLine("/retro")}, true, false},
		{"with arguments", []string{askedLine, answeredLine, withArguments}, true, false},
		{"of a plug-in", []string{askedLine, answeredLine, commandLine("/dev-team:retro")}, true, false},
		{"from the start", []string{commandLine("/my-retro"), answeredLine}, true, true},
		{"other command", []string{askedLine, answeredLine, commandLine("/metro")}, false, false},
		{"upper case", []string{askedLine, answeredLine, commandLine("/Retro")}, false, false},
		{"read by a tool", []string{askedLine, answeredLine, toolRead}, false, false},
		{"said by the model", []string{askedLine, said}, false, false},
	}
	for _, test := range tests {
		s := place(t, "s1.jsonl", time.Now(), test.lines...)
		at, alone, found := s.Retrospective()
		if found != test.found || alone != test.alone {
			t.Errorf("%s: found %v, alone %v", test.name, found, alone)
		}
		if found && at.Format(time.TimeOnly) != "09:00:00" {
			t.Errorf("%s: at %v", test.name, at)
		}
		picked, left := Picker{NotRetro: true}.Pick([]*Session{s})
		if want := test.alone; (len(left) == 1) != want || len(picked)+len(left) != 1 {
			t.Errorf("%s: left out %d", test.name, len(left))
		}
		if s.Cut.IsZero() == (test.found && !test.alone) {
			t.Errorf("%s: cut at %v", test.name, s.Cut)
		}
	}
}

// TestMentionAcrossChunks puts the mention at every place around the end of a
// chunk.
func TestMentionAcrossChunks(t *testing.T) {
	for back := range 20 {
		filler := `{"x":"` + strings.Repeat("y", 256<<10-back-8) + `"}`
		s := place(t, "s1.jsonl", time.Now(), filler, commandLine("/retro"))
		if !s.mentionsRetro() {
			t.Errorf("%d bytes before the end of the chunk: not found", back)
		}
	}
}

func TestSeen(t *testing.T) {
	one, two := place(t, "one.jsonl", time.Now(), askedLine), place(t, "two.jsonl", time.Now(), askedLine, answeredLine)
	copied := place(t, "two.jsonl", time.Now(), askedLine)
	seen := NewSeen()
	seen.Mark([]*Session{one, two, copied})
	var file bytes.Buffer
	if _, err := seen.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"v":1,"kind":"seen","session_id":"one","size":%d}
{"v":1,"kind":"seen","session_id":"two","size":%d}
{"v":1,"kind":"seen","session_id":"two","size":%d}
`, one.Main.Size, copied.Main.Size, two.Main.Size)
	if file.String() != want {
		t.Errorf("got  %swant %s", file.String(), want)
	}
	file.WriteString("{\"v\":1,\"kind\":\"seen\",\"session_id\":\"th") // a torn line
	again, err := ReadSeen(&file)
	if err != nil {
		t.Fatal(err)
	}
	grown := place(t, "one.jsonl", time.Now(), askedLine, answeredLine)
	picked, left := Picker{Seen: again}.Pick([]*Session{one, two, copied, grown})
	if len(picked) != 1 || picked[0] != grown || len(left) != 3 || left[0].Reason != "seen" {
		t.Errorf("picked %d, left out %d", len(picked), len(left))
	}
	again.Mark(picked)
	if again.Has(one) || !again.Has(grown) || !again.Has(two) {
		t.Error("the mark of a grown session did not take the place of the old one")
	}
	var none *Seen
	if none.Has(one) {
		t.Error("a nil Seen knows a session")
	}
}

func TestPickKeepsUnreadable(t *testing.T) {
	gone := NewFinder(true).Path(filepath.Join(t.TempDir(), "gone.jsonl"))
	picked, left := Picker{MinAge: time.Minute, Now: time.Now(), NotRetro: true, Seen: NewSeen()}.Pick(gone)
	if len(picked) != 1 || len(left) != 0 {
		t.Errorf("picked %d, left out %d", len(picked), len(left))
	}
	if got := record.NewSessionID(picked[0].ID).String(); got != "gone" {
		t.Errorf("got %q", got)
	}
}

// FuzzReadSeen holds that what is read of any file is written and read again
// alike.
func FuzzReadSeen(f *testing.F) {
	f.Add([]byte("{\"v\":1,\"kind\":\"seen\",\"session_id\":\"one\",\"size\":7}\n{\"kind\":\"seen\",\"session_id\":\"a/b\",\"size\":-1}"))
	f.Add([]byte("{\"kind\":\"seen\"}\n\x00\nnull\n{\"kind\":\"seen\",\"size\":1e99}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		seen, err := ReadSeen(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		seen.WriteTo(&first)
		again, err := ReadSeen(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		again.WriteTo(&second)
		if first.String() != second.String() {
			t.Errorf("got  %q\nwant %q", second.String(), first.String())
		}
	})
}
