package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// damagedFiles are transcripts of which many lines are spoiled, in every way that
// the generator knows.
func damagedFiles(t testing.TB) (files [][]byte) {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "run", "../../testdata/gen", "-out", dir, "-seed", "8", "-files", "20", "-total", "4000000", "-large", "0", "-damage", "0.5").CombinedOutput()
	if err != nil {
		t.Fatalf("gen: %v\n%s", err, out)
	}
	for _, pattern := range []string{"*.jsonl", "*/subagents/*.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(dir, "projects", "*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, data)
		}
	}
	return files
}

// slowDialect finds the strings of a line and what Python reads in its own way.
var slowDialect = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"?|-?Infinity|NaN|[-+.eE0-9]+`)

// slowLines are the lines of a file that are one object by themselves, by the
// standard library with Python's dialect of JSON and of lines around it.
func slowLines(data []byte) (lines []string, calls []string) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	for i, line := range strings.Split(text, "\n") {
		standard := slowDialect.ReplaceAllStringFunc(strings.TrimFunc(line, isPythonSpace), func(token string) string {
			switch {
			case strings.HasSuffix(token, "NaN"), strings.HasSuffix(token, "Infinity"):
				return "[]"
			case len(strings.Trim(token, "-")) > 4300 && strings.Trim(token, "-0123456789") == "":
				return "too many digits"
			}
			return token
		})
		var r map[string]any
		in := json.NewDecoder(strings.NewReader(standard))
		in.UseNumber() // a float out of range is no fault
		if in.Decode(&r) != nil || r == nil {
			continue
		}
		if _, err := in.Token(); err != io.EOF {
			continue
		}
		lines = append(lines, slowLine(i, r["type"], r["uuid"]))
		calls = append(calls, slowCalls(r)...)
	}
	return lines, calls
}

func slowLine(number int, typ, uuid any) string {
	t, _ := typ.(string)
	u, _ := uuid.(string)
	return fmt.Sprintf("%d %q %q", number, t, repairs.ReplaceAllString(u, "?"))
}

// repairs are the marks of repair, of which the slow reader sets more in a row.
var repairs = regexp.MustCompile("\uFFFD+")

// slowCalls are the ids of the tool calls of a record.
func slowCalls(r map[string]any) (ids []string) {
	message, _ := r["message"].(map[string]any)
	blocks, _ := message["content"].([]any)
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		if id, _ := block["id"].(string); r["type"] == "assistant" && block["type"] == "tool_use" && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestDamageCostsNoIntactLine reads damaged files: the lines that are taken for
// whole are those that the slow reader takes, and no tool call on them is lost.
func TestDamageCostsNoIntactLine(t *testing.T) {
	whole, all, calls := 0, 0, 0
	for i, data := range damagedFiles(t) {
		var got []string
		delivered := map[string]bool{}
		s := FromStream("x", "", bytes.NewReader(data))
		s.KeepCopies = true
		sum, err := s.Read(Handler{
			Line: func(l *Line) { got = append(got, slowLine(l.Number, l.Type.String(), l.UUID.String())) },
			Block: func(b *Block) {
				if b.Kind == ToolCall {
					delivered[string(b.Call.ID)] = true
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		want, wantCalls := slowLines(data)
		if !slices.Equal(got, want) {
			t.Errorf("file %d: %d lines are whole, want %d; the first that differ: %s", i, len(got), len(want), firstDifference(got, want))
		}
		for _, id := range wantCalls {
			if !delivered[id] {
				t.Errorf("file %d: call %s is lost", i, id)
			}
		}
		whole, all, calls = whole+len(want), all+sum.Totals.Lines, calls+len(wantCalls)
	}
	t.Logf("%d lines, %d of them whole, with %d tool calls", all, whole, calls)
	if whole < 1000 || all-whole < 300 || calls < 100 {
		t.Error("the set is too small, or not damaged enough, to say anything")
	}
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("got %s, want %s", got[i], want[i])
		}
	}
	return fmt.Sprintf("at the end, behind %d", min(len(got), len(want)))
}
