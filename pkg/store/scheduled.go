package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// keptReports is how many reports of scheduled runs stay, as with the original
// helper.
const keptReports = 12

// reportName is our own form of a report's name, and of the temporary file that
// a killed writer left. Whatever else is called scheduled-something is not ours.
var reportName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^scheduled-(\d{4}-\d{2}-\d{2}T\d{6}Z)(?:-(\d+))?\.md(\.tmp)?$`)
})

// WriteScheduled writes the report of a scheduled run and returns its path.
// When there is one of the same moment, the name gets the process id. Only the
// newest reports stay: newest by the moment in the name, since a file's time
// changes when it is copied.
func (p Project) WriteScheduled(stamp string, pid int, content []byte) (string, error) {
	if err := makeDir(p.StateDir()); err != nil {
		return "", err
	}
	path := p.ScheduledReport(stamp)
	if _, err := os.Lstat(path); err == nil {
		path = p.ScheduledReport(stamp + "-" + strconv.Itoa(pid))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", reason(err)
	}
	f, err := rewrite(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", reason(err)
	}
	p.pruneScheduled(filepath.Base(path))
	return path, nil
}

// pruneScheduled deletes old reports, but never the one just written: a clock
// that was wrong may have left reports of the future. What cannot be deleted
// stays; the report is there all the same.
func (p Project) pruneScheduled(written string) {
	entries, err := os.ReadDir(p.StateDir())
	if err != nil {
		return
	}
	var reports []string
	for _, e := range entries {
		match := reportName().FindStringSubmatch(e.Name())
		switch {
		case match == nil || !e.Type().IsRegular() || e.Name() == written:
		case match[3] != "":
			if e.Name() < written {
				os.Remove(filepath.Join(p.StateDir(), e.Name()))
			}
		default:
			reports = append(reports, e.Name())
		}
	}
	slices.SortFunc(reports, func(a, b string) int { return strings.Compare(reportKey(b), reportKey(a)) })
	for _, name := range reports[min(keptReports-1, len(reports)):] {
		os.Remove(filepath.Join(p.StateDir(), name))
	}
}

// reportKey orders reports by moment, those with a process id behind the one
// that was there first.
func reportKey(name string) string {
	match := reportName().FindStringSubmatch(name)
	return match[1] + strings.Repeat("0", max(0, 20-len(match[2]))) + match[2]
}
