package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// built builds the tools and the programs, and the bench with them.
func built(t *testing.T) (tools, programs string) {
	t.Helper()
	tools, programs = t.TempDir(), t.TempDir()
	for dir, packages := range map[string][]string{tools: {"retro/testdata/gen", "retro/testdata/bench", "retro/testdata/bench/allocs", "retro/testdata/bench/empty"}, programs: {"retro/cmd/retro-scan", "retro/cmd/retro-score", "retro/cmd/retro-episode", "retro/cmd/retro-render"}} {
		if out, err := exec.Command("go", append([]string{"build", "-o", dir + "/"}, packages...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return tools, programs
}

// TestTable runs the bench on a small set: every row is there, with all figures
// that it can have.
func TestTable(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell for the pipeline")
	}
	tools, programs := built(t)
	data := t.TempDir()
	cmd := exec.Command(filepath.Join(tools, "bench"), "-sizes", "200kB", "-rounds", "1", "-tools", tools, "-programs", programs, "-data", data, "-registry", "../../pkg/rules/seed.json")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if cells := strings.Split(line, "|"); len(cells) == len(columns)+2 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows[cells[2]] = cells[1 : len(cells)-1]
		}
	}
	for _, tt := range []struct{ what, none string }{
		{"limit: newline scan", "allocs/record"},
		{"retro-scan, 1 core", ""},
		{"retro-scan, all cores", ""},
		{"retro-scan, 1 core, rules measured", ""},
		{"retro-scan, 1 core, classic", ""},
		{"retro-score", ""},
		{"retro-episode", ""},
		{"whole pipeline, rules measured", "allocs/record"},
		{"empty Go process", "set, MB/s by CPU, MB/s by wall, x limit, ns/record, allocs/record"},
		{"hook, nothing to do", "set, MB/s by CPU, MB/s by wall, x limit, ns/record, allocs/record"},
		{"hook, a failed call is noted", "set, MB/s by CPU, MB/s by wall, x limit, ns/record, allocs/record"},
	} {
		var none []string
		for i, cell := range rows[tt.what] {
			if cell == "-" {
				none = append(none, columns[i])
			}
		}
		if got := strings.Join(none, ", "); rows[tt.what] == nil || got != tt.none {
			t.Errorf("%s: %q lacks %q, want %q", tt.what, rows[tt.what], got, tt.none)
		}
	}
	if rows["jq .type"] == nil || !strings.Contains(string(out), "Goals, and floors") {
		t.Errorf("no jq, or no goals:\n%s", out)
	}
	checkCopies(t, filepath.Join(data, "set-200kB"))
}

// checkCopies wants a verdict of its own for every copy of a session.
func checkCopies(t *testing.T, set string) {
	t.Helper()
	data, err := os.ReadFile(set + ".verdicts")
	if err != nil {
		t.Fatal(err)
	}
	sessions, verdicts := bytes.Count(data, []byte(`"kind":"session"`)), bytes.Count(data, []byte(`"kind":"verdict"`))
	if sessions == 0 || sessions != verdicts || sessions%copies != 0 {
		t.Errorf("%d verdicts about %d sessions in %d copies", verdicts, sessions, copies)
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{"200kB": 200_000, "10MB": 10_000_000, "1GB": 1_000_000_000, "1": 0, "0MB": 0, "-1MB": 0, "MB": 0, "1TB": 0} {
		if got, err := parseSize(in); got != want || (err == nil) != (want > 0) {
			t.Errorf("parseSize(%s) = %d, %v", in, got, err)
		}
	}
}
