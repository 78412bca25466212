package retro

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"retro/pkg/cli"
)

// sentinel is planted in every string of what agents and hooks write. It holds
// characters that no identifier, name or path in a record may have.
const sentinel = `<|SENTINEL 7|>`

// leaks tells whether a text holds the sentinel, in whatever way JSON writes it.
func leaks(text string) bool { return strings.Contains(text, "SENTINEL 7") }

// showsText are the sub-commands that print user text on purpose, behind their
// own names and after redaction, or text that they are given as an argument.
// Everything else is under the sentinel test.
var showsText = []string{
	"retro-scan corrections",
	"retro-scan blocks",
	"retro-scan lock run", // the output of another command
	"retro-score corpus build",
	"retro-score corpus run",
	"retro-score trial parse",
	"retro-score trial annotate",
	"retro-score trial strip",
	"retro-score trial is-elapsed",
	"retro-score trial review",
	"retro-score trial record",
	"retro-render draft",
	"retro-render proposal",
}

// readsNone are the sub-commands that read neither transcripts nor hook inputs
// nor records made of them.
var readsNone = []string{
	"retro-scan lock acquire",
	"retro-scan lock release",
	"retro-score profile",
	"retro-episode layout",
	"retro-episode rules validate",
	"retro-episode rules merge-seed",
	"retro-leftovers",
}

// privacyStage is a project whose transcripts and hook inputs are full of
// sentinels.
type privacyStage struct {
	t                     *testing.T
	root, project, folder string
	programs              map[string]cli.Program
	ran                   map[string]bool
}

// run runs a sub-command in process, looks for the sentinel in both of its
// streams, and returns what it printed.
func (s *privacyStage) run(stdin string, args ...string) string {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	env := &cli.Env{
		Program: args[0], Stdin: strings.NewReader(stdin), Stdout: bufio.NewWriter(&stdout), Stderr: &stderr,
		Getenv: func(name string) string {
			return map[string]string{"CLAUDE_PROJECT_DIR": s.project, "CLAUDE_CONFIG_DIR": s.root}[name]
		},
		Now: func() time.Time { return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) },
		Dir: s.project,
	}
	code := cli.Run(s.programs[args[0]], args[1:], env)
	if code == cli.ExitUsage && strings.Contains(stderr.String(), "--help") {
		s.t.Errorf("%s: bad usage: %s", args, stderr.String())
	}
	if leaks(stdout.String()) {
		s.t.Errorf("%s: the sentinel is on stdout: %s", args, lineOfLeak(stdout.String()))
	}
	if leaks(stderr.String()) {
		s.t.Errorf("%s: the sentinel is on stderr: %s", args, lineOfLeak(stderr.String()))
	}
	return stdout.String()
}

func lineOfLeak(text string) string {
	for line := range strings.Lines(text) {
		if leaks(line) {
			return line
		}
	}
	return ""
}

// covers runs a sub-command and notes that it is under the test.
func (s *privacyStage) covers(name, stdin string, args ...string) string {
	s.t.Helper()
	s.ran[name] = true
	return s.run(stdin, append(strings.Fields(name), args...)...)
}

// files looks for the sentinel in every file below the project.
func (s *privacyStage) files() {
	s.t.Helper()
	filepath.WalkDir(s.project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || leaks(path) {
			s.t.Errorf("%s: %v", path, err)
		}
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil || leaks(string(text)) {
				s.t.Errorf("%s: %v: %s", path, err, lineOfLeak(string(text)))
			}
		}
		return nil
	})
}

