//go:build !windows

package ndjson

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// replaceFile writes a temporary file beside the path, syncs it and renames it.
func replaceFile(path string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, data, perm, renameio.WithExistingPermissions())
}
