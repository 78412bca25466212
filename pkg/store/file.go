package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld means that another process held the lock until the context ended.
var ErrHeld = errors.New("lock held by another process")

// errNotRegular refuses a link, folder or device where a file of ours belongs.
var errNotRegular = errors.New("not a regular file")

// makeDir makes the folder of a state file, 0700, and refuses a symbolic link
// in its place: a repository could carry one.
func makeDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return reason(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return reason(err)
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return errors.New("the state folder is not a directory")
	}
	return reason(err)
}

// openRegular opens a file of ours and refuses anything but a regular file. A
// file that others may read loses those rights.
func openRegular(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noFollow, 0o600)
	if err != nil {
		return nil, reason(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, reason(err)
	}
	if info.Mode().Perm()&0o077 != 0 && flag&(os.O_RDWR|os.O_WRONLY) != 0 {
		f.Chmod(0o600) // somebody else's file is still written
	}
	return f, nil
}

// lockOpen opens path, made when it is missing, and takes its lock; the lock
// ends with the file's Close or with the process.
func lockOpen(ctx context.Context, path string, flag int) (*os.File, error) {
	for {
		f, err := openRegular(path, flag|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := lock(ctx, f); err != nil {
			f.Close()
			return nil, err
		}
		if isStill(f, path) {
			os.Remove(path + tempSuffix) // of a writer that was killed: its lock is ours now
			return f, nil
		}
		f.Close()
	}
}

// lock waits for the lock of f until the context ends. Polling is as good as
// waiting in the kernel here, because a lock is held for less than a
// millisecond but for a rewrite, and a wait in the kernel has no time limit.
func lock(ctx context.Context, f *os.File) error {
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		held, err := tryLock(f)
		if err != nil || !held {
			return reason(err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ErrHeld
		case <-timer.C:
		}
	}
}

// isStill tells whether path still names the open file.
func isStill(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

const tempSuffix = ".tmp"

// rewrite replaces the file by what write writes, whole or not at all. The
// caller holds the lock of path; the new file comes back open and locked too.
func rewrite(path string, write func(io.Writer) error) (*os.File, error) {
	temp := path + tempSuffix
	f, err := openRegular(temp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	if _, err = tryLock(f); err == nil {
		err = write(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		f.Close()
		os.Remove(temp)
		return nil, reason(err)
	}
	syncDir(filepath.Dir(path))
	return f, nil
}

// syncDir makes a rename last over a power cut. Not every file system can, and
// the data is whole either way.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// appendLine writes line, which ends with a line feed, at the end of the locked
// file in one write. What a crash left unfinished before it is closed first; a
// write that fails half-way is taken back.
func appendLine(f *os.File, line []byte) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, reason(err)
	}
	size = info.Size()
	if isTorn(f, size) {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.Write(line)
	if err != nil {
		if n > 0 {
			f.Truncate(size)
		}
		return size, reason(err)
	}
	return size + int64(n), nil
}

// isTorn tells whether the file ends in the middle of a line.
func isTorn(f *os.File, size int64) bool {
	last := []byte{'\n'}
	if size > 0 {
		f.ReadAt(last, size-1)
	}
	return last[0] != '\n'
}

// reason is err without the path that the os package puts into it: the caller
// knows the path, and it holds a user's name.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("%s: %w", path.Op, path.Err)
	case errors.As(err, &link):
		return fmt.Errorf("%s: %w", link.Op, link.Err)
	}
	return err
}
