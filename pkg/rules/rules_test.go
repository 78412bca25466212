package rules

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSeedIsARegistry(t *testing.T) {
	r := Default()
	if len(r.Rules) != 8 || r.SeedVersion != 3 || r.Thresholds.EscalateIgnoredRate != 0.5 || r.MaxSessions != 500 || len(r.Patterns) != 6 {
		t.Errorf("got %d rules, seed %d, %+v", len(r.Rules), r.SeedVersion, r.Thresholds)
	}
	if rule, ok := r.Rule("scope"); !ok || rule.Enforcement != HookWarn || rule.OutcomesSince != "2026-10-06" || rule.Hard {
		t.Errorf("scope: got %+v, %v", rule, ok)
	}
	if _, ok := r.Rule("unheard-of"); ok {
		t.Error("a rule that is not there was found")
	}
	settings := string(Seed())
	settings = settings[:strings.Index(settings, `  "settings"`)] + `  "last_retro": null }`
	without, err := Parse([]byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := without.Settings, r.Settings; !slices.Equal(got.ReviewSkills, want.ReviewSkills) || got.OpenSpec != want.OpenSpec ||
		got.CodeGraph.Database != want.CodeGraph.Database || !slices.Equal(got.CodeGraph.ToolPrefixes, want.CodeGraph.ToolPrefixes) {
		t.Errorf("without settings: got %+v, want %+v", got, want)
	}
}

// Each row is the seed with one text replaced, and the first field at fault.
func TestFirstFaultyField(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"version": 1`, `"version": "1"`, "version"},
		{`"version": 1`, `"version": true`, "version"},
		{`"seed_version": 3`, `"seed_version": 3.5`, "seed_version"},
		{`"rules": [`, `"rules": {}, "x": [`, "rules"},
		{`"rules": [`, `"rules": [7,`, "rules[0]"},
		{`"id": "openspec-gate"`, `"id": ""`, "rules[1].id"},
		{`"id": "openspec-gate"`, `"id": "graph-first"`, "rules[1].id"},
		{`"id": "openspec-gate"`, `"ident": "openspec-gate"`, "rules[1].id"},
		{`"title": "Edits`, `"enforcement": "loud", "title": "Edits`, ""}, // the later key stands
		{`"enforcement": "hook-block"`, `"enforcement": "loud"`, "rules[3].enforcement"},
		{`"hard": true`, `"hard": 1`, "rules[0].hard"},
		{`"detector": "scope-warning"`, `"detector": "scope"`, "rules[2].detector"},
		{`"detector": null`, `"detector": 0`, "rules[5].detector"},
		{`"file": "CLAUDE.md"`, `"path": "CLAUDE.md"`, "rules[0].source"},
		{`"last_changed": null`, `"last_changed": "2026-13-01"`, "rules[0].last_changed"},
		{`"outcomes_since": "2026-10-06"`, `"outcomes_since": "6 Oct"`, "rules[1].outcomes_since"},
		{`"title": "Preserve`, `"title": "TODO(person): Preserve`, "rules[5].title"},
		{`"anchor": "Communication style"`, `"anchor": "TODO(person)"`, "rules[6].source"},
		{`"thresholds": {`, `"thresholds": [], "y": {`, "thresholds"},
		{`"deterministic_events": 3`, `"deterministic_events": false`, "thresholds.deterministic_events"},
		{`"prune_sessions": 10`, `"prune_sessions": -1`, "thresholds.prune_sessions"},
		{`"bootstrap_min_archives": 10,`, ``, "thresholds.bootstrap_min_archives"},
		{`"defect_lookback_days": 14,`, ``, ""},
		{`"defect_lookback_days": 14`, `"defect_lookback_days": 0`, "thresholds.defect_lookback_days"},
		{`"escalate_ignored_rate": 0.5`, `"escalate_ignored_rate": 1.5`, "thresholds.escalate_ignored_rate"},
		{`"escalate_ignored_rate": 0.5`, `"escalate_ignored_rate": "0.5"`, "thresholds.escalate_ignored_rate"},
		{`"correction_patterns": [`, `"correction_patterns": 0, "z": [`, "correction_patterns"},
		{`"id": "again"`, `"id": 0`, "correction_patterns[2].id"},
		{`"regex": "\\bagain\\b"`, `"regex": "(?<=x)again"`, "correction_patterns[2].regex"},
		{`"regex": "\\bagain\\b"`, `"regex": null`, "correction_patterns[2].regex"},
		{`"enabled": true`, `"enabled": "yes"`, "correction_patterns[0].enabled"},
		{`"retention": {`, `"keep": {`, "retention"},
		{`"max_sessions": 500`, `"max_sessions": 0`, "retention.max_sessions"},
		{`"11111111-aaaa-4bbb-8ccc-"`, `""`, "ignore_session_prefixes"},
		{`"last_retro": null`, `"last_retro": {"date": 7}`, "last_retro"},
		{`"last_retro": null`, `"last_retro": {"date": "2026-11-01", "captured_sessions": -1}`, "last_retro.captured_sessions"},
		{`"root": "openspec"`, `"root": "/openspec"`, "settings.openspec.root"},
		{`"root": "openspec"`, `"root": "a/../.."`, "settings.openspec.root"},
		{`"code_graph": {`, `"code_graph": 1, "w": {`, "settings.code_graph"},
		{`"call": "/coograph-retro"`, `"call": ""`, "settings.call"},
		{`"mcp__code-graph__"`, `7`, "settings.code_graph.tool_prefixes"},
	} {
		text := strings.Replace(string(seed), c.old, c.new, 1)
		_, err := Parse([]byte(text))
		var invalid *Invalid
		switch errors.As(err, &invalid); {
		case invalid == nil && (err != nil || c.want != ""):
			t.Errorf("%s: got %v, want fault at %q", c.new, err, c.want)
		case invalid != nil && invalid.Field != c.want:
			t.Errorf("%s: got fault at %q, want %q", c.new, invalid.Field, c.want)
		}
	}
}

func TestParseTellsFaultsApart(t *testing.T) {
	if _, err := Parse([]byte("\xef\xbb\xbf" + string(seed))); err != nil {
		t.Errorf("a byte order mark: got %v", err)
	}
	var invalid *Invalid
	if _, err := Parse([]byte("[]")); !errors.As(err, &invalid) || invalid.Field != "root" {
		t.Errorf("a list: got %v, want root", err)
	}
	for _, text := range []string{"", "{", `{"version":1}}`, "rules"} {
		if _, err := Parse([]byte(text)); err != ErrMalformed {
			t.Errorf("%q: got %v, want %v", text, err, ErrMalformed)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "rules.json")); !os.IsNotExist(err) {
		t.Errorf("no file: got %v", err)
	}
}

func TestMergeKeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x", "rules.json")
	if added, err := MergeSeed(path, seed); err != nil || len(added) != 8 {
		t.Fatalf("first merge: %v, %v", added, err)
	}
	if got, _ := os.ReadFile(path); string(got) != string(seed) {
		t.Error("a fresh registry is not the seed")
	}
	edited := strings.NewReplacer(
		`"title": "Code-graph first: query the graph before Grep/Glob"`, `"owner": "me", "title": "Mine"`,
		`"deterministic_events": 3`, `"deterministic_events": 9`,
		`    "prune_sessions": 10,`, ``,
		`"prune_sessions"`, `"prune_sessions"`,
	).Replace(string(seed))
	write(t, path, edited)
	newer := strings.Replace(strings.Replace(string(seed), `"seed_version": 3`, `"seed_version": 4`, 1),
		`"rules": [`, `"rules": [{"id":"r9","title":"Nine","source":{"file":"AGENTS.md"},"enforcement":"prose","hard":false,"detector":null},`, 1)
	added, err := MergeSeed(path, []byte(newer))
	if err != nil || !slices.Equal(added, []string{"r9"}) {
		t.Fatalf("got %v, %v", added, err)
	}
	r, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rules[0].Title != "Mine" || r.Thresholds.DeterministicEvents != 9 || r.SeedVersion != 4 || r.Thresholds.PruneSessions != 10 || r.Rules[8].ID != "r9" {
		t.Errorf("got %+v", r)
	}
	text, _ := os.ReadFile(path)
	if !strings.Contains(string(text), `      "owner": "me",`) {
		t.Errorf("a key of the project's own is gone: %s", text)
	}
	if added, err := MergeSeed(path, []byte(newer)); err != nil || added != nil {
		t.Errorf("again: got %v, %v", added, err)
	}
	if again, _ := os.ReadFile(path); string(again) != string(text) {
		t.Error("merging twice changed the file")
	}
}

func TestMergeWritesNoInvalidRegistry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.json")
	write(t, path, `{"version":1,"seed_version":1,"rules":[],"retention":{"max_sessions":0}}`)
	var invalid *Invalid
	if _, err := MergeSeed(path, seed); !errors.As(err, &invalid) || invalid.Field != "retention.max_sessions" {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile(path); !strings.HasPrefix(string(text), `{"version":1,`) {
		t.Error("the file was replaced")
	}
	if _, err := MergeSeed(path, []byte("{")); err != ErrSeedMalformed {
		t.Errorf("broken seed: got %v", err)
	}
	write(t, path, "{")
	if _, err := MergeSeed(path, seed); err != ErrMalformed {
		t.Errorf("broken registry: got %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestMarkRetro(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "rules.json"), filepath.Join(dir, "link.json")
	write(t, path, string(seed))
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	want := LastRetro{"2026-11-30T10:00:00Z", "s-1", 2}
	if err := MarkRetro(link, want); err != nil {
		t.Fatal(err)
	}
	r, err := Read(path)
	if err != nil || *r.LastRetro != want {
		t.Errorf("got %+v, %v", r.LastRetro, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the symbolic link was replaced")
	}
	text, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(text), "{\n  \"version\": 1,\n") || !strings.HasSuffix(string(text), "}\n") {
		t.Errorf("form: %.40q", text)
	}
}

func TestIgnores(t *testing.T) {
	r := Default()
	if !r.Ignores("11111111-aaaa-4bbb-8ccc-1") || r.Ignores("11111111-aaaa") {
		t.Error("ignored prefixes are not matched from the beginning")
	}
}

func TestSettingsNames(t *testing.T) {
	s := Default().Settings
	for name, want := range map[string]bool{"coograph-review": true, "coograph:coograph-ultra-review": true, "Coograph-Verify": true, "review": false, "coograph-reviewer": false} {
		if got := s.IsReview(name); got != want {
			t.Errorf("IsReview(%q): got %v", name, got)
		}
	}
	if !s.CodeGraph.IsTool("mcp__code-graph__query") || s.CodeGraph.IsTool("Grep") {
		t.Error("code graph tools are not told apart")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(seed)
	f.Add([]byte(`{"version":1,"rules":[{"id":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if (r == nil) == (err == nil) {
			t.Errorf("got %v and %v", r, err)
		}
	})
}

// TestMergeSeedKeepsLinks writes a registry where a link points, also to a file
// that is not there yet.
func TestMergeSeedKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "rules.json"), filepath.Join(dir, "shared.json")
	if err := os.Symlink("shared.json", link); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := MergeSeed(link, Seed()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if _, err := os.Stat(target); err != nil {
		t.Error("nothing was written where the link points")
	}
}
