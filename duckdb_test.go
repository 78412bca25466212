//go:build unix

package retro

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// warehouse is a folder with the records of the example project and of the
// samples, and DuckDB, by its package for Node, to load them.
type warehouse struct {
	t      *testing.T
	dir    string
	script string
}

func newWarehouse(t *testing.T) *warehouse {
	t.Helper()
	if err := exec.Command("node", "-e", `require("@duckdb/node-api")`).Run(); err != nil {
		t.Skip("@duckdb/node-api is not installed for node (NODE_PATH may name its folder)")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	w := &warehouse{t: t, dir: t.TempDir(), script: filepath.Join(root, "testdata", "duckdb.cjs")}
	samples := filepath.Join(root, "testdata", "transcripts")
	w.run("sh", filepath.Join(root, "testdata", "example", "make.sh"), ".")
	// One of the sessions is not there: it has no time.
	w.run("bash", "-c", `cd shop
retro-scan --root . ../projects `+samples+` gone.jsonl >../signals.ndjson
cd .. && retro-score --tee signals.ndjson >scored.ndjson
grep '"kind":"verdict"' scored.ndjson >verdicts.ndjson
retro-episode --partial scored.ndjson >episodes.ndjson
(cd shop && retro-episode ../scored.ndjson) >buckets.ndjson`)
	return w
}

func (w *warehouse) run(name string, args ...string) []byte {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "RETRO_PROFILE=")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", args, err, stderrOf(err))
	}
	return out
}

// query runs the statements and returns the types of the columns of the last
// by their path, and its rows.
func (w *warehouse) query(statements ...string) (types map[string]string, rows []map[string]any) {
	w.t.Helper()
	types = make(map[string]string)
	for line := range strings.Lines(string(w.run("node", append([]string{w.script}, statements...)...))) {
		var got struct {
			Path, Type string
			Row        map[string]any
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			w.t.Fatal(err)
		}
		if got.Row != nil {
			rows = append(rows, got.Row)
		} else {
			types[got.Path] = got.Type
		}
	}
	return types, rows
}

// records reads a file of the warehouse, numbers as they are written.
func (w *warehouse) records(name string) (list []map[string]any) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var r map[string]any
		if err := d.Decode(&r); err != nil {
			w.t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// columnType is the type of a column with such a value, "" for what tells none.
func columnType(v any) string {
	switch v := v.(type) {
	case bool:
		return "BOOLEAN"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "DOUBLE"
		}
		return "BIGINT"
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return "TIMESTAMP"
		}
		if _, err := time.Parse(time.DateOnly, v); err == nil {
			return "DATE"
		}
		return "VARCHAR"
	}
	return ""
}

// collect notes the types that the values below the path have.
func collect(path string, v any, into map[string][]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			collect(strings.TrimPrefix(path+"."+name, "."), below, into)
		}
		return
	case []any:
		path += "[]"
		for _, below := range v {
			collect(path, below, into)
		}
		if len(v) > 0 {
			return
		}
	}
	if _, known := into[path]; !known {
		into[path] = nil
	}
	if typ := columnType(v); typ != "" && !slices.Contains(into[path], typ) {
		into[path] = append(into[path], typ)
	}
}

// typed fails for every column of the table that has not the one type of its
// values. Numbers of which some are whole are still one type.
func (w *warehouse) typed(file string, got map[string]string) {
	w.t.Helper()
	seen := make(map[string][]string)
	for _, r := range w.records(file) {
		collect("", r, seen)
	}
	for path, kinds := range seen {
		slices.Sort(kinds)
		if slices.Equal(kinds, []string{"BIGINT", "DOUBLE"}) {
			kinds = kinds[1:]
		}
		typ, loaded := got[path]
		switch {
		case len(kinds) > 1:
			w.t.Errorf("%s: %s has values of the types %s", file, path, kinds)
		case len(kinds) == 1 && typ != kinds[0]:
			w.t.Errorf("%s: %s is loaded as %q, want %s", file, path, typ, kinds[0])
		case loaded && strings.HasPrefix(typ, "MAP"):
			w.t.Errorf("%s: %s is loaded as a map", file, path)
		}
	}
}

