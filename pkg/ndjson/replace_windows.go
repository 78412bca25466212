package ndjson

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a temporary file beside the path, syncs it and renames it:
// the library that does so elsewhere is not for Windows, where a rename over a
// file is not promised to be whole after a power cut. Rights are inherited from
// the folder there, so perm says nothing.
func replaceFile(path string, from io.Reader, _ fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is left there after the rename
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
