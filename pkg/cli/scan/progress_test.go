package scan

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	p := &progress{sessions: 40, bytes: 4_200_000_000}
	if got, want := p.line(time.Second), "0 kB of 4.2 GB, 0 of 40 sessions"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.readBytes.Store(1_050_000_000)
	p.finished.Store(9)
	if got, want := p.line(3*time.Second), "1.1 GB of 4.2 GB, 9 of 40 sessions, 350 MB/s, 9s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
