//go:build unix

package transcript

import (
	"io/fs"
	"syscall"
)

// fileKey tells files apart whatever they are called.
type fileKey struct {
	device, inode uint64
	path          string // only where the system gives no inode
}

func keyOf(path string, info fs.FileInfo) fileKey {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileKey{device: uint64(st.Dev), inode: st.Ino}
	}
	return fileKey{path: path}
}
