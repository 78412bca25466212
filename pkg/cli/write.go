package cli

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// WriteFile replaces a file that a flag names, whole or not at all. A symbolic
// link keeps pointing to it, a file that is there keeps its rights, and what is
// no regular file (/dev/null, a FIFO) is written to, never replaced.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	return renameio.WriteFile(path, data, perm, renameio.WithExistingPermissions())
}
