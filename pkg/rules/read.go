package rules

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"retro/pkg/ndjson"
)

// Invalid is the error for a registry that is JSON but not a registry.
type Invalid struct {
	// Field is the path of the first field at fault: `rules[2].enforcement`,
	// `thresholds.prune_sessions`, or `root` when the file is not an object.
	Field string
}

func (e *Invalid) Error() string { return "invalid at " + e.Field }

// ErrMalformed is the error for a registry that is not JSON at all.
var ErrMalformed = errors.New("not one JSON value")

// Read reads and checks the registry in the file. Errors are those of the file
// system as they come (so [os.IsNotExist] tells a project without a registry),
// [ErrMalformed] and [*Invalid].
func Read(path string) (*Registry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Parse checks the text of a registry. A byte order mark is tolerated. Errors
// are [ErrMalformed] and [*Invalid].
func Parse(data []byte) (*Registry, error) {
	data = withoutMark(data)
	var root any
	if ndjson.Unmarshal(data, &root) != nil {
		return nil, ErrMalformed
	}
	r := &Registry{}
	c := &check{}
	c.registry(r, object(data))
	if c.field != "" {
		return nil, &Invalid{c.field}
	}
	return r, nil
}

func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// check fills a registry from its JSON and keeps the path of the first field
// that is not what it should be. The order of the calls is the order of the
// specification, so the same file always reports the same fault.
type check struct{ field string }

// need notes a fault at the field unless there is one already.
func (c *check) need(ok bool, field string) bool {
	if !ok && c.field == "" {
		c.field = field
	}
	return ok
}

func (c *check) registry(r *Registry, root members) {
	if !c.need(root != nil, "root") {
		return
	}
	r.Version = c.integer(root, "", "version", 0)
	r.SeedVersion = c.integer(root, "", "seed_version", 0)
	r.Rules = c.rules(root)
	c.thresholds(&r.Thresholds, root)
	r.Patterns = c.patterns(root)
	retention := c.object(root, "retention")
	r.MaxSessions = c.integer(retention, "retention.", "max_sessions", 1)
	r.IgnorePrefixes = c.prefixes(root)
	r.LastRetro = c.lastRetro(root)
	r.Settings = c.settings(root)
}

func (c *check) rules(root members) []Rule {
	list, ok := ndjson.Elements(root["rules"])
	c.need(ok, "rules")
	out := make([]Rule, 0, len(list))
	for i, raw := range list {
		at := "rules[" + strconv.Itoa(i) + "]"
		m := object(raw)
		if c.need(m != nil, at) {
			out = append(out, c.rule(m, at, out))
		}
	}
	return out
}

func (c *check) rule(m members, at string, before []Rule) Rule {
	rule := Rule{Title: m.text("title"), Added: m.text("added")}
	rule.ID = m.text("id")
	twice := slices.ContainsFunc(before, func(r Rule) bool { return r.ID == rule.ID })
	c.need(rule.ID != "" && !twice, at+".id")
	rule.Enforcement = Enforcement(m.text("enforcement"))
	c.need(slices.Contains([]Enforcement{Prose, HookWarn, HookBlock}, rule.Enforcement), at+".enforcement")
	rule.Hard, _ = m.boolean("hard")
	_, isBool := m.boolean("hard")
	c.need(isBool, at+".hard")
	rule.Detector = m.text("detector")
	c.need(m.isNull("detector") || slices.Contains(detectors, rule.Detector), at+".detector")
	source := object(m["source"])
	c.need(source != nil && source.isText("file"), at+".source")
	rule.Source = Source{File: source.text("file"), Anchor: source.text("anchor")}
	rule.LastChanged = c.day(m, at, "last_changed")
	rule.OutcomesSince = c.day(m, at, "outcomes_since")
	c.need(!strings.Contains(rule.Title, stub), at+".title")
	c.need(!strings.Contains(rule.Source.File+rule.Source.Anchor, stub), at+".source")
	return rule
}

// stub marks a text of a proposal that a person has to write before it counts.
const stub = "TODO(person)"

// detectors are the names that a rule may give: those that see something
// happen. The records of sessions, decisions and outcomes are no breaches.
var detectors = []string{
	"graph-first", "openspec-gate", "scope-warning", "generated-file-block",
	"build-retry", "user-correction", "defect", "new-dependency",
}

// day reads an optional day; null and absent are no day.
func (c *check) day(m members, at, key string) string {
	if m[key] == nil || m.isNull(key) {
		return ""
	}
	day := m.text(key)
	_, err := time.Parse(time.DateOnly, day)
	c.need(err == nil, at+"."+key)
	return day
}

func (c *check) thresholds(t *Thresholds, root members) {
	m := c.object(root, "thresholds")
	for _, f := range []struct {
		key string
		to  *int
	}{
		{"deterministic_events", &t.DeterministicEvents},
		{"deterministic_sessions", &t.DeterministicSessions},
		{"heuristic_events", &t.HeuristicEvents},
		{"heuristic_sessions", &t.HeuristicSessions},
		{"prune_sessions", &t.PruneSessions},
		{"instruction_token_budget", &t.InstructionTokenBudget},
		{"retro_prompt_min_sessions", &t.RetroPromptMinSessions},
		{"bootstrap_min_archives", &t.BootstrapMinArchives},
	} {
		*f.to = c.integer(m, "thresholds.", f.key, 0)
	}
	t.DefectLookbackDays = defaultLookbackDays
	if m["defect_lookback_days"] != nil {
		t.DefectLookbackDays = c.integer(m, "thresholds.", "defect_lookback_days", 1)
	}
	t.EscalateIgnoredRate = defaultIgnoredRate
	if raw := m["escalate_ignored_rate"]; raw != nil {
		rate, err := strconv.ParseFloat(string(raw), 64)
		c.need(err == nil && rate >= 0 && rate <= 1, "thresholds.escalate_ignored_rate")
		t.EscalateIgnoredRate = rate
	}
}

// What a registry means that does not name these two thresholds.
const (
	defaultLookbackDays = 14
	defaultIgnoredRate  = 0.5
)

func (c *check) patterns(root members) []Pattern {
	list, ok := ndjson.Elements(root["correction_patterns"])
	c.need(ok, "correction_patterns")
	var out []Pattern
	for i, raw := range list {
		at := "correction_patterns[" + strconv.Itoa(i) + "]"
		m := object(raw)
		c.need(m.text("id") != "", at+".id")
		// Go's expressions have no look-around; one that asks for it is a fault
		// here and not a pattern that silently never matches.
		regex, err := regexp.Compile("(?i)" + m.text("regex"))
		c.need(m.isText("regex") && err == nil, at+".regex")
		enabled, isBool := m.boolean("enabled")
		c.need(isBool, at+".enabled")
		out = append(out, Pattern{m.text("id"), regex, enabled})
	}
	return out
}

func (c *check) prefixes(root members) []string {
	if root["ignore_session_prefixes"] == nil {
		return nil
	}
	list, ok := root.texts("ignore_session_prefixes")
	c.need(ok && !slices.Contains(list, ""), "ignore_session_prefixes")
	return list
}

func (c *check) lastRetro(root members) *LastRetro {
	if root["last_retro"] == nil || root.isNull("last_retro") {
		return nil
	}
	m := object(root["last_retro"])
	c.need(m != nil && m.text("date") != "", "last_retro")
	last := &LastRetro{Date: m.text("date"), SessionID: m.text("session_id")}
	if m["captured_sessions"] != nil {
		last.CapturedSessions = c.integer(m, "last_retro.", "captured_sessions", 0)
	}
	return last
}

// settings reads the optional settings; every key that is not there has its
// default, so that a registry older than a setting keeps working.
func (c *check) settings(root members) Settings {
	s := defaultSettings()
	if root["settings"] == nil {
		return s
	}
	m := c.object(root, "settings")
	if m["code_graph"] != nil {
		graph := c.object(m, "code_graph", "settings")
		c.setTexts(graph, "settings.code_graph", "tool_prefixes", &s.CodeGraph.ToolPrefixes)
		c.setPath(graph, "settings.code_graph", "database", &s.CodeGraph.Database)
	}
	if m["openspec"] != nil {
		spec := c.object(m, "openspec", "settings")
		c.setPath(spec, "settings.openspec", "root", &s.OpenSpec.Root)
		c.setPath(spec, "settings.openspec", "changes", &s.OpenSpec.Changes)
		c.setPath(spec, "settings.openspec", "archive", &s.OpenSpec.Archive)
	}
	c.setTexts(m, "settings", "review_skills", &s.ReviewSkills)
	if m["call"] != nil {
		s.Call = m.text("call")
		c.need(s.Call != "" && len(s.Call) <= maxCall, "settings.call")
	}
	return s
}

func defaultSettings() Settings {
	return Settings{
		CodeGraph:    CodeGraph{ToolPrefixes: []string{"mcp__code-graph__"}, Database: ".code-graph/graph.db"},
		OpenSpec:     OpenSpec{Root: "openspec", Changes: "openspec/changes", Archive: "openspec/changes/archive"},
		ReviewSkills: []string{"coograph-review", "coograph-verify", "coograph-ultra-review", "code-review"},
		Call:         "/coograph-retro",
	}
}

// maxCall keeps room for the figures in a session-start line.
const maxCall = 60

// setTexts overwrites a list of non-empty texts when the key is there.
func (c *check) setTexts(m members, at, key string, to *[]string) {
	if m[key] == nil {
		return
	}
	list, ok := m.texts(key)
	if c.need(ok && !slices.Contains(list, ""), at+"."+key) {
		*to = list
	}
}

// setPath overwrites a path inside the project when the key is there.
func (c *check) setPath(m members, at, key string, to *string) {
	if m[key] == nil {
		return
	}
	path := strings.TrimSuffix(m.text(key), "/")
	inside := path != "" && !strings.HasPrefix(path, "/") && !strings.Contains("/"+path+"/", "/../")
	if c.need(inside, at+"."+key) {
		*to = path
	}
}

// object reads a required object; above is the path of the object it stands in.
func (c *check) object(m members, key string, above ...string) members {
	value := object(m[key])
	c.need(value != nil, strings.Join(append(above, key), "."))
	return value
}

// integer reads a required integer of at least the minimum; a boolean and a
// number with a fraction are none.
func (c *check) integer(m members, at, key string, minimum int) int {
	n, err := strconv.Atoi(string(m[key]))
	c.need(err == nil && n >= minimum, at+key)
	return n
}

// members are the values of an object by key; nil for anything else.
type members map[string]ndjson.Raw

func object(raw []byte) members {
	list, ok := ndjson.Members(raw)
	if !ok {
		return nil
	}
	m := make(members, len(list))
	for _, member := range list {
		m[member.Key] = bytes.TrimSpace(member.Value)
	}
	return m
}

func (m members) isNull(key string) bool { return string(m[key]) == "null" }

func (m members) isText(key string) bool { return len(m[key]) > 0 && m[key][0] == '"' }

// text is the string under the key, "" for anything else.
func (m members) text(key string) string {
	var s string
	if !m.isText(key) || ndjson.Unmarshal(m[key], &s) != nil {
		return ""
	}
	return s
}

func (m members) boolean(key string) (value, ok bool) {
	text := string(m[key])
	return text == "true", text == "true" || text == "false"
}

func (m members) texts(key string) (list []string, ok bool) {
	if len(m[key]) == 0 || m[key][0] != '[' || ndjson.Unmarshal(m[key], &list) != nil {
		return nil, false
	}
	return list, true
}
