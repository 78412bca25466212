//go:build !unix

package transcript

import (
	"io/fs"
	"path/filepath"
)

// fileKey tells files apart by their resolved path.
type fileKey struct{ path string }

func keyOf(path string, _ fs.FileInfo) fileKey {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return fileKey{path}
}
