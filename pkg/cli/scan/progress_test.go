package scan

import (
	"bufio"
	"bytes"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	p := &progress{start: start, sessions: 40, bytes: 4_200_000_000}
	steps := []struct {
		after time.Duration
		read  int64
		want  string
	}{
		{time.Second, 0, "0 kB of 4.2 GB, 0 of 40 sessions"},
		{3 * time.Second, 1_050_000_000, "1.1 GB of 4.2 GB, 0 of 40 sessions, 350 MB/s, 9s left"},
		{10 * time.Second, 1_400_000_000, "1.4 GB of 4.2 GB, 0 of 40 sessions, 140 MB/s, 20s left"},
		{14 * time.Second, 1_600_000_000, "1.6 GB of 4.2 GB, 0 of 40 sessions, 50 MB/s, 52s left"}, // the last eleven seconds count
		{26 * time.Second, 1_600_000_000, "1.6 GB of 4.2 GB, 0 of 40 sessions"},
	}
	for _, step := range steps {
		p.readBytes.Store(step.read)
		now := start.Add(step.after)
		p.sample(now)
		if got := p.line(now); got != step.want {
			t.Errorf("after %s: got %q, want %q", step.after, got, step.want)
		}
	}
}

// TestProgressGivesWay checks that the line is away while output goes through a
// pipe, and comes back afterwards.
func TestProgressGivesWay(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var terminal, pipe bytes.Buffer
	p := &progress{now: func() time.Time { return now }, start: now, bytes: 1, w: &terminal, apart: true}
	p.sample(now)
	draws := func(after time.Duration) bool {
		now = now.Add(after)
		terminal.Reset()
		p.show(now)
		return terminal.Len() > 0
	}
	if !draws(time.Second) {
		t.Error("not drawn")
	}
	out := bufio.NewWriter(&pipe)
	terminal.Reset()
	if err := p.print(out, []byte("{}\n")); err != nil || terminal.String() != "\r\x1b[K" || pipe.String() != "{}\n" {
		t.Errorf("terminal %q, pipe %q, %v", &terminal, &pipe, err)
	}
	if draws(50 * time.Millisecond) {
		t.Error("drawn while a later stage may be printing")
	}
	if !draws(outputPause) {
		t.Error("not drawn after a pause")
	}
	for range 9 {
		p.print(out, []byte("{}\n"))
		if draws(90 * time.Millisecond) {
			t.Error("drawn into the output")
		}
	}
	p.print(out, []byte("{}\n"))
	if draws(90 * time.Millisecond); terminal.Len() > 0 {
		t.Error("drawn too soon")
	}
	p.print(out, []byte("{}\n"))
	if !draws(99*time.Millisecond + time.Second) {
		t.Error("not drawn once a second")
	}
}
