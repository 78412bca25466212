//go:build !windows

package ndjson

import (
	"io"
	"io/fs"

	"github.com/google/renameio/v2"
)

// replaceFile writes a temporary file beside the path, syncs it and renames it.
func replaceFile(path string, from io.Reader, perm fs.FileMode) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(perm), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := io.Copy(f, from); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
