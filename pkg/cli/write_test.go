package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	plain, link := filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	if err := os.Symlink(plain, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := WriteFile(plain, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(plain); string(got) != "two" {
		t.Errorf("got %q behind the link", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if err := WriteFile(dir, nil, 0o600); err == nil {
		t.Error("a directory was written")
	}
	if err := WriteFile(filepath.Join(dir, "no", "such"), nil, 0o600); err == nil {
		t.Error("written into a folder that is not there")
	}
}

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
