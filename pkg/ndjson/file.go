package ndjson

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file that somebody names, whole or not at all. A symbolic
// link keeps pointing to it, a file that is there keeps its rights, a new one
// gets perm, and what is no regular file (/dev/null, a FIFO) is written to,
// never replaced.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return CopyFile(path, bytes.NewReader(data), perm)
}

// CopyFile is [WriteFile] for text that is too long to be held in memory.
func CopyFile(path string, from io.Reader, perm fs.FileMode) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return writeInto(path, from)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	case errors.Is(err, fs.ErrNotExist):
		// A link to a file that is not there yet is no reason to lose the link.
		if target, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			return CopyFile(target, from, perm)
		}
	default:
		return err
	}
	return replaceFile(path, from, perm)
}

// writeInto writes to a device or a FIFO.
func writeInto(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
