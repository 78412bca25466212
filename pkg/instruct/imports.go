package instruct

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// imported is an `@file` in an instruction file.
type imported struct {
	target string // as it stands there
	line   int
}

var (
	importMark = regexp.MustCompile("(?:^|[^\\w@`])@([^\\s@`]+)")
	inlineCode = regexp.MustCompile("`[^`]*`")
)

// importsOf finds the imports of a text, outside code.
func importsOf(text string) (out []imported) {
	for number, line := range prose(text) {
		line = inlineCode.ReplaceAllString(line, "``")
		for _, m := range importMark.FindAllStringSubmatch(line, -1) {
			target := strings.TrimRight(m[1], ".,;:!?)]}'\"*>")
			if target != "" && !strings.HasPrefix(target, "~") {
				out = append(out, imported{target, number})
			}
		}
	}
	return out
}

// resolve is the file that the import means, relative to the root; "" when it
// leads out of the project.
func (i imported) resolve(from string) string {
	if strings.HasPrefix(i.target, "/") {
		return ""
	}
	file := path.Join(path.Dir(from), i.target)
	if file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return file
}

// importEndings are the endings of instruction files. A word with another one
// that names no file is a person or a package: `@Planner`, `@scope/pkg`.
var importEndings = []string{".md", ".mdx", ".mdc", ".txt", ".json", ".yaml", ".yml", ".toml"}

// isFile tells whether the import means a file even when there is none.
func (i imported) isFile() bool {
	for _, beginning := range []string{"./", "../", "/"} {
		if strings.HasPrefix(i.target, beginning) {
			return true
		}
	}
	return slices.Contains(importEndings, path.Ext(i.target))
}
