package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"retro/pkg/record"
)

// markerAge is how long the markers of a session are kept after the last one
// was made.
const markerAge = 7 * 24 * time.Hour

// markers are the marks of one session: empty files in a folder of its own. A
// mark is made in one exclusive step, so of several hooks that run at once one
// alone is the first.
type markers struct {
	all string // the folder of all sessions
	dir string
	now time.Time
}

// openMarkers gives the marks of a session. A session id has no character that
// leads out of the folder.
func openMarkers(all string, session record.SessionID, now time.Time) markers {
	return markers{all: all, dir: filepath.Join(all, session.String()), now: now}
}

// once makes a mark and tells whether it is new. known is false when the mark can
// be neither made nor seen.
func (m markers) once(name string) (first, known bool) {
	path := filepath.Join(m.dir, name)
	err := create(path)
	if errors.Is(err, fs.ErrNotExist) && m.makeDir() == nil {
		err = create(path)
	}
	return err == nil, err == nil || errors.Is(err, fs.ErrExist)
}

func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// makeDir makes the session's folder, and takes the occasion to remove those of
// sessions long gone.
func (m markers) makeDir() error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	entries, _ := os.ReadDir(m.all)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.Name() != filepath.Base(m.dir) && m.now.Sub(info.ModTime()) > markerAge {
			os.RemoveAll(filepath.Join(m.all, e.Name()))
		}
	}
	return nil
}

// has tells whether there is a mark.
func (m markers) has(name string) bool {
	_, err := os.Lstat(filepath.Join(m.dir, name))
	return err == nil
}

// clear takes a mark away.
func (m markers) clear(name string) { os.Remove(filepath.Join(m.dir, name)) }

// count counts the marks whose name has a beginning.
func (m markers) count(prefix string) int {
	entries, _ := os.ReadDir(m.dir)
	n := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			n++
		}
	}
	return n
}
