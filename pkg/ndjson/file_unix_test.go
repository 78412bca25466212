//go:build unix

package ndjson

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWriteFileLeavesDevices writes to a FIFO, which root could replace as
// easily as /dev/null.
func TestWriteFileLeavesDevices(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no FIFOs here")
	}
	read := make(chan string)
	go func() {
		data, _ := os.ReadFile(fifo)
		read <- string(data)
	}()
	if err := WriteFile(fifo, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-read; !strings.HasPrefix(got, "text") {
		t.Errorf("got %q", got)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Error("the FIFO was replaced")
	}
}
