//go:build unix

package transcript

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
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

// statIdentity is the identity as far as it costs no opening.
func statIdentity(path string) (Identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Identity{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return Identity{}, errNotRegular
	}
	return Identity{
		Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(),
		Device: uint64(st.Dev), Inode: uint64(st.Ino),
	}, nil
}
