package retro

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"retro/pkg/cli"
)

// runProgram runs one of the five in process and returns what it wrote.
func runProgram(t *testing.T, name, stdin string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := &cli.Env{
		Program: name, Stdin: strings.NewReader(stdin), Stdout: bufio.NewWriter(&out), Stderr: &errs,
		Getenv: func(string) string { return "" }, Dir: dir, Home: t.TempDir(),
		Now: func() time.Time { return time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC) },
	}
	for _, p := range programs() {
		if p.Name == name {
			cli.Run(p, args, env)
		}
	}
	return out.String()
}

// TestRecordsAreValid holds every line that the programs write about the sample
// data against the schema that --schema prints.
func TestRecordsAreValid(t *testing.T) {
	const samples = "testdata/transcripts"
	signals := runProgram(t, "retro-scan", "", "--candidates", samples, "testdata/cases/guarded", "testdata/cases/gate")
	verdicts := runProgram(t, "retro-score", signals, "--tee")
	guarded := runProgram(t, "retro-scan", "", samples)
	everything := runProgram(t, "retro-score", guarded, "--tee")
	for _, tt := range []struct{ program, lines string }{
		{"retro-scan", signals},
		{"retro-score", runProgram(t, "retro-score", signals)},
		{"retro-episode", runProgram(t, "retro-episode", verdicts)},
		{"retro-episode", runProgram(t, "retro-episode", verdicts, "--partial")},
		{"retro-episode", runProgram(t, "retro-episode", everything)},
		{"retro-episode", runProgram(t, "retro-episode", guarded, "metrics")},
	} {
		schema := compiledSchema(t, tt.program)
		lines := strings.Split(strings.TrimSpace(tt.lines), "\n")
		if len(lines) < 1 || lines[0] == "" {
			t.Errorf("%s wrote nothing", tt.program)
		}
		for n, line := range lines {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s, line %d: %v\n%s", tt.program, n+1, err, line)
				break
			}
		}
	}
}

func compiledSchema(t *testing.T, program string) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(runProgram(t, program, "", "--schema")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(program+".json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(program + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
