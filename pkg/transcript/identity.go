package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// Identity is what tells whether a file is still the one that was read,
// without reading it again. Times are nanoseconds since 1970.
type Identity struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"`
	// Changed is the time of the last change of the file or of what the file
	// system knows of it. No program can set it, unlike Modified: a transcript
	// that was replaced by one of the same size and age still differs here. 0
	// where the system has none.
	Changed int64  `json:"changed,omitempty"`
	Device  uint64 `json:"device,omitempty"`
	Inode   uint64 `json:"inode,omitempty"`
	// Edges is a hash of the head and the tail of the file. It decides where
	// there is no Changed, and costs opening the file.
	Edges string `json:"edges,omitempty"`
}

// edgeBytes is how much of each end of a file is hashed: several records.
const edgeBytes = 4 << 10

var errNotRegular = errors.New("not a regular file")

// Is tells whether the file at the path is the one of the identity. The file
// is opened only where the system has no time of change.
func (i Identity) Is(path string) bool {
	now, err := statIdentity(path)
	if err != nil {
		return false
	}
	if now.Changed == 0 {
		if now.Edges, err = edges(path, now.Size); err != nil {
			return false
		}
	} else {
		now.Edges = i.Edges
	}
	return now == i
}

// IdentityOf is the identity of the file at a path, which must be a regular
// one.
func IdentityOf(path string) (Identity, error) {
	i, err := statIdentity(path)
	if err == nil {
		i.Edges, err = edges(path, i.Size)
	}
	return i, err
}

// edges hashes both ends of a file.
func edges(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	for _, at := range []int64{0, max(0, size-edgeBytes)} {
		if _, err := io.Copy(hash, io.NewSectionReader(f, at, edgeBytes)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]), nil
}
