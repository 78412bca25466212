//go:build !unix

package transcript

import (
	"io/fs"
	"os"
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

// statIdentity is the identity as far as it costs no opening.
func statIdentity(path string) (Identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Identity{}, err
	}
	if !info.Mode().IsRegular() {
		return Identity{}, errNotRegular
	}
	return Identity{Size: info.Size(), Modified: info.ModTime().UnixNano()}, nil
}
