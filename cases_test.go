package retro

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"retro/pkg/cli"
)

// casesDir holds recorded sessions: gate with the verdicts of the original
// gate, guarded with what the guarded profile wants of them.
const casesDir = "testdata/cases"

// pipeline runs retro-scan over the transcript and retro-score over its signals.
func pipeline(t *testing.T, transcript string, variables map[string]string) (stdout, stderr string, codes [2]int) {
	t.Helper()
	var in []byte
	var errors bytes.Buffer
	dir := t.TempDir()
	for i, program := range programs()[:2] {
		var out bytes.Buffer
		env := &cli.Env{Program: program.Name, Stdin: bytes.NewReader(in), Stdout: bufio.NewWriter(&out), Stderr: &errors, Dir: dir,
			Getenv: func(name string) string { return variables[name] }, Now: func() time.Time { return time.Unix(0, 0) }}
		var args []string
		if i == 0 {
			args = []string{transcript}
		}
		codes[i] = cli.Run(program, args, env)
		in = out.Bytes()
	}
	return string(in), errors.String(), codes
}

// variables are those of a case: its .env file, and its ledger.
func variables(t *testing.T, transcript string) map[string]string {
	t.Helper()
	base := strings.TrimSuffix(transcript, ".jsonl")
	out := map[string]string{"RETRO_PROFILE": "classic", "FRICTION_LEDGER": base + ".ledger.jsonl"}
	data, err := os.ReadFile(base + ".env")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			out[name] = value
		}
	}
	return out
}

// TestRecordedVerdicts holds the classic profile against what the original
// gate printed: the verdict must begin with the very bytes. A case that differs
// and is known to is listed; the list must not hold a case that agrees.
func TestRecordedVerdicts(t *testing.T) {
	known := knownDifferences(t, "classic")
	expected := glob(t, "gate/*.expect.json", 300)
	for _, path := range expected {
		name := strings.TrimSuffix(path, ".expect.json")
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, stderr, codes := pipeline(t, name+".jsonl", variables(t, name+".jsonl"))
		agrees := strings.HasPrefix(got, strings.TrimSuffix(string(want), "}\n")+",") && strings.Count(got, "\n") == 1 && codes == [2]int{}
		id := "gate/" + filepath.Base(name)
		switch listed := slices.Contains(known, id); {
		case listed && agrees:
			t.Errorf("%s is no longer different", id)
		case !listed && !agrees:
			t.Errorf("%s: exit codes %v, got\n%swant\n%s%s", id, codes, got, want, stderr)
		}
	}
}

// TestHostileCasesUnderClassic checks the cases that broke the original gate:
// one well-formed line and exit code 0, and the hits that the case asks for.
func TestHostileCasesUnderClassic(t *testing.T) {
	known := knownDifferences(t, "classic")
	wanted := regexp.MustCompile(`classic: (S\d)=(\d)`)
	checked := 0
	for _, row := range readTSV(t, "guarded/WANT.tsv") {
		path := filepath.Join(casesDir, "guarded", row[0]+".jsonl")
		got, _, codes := pipeline(t, path, variables(t, path))
		if !strings.HasPrefix(got, `{"score":`) || strings.Count(got, "\n") != 1 || codes != [2]int{} {
			t.Errorf("%s: exit codes %v, got %q", row[0], codes, got)
		}
		want := wanted.FindStringSubmatch(row[1])
		if want == nil {
			continue
		}
		checked++
		agrees := strings.Contains(got, `"name":"`+want[1]+`","count":`+want[2]+",")
		if listed := slices.Contains(known, "guarded/"+row[0]); listed == agrees {
			t.Errorf("%s: listed as different: %v, got %s", row[0], listed, got)
		}
	}
	if checked != 6 {
		t.Errorf("checked %d cases with a number for classic, want 6", checked)
	}
}

// TestCasesAreThoseRecorded compares the cases with the folder they come from.
func TestCasesAreThoseRecorded(t *testing.T) {
	for _, folder := range []string{"gate", "guarded"} {
		source := os.DirFS(filepath.Join("../shared/cases", folder))
		names, _ := fs.Glob(source, "*")
		if len(names) == 0 {
			t.Skip("no folder ../shared/cases/" + folder + " to compare with")
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".head.json") {
				continue // verdicts of another version, which nobody reads
			}
			want, err := fs.ReadFile(source, name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(casesDir, folder, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s differs from the one recorded", folder, name)
			}
		}
	}
}

// glob lists the files of a pattern below the cases; there must be n.
func glob(t *testing.T, pattern string, n int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(casesDir, pattern))
	if err != nil || len(files) != n {
		t.Fatalf("%s: got %d files (%v), want %d", pattern, len(files), err, n)
	}
	return files
}

// readTSV reads the rows below the head of a table of the cases.
func readTSV(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// knownDifferences lists the cases that are known not to come out as wanted
// under the profile.
func knownDifferences(t *testing.T, profile string) (cases []string) {
	t.Helper()
	for _, row := range readTSV(t, "known-differences.tsv") {
		if row[1] == profile {
			cases = append(cases, row[0])
		}
	}
	return cases
}