// TestSentinel plants the sentinel in every string field of every type of
// record and of every hook input, one field at a time, alone and behind what
// the field holds; runs everything that reads them; and looks for it in all
// output and all files.
func TestSentinel(t *testing.T) {
	s := newPrivacyStage(t)
	const plain = "testdata/records.jsonl"
	s.writeTranscript("one", planted(t, plain, none))
	s.writeTranscript("two", planted(t, plain, none))
	hooks := planted(t, "testdata/hooks.jsonl", none)
	for _, input := range hooks {
		fill := strings.NewReplacer("TRANSCRIPT", filepath.Join(s.folder, "one.jsonl"), "PROJECT", s.project)
		s.covers("retro-scan hook", fill.Replace(input))
	}
	s.files()
	s.covers("retro-scan backfill", "", s.folder, "--force")
	signals := s.covers("retro-scan", "", "--candidates", "--root", s.project, s.folder)
	if strings.Count(signals, `"kind":"session"`) != 2 {
		t.Fatalf("scanned: %.2000s", signals)
	}
	stored, err := os.ReadFile(filepath.Join(s.project, ".claude", "retro", "signals.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	labels := filepath.Join(t.TempDir(), "labels.json")
	if err := os.WriteFile(labels, []byte(`{"one": {"truth": "friction"}, "two": {"truth": "smooth"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, records := range []string{signals, string(stored)} {
		verdicts := s.covers("retro-score", records, "--tee")
		buckets := s.covers("retro-episode", verdicts, "--tee")
		s.covers("retro-render", buckets)
		s.covers("retro-render status", buckets)
		s.covers("retro-render why", verdicts)
		s.covers("retro-score calibrate", records, "--labels", labels)
		s.covers("retro-episode rules status", records)
		s.covers("retro-render metrics", s.covers("retro-episode metrics", records))
	}
	classic := filepath.Join(s.folder, "one.jsonl")
	s.writeTranscript("one", planted(t, plain, isAnchor))
	if s.run("", "retro-scan", "--profile", "classic", "--root", s.project, classic) == "" {
		t.Error("classic: scanned nothing")
	}
	s.covers("retro-render scheduled", signals)
	s.covers("retro-episode rules mark-retro", signals, sentinel)
	s.files()
	for _, name := range subCommands(t, s.programs) {
		if !s.ran[name] && !slices.Contains(showsText, name) && !slices.Contains(readsNone, name) {
			t.Errorf("%s is not under the sentinel test: run it here, or list it as one that shows text", name)
		}
	}
}

func newPrivacyStage(t *testing.T) *privacyStage {
	t.Helper()
	root := t.TempDir()
	s := &privacyStage{
		t: t, root: root, project: filepath.Join(root, "p"), folder: filepath.Join(root, "projects", "-p"),
		programs: map[string]cli.Program{}, ran: map[string]bool{},
	}
	for _, p := range programs() {
		s.programs[p.Name] = p
	}
	seed, err := os.ReadFile("pkg/rules/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(s.project, ".git", "HEAD"):                         "x",
		filepath.Join(s.project, ".github", "retro", "rules.json"):       string(seed),
		filepath.Join(s.project, ".code-graph", "graph.db"):              "",
		filepath.Join(s.project, "openspec", "changes", "c", "tasks.md"): "`lib/c.go`",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *privacyStage) writeTranscript(name string, lines []string) {
	s.t.Helper()
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", `"/p/`, `"`+s.project+`/`)
	if err := os.WriteFile(filepath.Join(s.folder, name+".jsonl"), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// none exempts no field.
func none(string) bool { return false }

// isAnchor tells the fields whose value stands in a signal as it is: the id of
// a message. The original gate gives it back untouched, and so does classic, but
// no other profile.
func isAnchor(field string) bool { return field == "uuid" || field == "messageId" }

// planted reads JSON objects from a file and gives each as it is, and then once
// for every string in it with the sentinel in the string's place, and once with
// the sentinel behind it. The copies have message ids of their own.
func planted(t *testing.T, file string, exempt func(field string) bool) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	copies := 0
	for line := range strings.Lines(string(text)) {
		out = append(out, strings.TrimSpace(line))
		for i := range stringsIn(decoded(t, line)) {
			for _, keep := range []bool{false, true} {
				v := decoded(t, line)
				at, touched, id := -1, true, false
				walkStrings(v, "", func(field, text string) string {
					if at++; at != i {
						return text
					}
					if touched = !exempt(field); !touched {
						return text
					}
					id = field == "uuid"
					if keep {
						return text + sentinel
					}
					return sentinel
				}, true)
				if !touched {
					continue
				}
				if copies++; v["uuid"] != nil && !id {
					v["uuid"] = fmt.Sprint("copy-", copies)
				}
				out = append(out, encoded(t, v))
			}
		}
	}
	return out
}

// encoded writes the object on one line, with the sentinel as it is.
func encoded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func decoded(t *testing.T, line string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return v
}

// stringsIn counts the strings of a JSON value.
func stringsIn(v any) (n int) {
	walkStrings(v, "", func(string, string) string { n++; return "" }, false)
	return n
}

// walkStrings visits every string of a JSON value in a fixed order and, when
// set, puts what visit returns in its place.
func walkStrings(v any, field string, visit func(field, text string) string, set bool) any {
	switch v := v.(type) {
	case string:
		if text := visit(field, v); set {
			return text
		}
	case []any:
		for i := range v {
			v[i] = walkStrings(v[i], field, visit, set)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			v[key] = walkStrings(v[key], key, visit, set)
		}
	}
	return v
}

// subCommands lists all sub-commands; a program's own job goes by its name.
func subCommands(t *testing.T, programs map[string]cli.Program) []string {
	t.Helper()
	var out []string
	for name, p := range programs {
		parser, err := kong.New(p.Grammar(), kong.Name(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range parser.Model.Leaves(false) {
			path := strings.Fields(leaf.FullPath())
			if leaf.Parent.DefaultCmd == leaf && leaf.Parent == parser.Model.Node {
				path = []string{name}
			}
			out = append(out, strings.Join(path, " "))
		}
	}
	slices.Sort(out)
	return out
}
