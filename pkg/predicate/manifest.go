package predicate

import (
	"cmp"
	"path"
	"regexp"
	"strings"
	"sync"

	"retro/pkg/ndjson"
)

// addsToManifest tells whether an edit of a manifest can have added a
// dependency. The specification counts every edit; one whose own text shows
// that no name of a dependency came in (the version of the project, a script,
// another range for the same package) is left out. An edit without its text
// counts.
func addsToManifest(c *Call) bool {
	if !isManifest(c.Path) {
		return false
	}
	before, after, known := editedText(c.Input)
	if !known {
		return true
	}
	names := dependencyNames(path.Base(slashed(c.Path)))
	old := names(before)
	for name := range names(after) {
		if !old[name] {
			return true
		}
	}
	return false
}

// editedText is what an edit takes out and puts in.
func editedText(input ndjson.Raw) (before, after string, known bool) {
	var in struct {
		Old     *string `json:"old_string"`
		New     *string `json:"new_string"`
		Content *string `json:"content"`
		Edits   []struct {
			Old string `json:"old_string"`
			New string `json:"new_string"`
		} `json:"edits"`
	}
	if len(input) == 0 || ndjson.Unmarshal(input, &in) != nil {
		return "", "", false
	}
	var old, fresh strings.Builder
	for _, e := range in.Edits {
		old.WriteString(e.Old + "\n")
		fresh.WriteString(e.New + "\n")
	}
	switch {
	case in.New != nil && in.Old != nil:
		return *in.Old, *in.New, true
	case in.Content != nil:
		return "", *in.Content, true
	}
	return old.String(), fresh.String(), len(in.Edits) > 0
}

// dependencyNames gives the function that finds the names of dependencies in a
// piece of a manifest.
func dependencyNames(manifest string) func(text string) map[string]bool {
	p := manifestPatterns()[manifest]
	return func(text string) map[string]bool {
		found := make(map[string]bool)
		if p.skip != nil {
			text = p.skip.ReplaceAllString(text, "")
		}
		for _, m := range p.dependency.FindAllStringSubmatch(text, -1) {
			if name := cmp.Or(m[1:]...); !p.other[name] && !isLocal(m[len(m)-1]) {
				found[name] = true
			}
		}
		return found
	}
}

// isLocal tells whether what a manifest says of a dependency points into the
// project.
func isLocal(value string) bool {
	for _, mark := range []string{"workspace:", "file:", "link:", "portal:"} {
		if strings.HasPrefix(value, mark) {
			return true
		}
	}
	return strings.Contains(value, "path =") && !strings.Contains(value, "version") ||
		strings.Contains(value, "workspace = true") || strings.Contains(value, "path:")
}

// manifestPattern finds dependencies in a manifest. Its first group with
// something in it is the name, the last what is said of it. Names in other are
// keys that only look alike, and what skip matches is left out.
type manifestPattern struct {
	dependency, skip *regexp.Regexp
	other            map[string]bool
}

// jsonRange is a version range in a JSON manifest. A script or an address in
// the same file does not look like one.
const jsonRange = `"((?:[\^~<>=*]|v?\d|npm:|git\+|git:|git@|github:|workspace:|file:|link:|portal:)[^"\n]*|latest|next|canary|beta)"`

// manifestPatterns are compiled when the first manifest is edited, which most
// sessions never do.
var manifestPatterns = sync.OnceValue(func() map[string]manifestPattern {
	compile := func(pattern string, other ...string) manifestPattern {
		p := manifestPattern{dependency: regexp.MustCompile(pattern), other: make(map[string]bool)}
		for _, key := range other {
			p.other[key] = true
		}
		return p
	}
	python := compile(`(?m)(?:^|[\[,])[ \t]*"([A-Za-z0-9][\w.-]*)(?:\[[^\]"\n]*\])?\s*(?:[<>=!~;@][^"\n]*)?"`+
		`|^[ \t]*([A-Za-z][\w.-]*)\s*=\s*(?:"[\^~<>=!*]+\s*\d[^"\n]*"|\{[^}\n]*version[^}\n]*\})()`,
		"version", "requires-python", "python")
	python.skip = regexp.MustCompile(`(?m)^\s*(?:keywords|classifiers|include|exclude|packages|select|ignore|extend-select|omit|source|testpaths|markers|addopts|authors|maintainers)\s*=.*$`)
	return map[string]manifestPattern{
		"package.json": compile(`"([@\w][^"\s:]*)"\s*:\s*`+jsonRange,
			"version", "node", "npm", "yarn", "pnpm", "bun", "vscode", "packageManager", "target"),
		"composer.json":    compile(`"([\w.-]+/[\w.-]+)"\s*:\s*` + jsonRange),
		"requirements.txt": compile(`(?m)^[ \t]*([A-Za-z0-9][\w.-]*)()`),
		"go.mod":           compile(`(?m)^\s*(?:require\s+)?([\w-]+(?:\.[\w-]+)+/\S+)\s+v\d\S*[ \t]*(?:\r?$|//\s*(?:[^i\s]|i[^n]))()`),
		"Gemfile":          compile(`(?m)^\s*gem\s+['"]([\w.-]+)['"](.*)$`),
		"Cargo.toml": compile(`(?m)^\s*(?:\[[^\]\n]*dependencies\.)?([A-Za-z][\w-]*)(?:\]|\s*=\s*("[\^~<>=*\d][^"\n]*"|\{[^}\n]*\}))`,
			"version", "edition", "rust-version", "resolver"),
		"pyproject.toml": python,
	}
})
