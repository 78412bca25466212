package ndjson

import (
	"os"
	"path/filepath"
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
	later, early := filepath.Join(dir, "later"), filepath.Join(dir, "early")
	if err := os.Symlink("later", early); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(early, []byte("three"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(later); string(got) != "three" {
		t.Errorf("got %q behind a link to a file that was not there", got)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(loop, nil, 0o600); err == nil {
		t.Error("a link to itself was written")
	}
	if err := WriteFile(dir, nil, 0o600); err == nil {
		t.Error("a directory was written")
	}
	if err := WriteFile(filepath.Join(dir, "no", "such"), nil, 0o600); err == nil {
		t.Error("written into a folder that is not there")
	}
}
