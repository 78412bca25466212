package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
)

func row(n int) record.LedgerRow {
	return record.LedgerRow{
		TS: record.NewLedgerTime(time.Date(2026, 7, 14, 12, 0, 0, 123456000, time.UTC)), SessionID: record.NewSessionID(fmt.Sprint("s", n)),
		Event: record.NewName("PostToolUseFailure"), Tool: record.NewName("Bash"),
	}
}

func TestLedgerRowForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "retro", "friction.jsonl")
	ledger := NewLedger(path, DefaultLimits)
	whole := row(1)
	whole.TS = record.NewLedgerTime(time.Date(2026, 7, 14, 14, 0, 0, 0, time.FixedZone("", 7200)))
	whole.Path = record.NewPath("d/ü.go")
	whole.ToolUseID = record.MustIdentifier("toolu_1")
	for _, r := range []record.LedgerRow{row(1), whole} {
		if err := ledger.Append(within5s(t), r); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"ts":"2026-07-14T12:00:00.123456Z","session_id":"s1","event":"PostToolUseFailure","tool":"Bash","path":""}
{"ts":"2026-07-14T12:00:00Z","session_id":"s1","event":"PostToolUseFailure","tool":"Bash","path":"d/ü.go","tool_use_id":"toolu_1"}
`
	if got := read(t, path); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := names(t, filepath.Dir(path)); got != "friction.jsonl" {
		t.Errorf("folder holds %s", got)
	}
	for r, err := range ReadLedger(strings.NewReader(want)) {
		if err != nil || r.SessionID.String() != "s1" || r.TS.Time().Hour() != 12 {
			t.Errorf("read back %v, %v", r, err)
		}
	}
}

// A line that a crash tore is closed and damages nothing else.
func TestLedgerRepairsTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "friction.jsonl")
	write(t, path, "{\"ts\":\"x\"}\n{\"ts\":")
	if err := NewLedger(path, DefaultLimits).Append(within5s(t), row(7)); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(read(t, path), "\n")
	if len(got) != 4 || got[1] != `{"ts":` || !strings.Contains(got[2], `"s7"`) {
		t.Errorf("got %q", got)
	}
}

// A row is written even while somebody holds the lock for good, and a rotation
// that was under way takes it along.
func TestLedgerAppendsUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retro", "friction.jsonl")
	write(t, path, "first\n")
	old, err := lockOpen(within5s(t), path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := NewLedger(path, DefaultLimits).Append(brief(t), row(2)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); strings.Count(got, "\n") != 2 {
		t.Errorf("got %q", got)
	}
	kept, err := rewrite(path, func(w io.Writer) error { _, err := io.WriteString(w, "kept\n"); return err })
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if err := carry(kept, old, int64(len("first\n"))); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !strings.HasPrefix(got, "kept\n{") || !strings.Contains(got, `"s2"`) {
		t.Errorf("after the rotation: %q", got)
	}
}

func TestLedgerRotation(t *testing.T) {
	for _, c := range []struct {
		name           string
		limits         Limits
		held           int    // rows there before, of 100 bytes
		last           string // something after them
		first          int    // the row that is the oldest afterwards
		wantLines      int
		wantUnderBytes int64
	}{
		{"below", Limits{10, 1 << 20}, 9, "", 0, 10, 1 << 20},
		{"lines", Limits{10, 1 << 20}, 10, "", 2, 9, 1 << 20},
		{"far over", Limits{10, 1 << 20}, 5000, "", 4992, 9, 1 << 20},
		{"bytes", Limits{1000, 5000}, 50, "", 7, 44, 4500},
		{"one line", Limits{1, 1 << 20}, 3, "", 3, 1, 1 << 20},
		{"bytes below a row", Limits{1000, 1}, 3, "", 3, 1, 300},
		{"over-long line", Limits{1000, 1000}, 3, strings.Repeat("x", 70_000) + "\n", 3, 1, 300},
	} {
		path := filepath.Join(t.TempDir(), "retro", "friction.jsonl")
		var text strings.Builder
		for i := range c.held {
			fmt.Fprintf(&text, "%-99d\n", i)
		}
		write(t, path, text.String()+c.last)
		if err := NewLedger(path, c.limits).Append(within5s(t), row(c.held)); err != nil {
			t.Fatal(err)
		}
		got := strings.SplitAfter(strings.TrimSuffix(read(t, path), "\n"), "\n")
		first := strings.TrimSpace(got[0])
		if c.first == c.held {
			first = fmt.Sprint(strings.Index(first, "{"))
			c.first = 0
		}
		if first != fmt.Sprint(c.first) || len(got) != c.wantLines {
			t.Errorf("%s: %d rows from %s, want %d from %d", c.name, len(got), first, c.wantLines, c.first)
		}
		if size := int64(len(read(t, path))); size > c.wantUnderBytes {
			t.Errorf("%s: %d bytes", c.name, size)
		}
		if !strings.Contains(got[len(got)-1], fmt.Sprintf(`"s%d"`, c.held)) {
			t.Errorf("%s: the newest row is gone", c.name)
		}
		if got := names(t, filepath.Dir(path)); got != "friction.jsonl" {
			t.Errorf("%s: folder holds %s", c.name, got)
		}
	}
}

// countingReader counts what a rotation reads.
type countingReader struct {
	size  int64
	bytes int64
}

func (r *countingReader) ReadAt(b []byte, at int64) (int, error) {
	r.bytes += int64(len(b))
	for i := range b {
		b[i] = 'x'
		if (at+int64(i))%100 == 99 {
			b[i] = '\n'
		}
	}
	return len(b), nil
}

// A rotation reads no more of a ledger far over its limits than of one just
// over them.
func TestRotationIsLinear(t *testing.T) {
	for _, lines := range []int64{10_001, 1_000_000, 100_000_000} {
		r := &countingReader{size: lines * 100}
		start, err := tailStart(r, r.size, DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		if want := r.size - int64(DefaultLimits.Lines)*100; start != want {
			t.Errorf("%d lines: kept from %d, want %d", lines, start, want)
		}
		if r.bytes > 2<<20 {
			t.Errorf("%d lines: read %d bytes", lines, r.bytes)
		}
	}
}
