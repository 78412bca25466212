package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Place is a directory that a workspace names.
type Place struct {
	Dir string
	// Line is the line of the Markdown file that names it; 0 when it was found
	// on disk.
	Line int
}

// InDirectory lists the repositories one level below dir, by name. What is no
// repository is passed over, and so are submodules: they belong to the
// repository around them. Linked worktrees are listed; they open as the
// repository that they belong to.
func InDirectory(dir string) ([]Place, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var places []Place
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() != ".git" && isRepository(path) && !isSubmodule(path) {
			places = append(places, Place{Dir: path})
		}
	}
	return places, nil
}

// isRepository looks for what git looks for, without asking git for each
// directory of a workspace.
func isRepository(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return true
	}
	for _, name := range []string{"HEAD", "objects", "refs"} { // bare
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// isSubmodule tells whether the git directory of dir lies among the modules of
// another repository.
func isSubmodule(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, ".git"))
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	return err == nil && ok && strings.Contains(filepath.ToSlash(target), "/modules/") &&
		!strings.Contains(filepath.ToSlash(target), "/worktrees/")
}

// pathHeads are the names of a table's column that holds directories.
var pathHeads = []string{"path", "dir", "directory", "folder", "checkout", "путь", "каталог", "目录", "路径"}

var (
	delimiterRow = regexp.MustCompile(`^\s*\|?(\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$`)
	linkCell     = regexp.MustCompile(`^\[[^\]]*\]\(<?([^()>]*)>?\)$`)
)

// InMarkdown lists the directories in the tables of a Markdown text that have
// a column of paths, and tells whether there is such a table. A cell may be
// text, code or a link. Relative paths start at dir, and ~ is home.
func InMarkdown(text, dir, home string) (places []Place, found bool) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	column, fence := -1, ""
	for i, l := range lines {
		if fence = afterFence(fence, l); fence != "" {
			column = -1
			continue
		}
		switch {
		case !strings.Contains(l, "|"):
			column = -1
		case column < 0 && i > 0 && delimiterRow.MatchString(l):
			column = pathColumn(lines[i-1])
			found = found || column >= 0
		case column >= 0:
			cells := cellsOf(l)
			if column < len(cells) && cells[column] != "" {
				places = append(places, Place{Dir: fromCell(cells[column], dir, home), Line: i + 1})
			}
		}
	}
	return places, found
}

// afterFence follows fenced code: the fence that is open after the line.
func afterFence(fence, l string) string {
	l = strings.TrimSpace(l)
	if fence != "" {
		if strings.HasPrefix(l, fence) && strings.Trim(l, fence[:1]) == "" {
			return ""
		}
		return fence
	}
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(l, mark) {
			return mark
		}
	}
	return ""
}

// pathColumn is the column whose head is, or has among its words, a name for
// paths; -1 for none.
func pathColumn(head string) int {
	return slices.IndexFunc(cellsOf(head), func(cell string) bool {
		cell = strings.ToLower(strings.Trim(cell, "*_` "))
		return slices.ContainsFunc(strings.Fields(cell), func(w string) bool { return slices.Contains(pathHeads, w) })
	})
}

// cellsOf splits a row at the bars that are not escaped.
func cellsOf(row string) []string {
	const bar = "\x00"
	row = strings.TrimSpace(strings.ReplaceAll(row, `\|`, bar))
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	cells := strings.Split(row, "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, bar, "|"))
	}
	return cells
}

// fromCell takes the path out of a cell that may be a link or code.
func fromCell(cell, dir, home string) string {
	if link := linkCell.FindStringSubmatch(cell); link != nil {
		cell = link[1]
	}
	cell = strings.TrimSpace(strings.Trim(cell, "`*"))
	if rest, ok := strings.CutPrefix(cell, "~"); ok && (rest == "" || rest[0] == '/') && home != "" {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(cell) {
		return filepath.Clean(cell)
	}
	return filepath.Join(dir, cell)
}
