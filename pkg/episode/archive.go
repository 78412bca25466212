package episode

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// LoadProject reads the registry in the file and the archived changes under the
// root. A registry that cannot be used is reported in the Project and, unless
// there simply is none, as the error.
func LoadProject(registry, root string) (Project, error) {
	var p Project
	r, err := rules.Read(registry)
	var invalid *rules.Invalid
	switch {
	case err == nil:
		p.Registry = r
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case errors.As(err, &invalid):
		p.Fault = invalid.Field
	case errors.Is(err, rules.ErrMalformed):
		p.Fault = "json"
	default:
		p.Fault = "file"
	}
	p.Archives = readArchives(os.DirFS(filepath.Join(root, filepath.FromSlash(p.settings().OpenSpec.Archive))))
	return p, err
}

// readArchives counts the change proposals in a directory of them; nil when
// there are none. What cannot be read counts as empty.
func readArchives(dir fs.FS) *record.Archives {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil
	}
	var all archive
	for _, e := range entries {
		if e.IsDir() {
			tasks, _ := fs.ReadFile(dir, e.Name()+"/tasks.md")
			all.add(string(tasks))
		}
	}
	if all.changes == 0 {
		return nil
	}
	return all.bucket()
}

// archive adds up the task lists of archived changes.
type archive struct {
	changes, tasks, fixed, incomplete int
	paths                             []record.PathCount
}

// add counts the task list of one change.
func (a *archive) add(tasks string) {
	a.changes++
	fixes, open := false, false
	var named []string
	for line := range strings.Lines(tasks) {
		trimmed := strings.ToLower(strings.TrimSpace(line))
		switch {
		case strings.HasPrefix(trimmed, "- [x]"):
			a.tasks++
		case strings.HasPrefix(trimmed, "- [ ]"):
			a.tasks++
			open = true
		case strings.HasPrefix(trimmed, "#"):
			fixes = fixes || strings.Contains(trimmed, "review fixes")
		}
		for _, m := range backticked.FindAllStringSubmatch(line, -1) {
			if p := trimDotSlash(m[1]); looksLikePath(p) && !slices.Contains(named, p) {
				named = append(named, p)
			}
		}
	}
	a.fixed += one(fixes)
	a.incomplete += one(open)
	for _, p := range named {
		find(&a.paths, record.PathCount{Path: p}, func(c *record.PathCount) bool { return c.Path == p }).Changes++
	}
}

func (a *archive) bucket() *record.Archives {
	// Stable: equal counts stay in the order of first sight.
	slices.SortStableFunc(a.paths, func(x, y record.PathCount) int { return cmp.Compare(y.Changes, x.Changes) })
	return &record.Archives{
		BucketHead: record.NewBucketHead(record.BucketArchives), ArchivedChanges: a.changes,
		MeanTasksPerChange: math.Round(10*float64(a.tasks)/float64(a.changes)) / 10,
		ReviewFixes:        record.NewRate(a.fixed, a.changes), Incomplete: record.NewRate(a.incomplete, a.changes),
		MostReferenced: append([]record.PathCount{}, a.paths[:min(most, len(a.paths))]...),
	}
}

var backticked = regexp.MustCompile("`([^`\\s]+)`")

func trimDotSlash(s string) string {
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	return s
}

// pathSuffixes are the endings that make a word without a slash a path (rules
// specification, archive statistics).
const pathSuffixes = " .ts .tsx .js .jsx .mjs .cjs .py .go .rs .java .kt .rb .php .cs .swift .dart .vue .svelte" +
	" .json .yaml .yml .toml .md .sh .css .scss .sql .astro .mdx "

func looksLikePath(s string) bool {
	for _, no := range []string{"http://", "https://", "-", "$", "<", ".."} {
		if strings.HasPrefix(s, no) {
			return false
		}
	}
	ending := filepath.Ext(s)
	return len(s) <= 300 && (strings.Contains(s, "/") || ending != "" && ending != s && strings.Contains(pathSuffixes, " "+ending+" "))
}
