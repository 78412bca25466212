package detect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retro/pkg/profile"
)

const caseFolder = "../../testdata/cases/gate"

func caseThreshold(t *testing.T, name string) float64 {
	data, _ := os.ReadFile(filepath.Join(caseFolder, name+".env"))
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "RETRO_THRESHOLD="); ok {
			f, ok := profile.ParseThreshold(text)
			if !ok {
				t.Fatal("threshold of the case cannot be read")
			}
			return f
		}
	}
	return 5
}

func caseNames(t *testing.T) []string {
	files, _ := filepath.Glob(caseFolder + "/*.expect.json")
	if len(files) != 300 {
		t.Fatalf("got %d recorded cases, want 300", len(files))
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(filepath.Base(f), ".expect.json"))
	}
	return out
}

// The slow gate judges the fast one, so it is itself held against what the
// original gate printed.
func TestSlowGateGivesRecordedVerdicts(t *testing.T) {
	for _, name := range caseNames(t) {
		transcript, ledger, want := readCase(t, name)
		g := slowRun(name+".jsonl", transcript, ledger)
		if got := g.verdict(caseThreshold(t, name)) + "\n"; got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		if want := name == "346"; g.drift != want {
			t.Errorf("%s: got drift %v, want %v", name, g.drift, want)
		}
	}
}