// TestRecordsLoadAsTypedColumns loads everything that goes from one filter to
// the next into DuckDB, which finds the types itself.
func TestRecordsLoadAsTypedColumns(t *testing.T) {
	w := newWarehouse(t)
	files := []string{"signals.ndjson", "verdicts.ndjson", "episodes.ndjson"}
	for _, r := range w.records("buckets.ndjson") {
		file := "bucket-" + r["bucket"].(string) + ".ndjson"
		if !slices.Contains(files, file) {
			files = append(files, file)
			w.run("sh", "-c", fmt.Sprintf(`grep '"bucket":"%s"' buckets.ndjson >%s`, r["bucket"], file))
		}
	}
	if len(files) < 12 {
		t.Errorf("tables: %s", files)
	}
	for _, file := range files {
		types, _ := w.query(fmt.Sprintf("FROM read_ndjson('%s', sample_size = -1)", file))
		w.typed(file, types)
		for path, want := range map[string]map[string]string{
			"signals.ndjson": {"ts": "TIMESTAMP", "kind": "VARCHAR", "evidence.turns": "BIGINT", "evidence.usage.output": "BIGINT", "evidence.started": "TIMESTAMP",
				"evidence.active_days[]": "DATE", "evidence.tools_used[].name": "VARCHAR", "evidence.tools_used[].count": "BIGINT", "evidence.interactive": "BOOLEAN"},
			"verdicts.ndjson":      {"score": "DOUBLE", "started": "TIMESTAMP", "signals[].count": "BIGINT"},
			"episodes.ndjson":      {"day": "DATE", "source_bytes": "BIGINT", "transcript.violations[].events": "BIGINT", "session.ts": "TIMESTAMP"},
			"bucket-rule.ndjson":   {"events": "BIGINT", "first": "DATE", "days[].day": "DATE", "days[].events": "BIGINT", "broken.rate": "DOUBLE"},
			"bucket-tokens.ndjson": {"days[].day": "DATE", "days[].total": "BIGINT"},
		}[file] {
			if types[path] != want {
				t.Errorf("%s: %s is loaded as %q, want %s", file, path, types[path], want)
			}
		}
	}
}

// TestTablesAddUpToTheFigures runs the recipe of the README: what SQL counts
// over the signals and the days is what retro-episode counts.
func TestTablesAddUpToTheFigures(t *testing.T) {
	w := newWarehouse(t)
	w.run("sh", "-c", `grep '"bucket":"rule"' buckets.ndjson >rules.ndjson; grep '"bucket":"tokens"' buckets.ndjson >tokens.ndjson`)
	statements := recipe(t)
	const load = 2 // statements that make the tables
	_, days := w.query(statements[:load+1]...)
	_, perRule := w.query(append(slices.Clone(statements[:load]), statements[load+1])...)
	sessions, output := 0, 0
	for _, d := range days {
		sessions += number(t, d["sessions"])
		output += number(t, d["output"])
	}
	events := make(map[string]int)
	for _, r := range perRule {
		events[r["rule"].(string)] += number(t, r["events"])
	}
	read, want := 0, 0
	for _, r := range w.records("signals.ndjson") {
		if e, ok := r["evidence"].(map[string]any); ok && r["kind"] == "session" {
			read++
			want += number(t, e["usage"].(map[string]any)["output"])
		}
	}
	if sessions != read || output != want || want == 0 {
		t.Errorf("SQL counts %d sessions and %d tokens, want %d and %d", sessions, output, read, want)
	}
	broken := 0
	for _, r := range w.records("rules.ndjson") {
		name, want := r["rule"].(string), number(t, r["events"])
		if broken += want; events[name] != want {
			t.Errorf("%s: the days add up to %d events, want %d", name, events[name], want)
		}
	}
	if broken == 0 {
		t.Error("no rule was broken")
	}
	_, totals := w.query(`SELECT (SELECT sum(u.input + u.output + u.cache_read + u.cache_create) FROM (SELECT evidence.usage AS u FROM read_ndjson('signals.ndjson') WHERE kind = 'session')) AS signals,
		(SELECT sum(d.total) FROM (SELECT unnest(days) AS d FROM read_ndjson('tokens.ndjson'))) AS buckets`)
	if totals[0]["signals"] != totals[0]["buckets"] {
		t.Errorf("tokens of the signals and of the buckets: %v", totals[0])
	}
}

// recipe are the statements of the README.
func recipe(t *testing.T) (statements []string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```sql\n")
	block, _, _ := strings.Cut(rest, "```")
	for statement := range strings.SplitSeq(block, ";") {
		if strings.TrimSpace(statement) != "" {
			statements = append(statements, statement)
		}
	}
	if len(statements) != 4 {
		t.Fatalf("the README has %d statements, want 4", len(statements))
	}
	return statements
}

// number is a count as JSON or DuckDB prints it, a large one as text.
func number(t *testing.T, v any) int {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return 0
	case float64:
		return int(v)
	}
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
