package instruct

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"

	"github.com/bmatcuk/doublestar/v4"

	"retro/pkg/ndjson"
)

// Path is where a project keeps its budgets, relative to its root.
const Path = ".github/layout/layout.json"

// Invalid is the error for a file of budgets with a fault.
type Invalid struct {
	// Field is the path of the first field at fault, `root` when the file is no
	// JSON object.
	Field string
}

func (e *Invalid) Error() string { return "invalid at " + e.Field }

// config is a checked file of budgets.
type config struct {
	source                                string
	alwaysLoaded, routers, docs, gotchas  []string
	always, router, doc, gotchaFile, each int
	structuralFactor                      float64
	call                                  string
}

// defaults are what counts without a file, and for the keys a file lacks (rules
// specification, tiers).
func defaults() config {
	return config{
		source:       "built-in defaults",
		alwaysLoaded: []string{"CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md"},
		routers:      []string{"*/AGENTS.md", "*/*/AGENTS.md", "*/CLAUDE.md", "*/*/CLAUDE.md"},
		docs:         []string{"docs/features/*.md"},
		gotchas:      []string{"GOTCHAS.md", "*/GOTCHAS.md", "*/*/GOTCHAS.md"},
		always:       9000, router: 2000, doc: 8000, gotchaFile: 8000,
		each:             800,
		structuralFactor: 1.25,
		call:             "/coograph-docs-restructure",
	}
}

// readConfig reads the budgets; without a file the defaults. The error is
// [*Invalid] or of the file system.
func readConfig(files fs.FS) (config, error) {
	c := defaults()
	data, err := fs.ReadFile(files, Path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.source = Path
	return c, c.parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

func (c *config) parse(data []byte) error {
	root, ok := ndjson.Members(data)
	if !ok {
		return &Invalid{"root"}
	}
	for _, m := range root {
		if !c.set(m) {
			return &Invalid{m.Key}
		}
		if m.Key != "budgets" {
			continue
		}
		budgets, ok := ndjson.Members(m.Value)
		if !ok {
			return &Invalid{"budgets"}
		}
		for _, b := range budgets {
			if !c.setBudget(b) {
				return &Invalid{"budgets." + b.Key}
			}
		}
	}
	return nil
}

// set takes one key. Keys that it does not know are another program's.
func (c *config) set(m ndjson.Member) bool {
	switch m.Key {
	case "version":
		return string(bytes.TrimSpace(m.Value)) == "1"
	case "always_loaded":
		return globs(m.Value, &c.alwaysLoaded)
	case "routers":
		return globs(m.Value, &c.routers)
	case "docs":
		return globs(m.Value, &c.docs)
	case "gotchas":
		return globs(m.Value, &c.gotchas)
	case "structural_factor":
		f, err := strconv.ParseFloat(string(bytes.TrimSpace(m.Value)), 64)
		c.structuralFactor = f
		return err == nil && f >= 1
	case "call":
		return ndjson.Unmarshal(m.Value, &c.call) == nil && c.call != "" && len(c.call) <= maxCall
	}
	return true
}

// maxCall keeps room for the reason in a session-start line.
const maxCall = 60

func (c *config) setBudget(m ndjson.Member) bool {
	to := map[string]*int{"always_loaded": &c.always, "router": &c.router, "doc": &c.doc, "gotchas": &c.gotchaFile, "gotcha_entry": &c.each}[m.Key]
	if to == nil {
		return true
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(m.Value)))
	*to = n
	return err == nil && n >= 0
}

// globs reads a list of globs; one that cannot be a glob is a fault, because it
// would match nothing for ever.
func globs(value ndjson.Raw, to *[]string) bool {
	var list []string
	if trimmed := bytes.TrimSpace(value); len(trimmed) == 0 || trimmed[0] != '[' || ndjson.Unmarshal(value, &list) != nil {
		return false
	}
	for _, glob := range list {
		if glob == "" || !doublestar.ValidatePattern(glob) {
			return false
		}
	}
	*to = list
	return true
}
