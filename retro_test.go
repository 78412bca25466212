package retro

import (
	"embed"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"retro/pkg/cli"
	"retro/pkg/cli/episode"
	"retro/pkg/cli/leftovers"
	"retro/pkg/cli/render"
	"retro/pkg/cli/scan"
	"retro/pkg/cli/score"
	"retro/pkg/detect"
)

//go:embed cmd/*/main.go
var mains embed.FS

var update = flag.Bool("update", false, "rewrite the scripts' expectations from what the programs print")

// programs makes the five binaries as the scripts run them.
func programs() []cli.Program {
	manual := func(name string) string {
		text, err := mains.ReadFile("cmd/" + name + "/main.go")
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	return []cli.Program{
		scan.Program(manual("retro-scan")),
		score.Program(manual("retro-score")),
		episode.Program(manual("retro-episode")),
		render.Program(manual("retro-render")),
		leftovers.Program(manual("retro-leftovers")),
	}
}

func TestMain(m *testing.M) {
	commands := make(map[string]func())
	for _, p := range programs() {
		commands[p.Name] = func() { cli.Main(p) }
	}
	testscript.Main(m, commands)
}

// TestScripts runs every script of testdata/scripts: one for each behaviour
// that a user can see.
func TestScripts(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("TZ", "UTC")
			return nil
		},
	})
}

// condition tells the scripts what else is on the machine.
func condition(name string) (bool, error) {
	switch name {
	case "gnu-parallel": // there is another program of that name
		version, err := exec.Command("parallel", "--version").Output()
		return err == nil && strings.HasPrefix(string(version), "GNU parallel"), nil
	}
	return false, fmt.Errorf("no such condition: %s", name)
}

// TestDetectorScripts wants a script of its own for every detector.
func TestDetectorScripts(t *testing.T) {
	for _, d := range detect.Detectors() {
		if d.Doc == "" || !strings.HasSuffix(d.Doc, ".") {
			t.Errorf("detector %s: its doc is no sentence", d.Name)
		}
		found := false
		for _, script := range []string{d.Name, "detect-" + d.Name} {
			_, err := os.Stat("testdata/scripts/" + script + ".txtar")
			found = found || err == nil
		}
		if !found {
			t.Errorf("detector %s has no script testdata/scripts/detect-%s.txtar", d.Name, d.Name)
		}
	}
}

// layers gives each package its height. A package imports only lower ones.
var layers = map[string]int{
	"ndjson": 0, "redact": 0, "shell": 0, "phrase": 0, "wording": 0,
	"record": 1, "profile": 1,
	"transcript": 2, "rules": 2, "predicate": 2, "store": 2, "repo": 2, "trial": 2,
	"detect": 3, "guard": 3, "score": 3, "episode": 3, "instruct": 3, "corpus": 3, "report": 3,
	"cli":      4,
	"cli/scan": 5, "cli/score": 5, "cli/episode": 5, "cli/render": 5, "cli/leftovers": 5,
}

func TestLayers(t *testing.T) {
	for name, files := range packages(t) {
		height, known := layers[name]
		if !known {
			t.Errorf("pkg/%s has no layer", name)
		}
		for _, file := range files {
			for _, imported := range importsOf(t, file) {
				below, ours := strings.CutPrefix(imported, "retro/pkg/")
				if ours && layers[below] >= height {
					t.Errorf("%s imports pkg/%s, which is not below it", file, below)
				}
			}
		}
	}
}

func TestRestrictedImports(t *testing.T) {
	owners := map[string]func(pkg string) bool{
		"github.com/json-iterator/go": func(pkg string) bool { return pkg == "ndjson" },
		"encoding/json":               func(string) bool { return false },
		"github.com/alecthomas/kong":  func(pkg string) bool { return strings.HasPrefix(pkg, "cli") },
	}
	for name, files := range packages(t) {
		for _, file := range files {
			for _, imported := range importsOf(t, file) {
				if allowed := owners[imported]; allowed != nil && !allowed(name) {
					t.Errorf("%s must not import %s", file, imported)
				}
			}
		}
	}
}

func TestOnePackageCommentEach(t *testing.T) {
	for name, files := range packages(t) {
		comments := 0
		for _, file := range files {
			if parse(t, file, parser.PackageClauseOnly|parser.ParseComments).Doc != nil {
				comments++
			}
		}
		if comments != 1 {
			t.Errorf("pkg/%s has %d package comments, want 1", name, comments)
		}
	}
}

// packages lists the files of each package without its tests.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out := make(map[string][]string)
	err := filepath.WalkDir("pkg", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "testdata" {
				return fs.SkipDir
			}
			return err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "pkg/")
			out[name] = append(out[name], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	var out []string
	for _, spec := range parse(t, file, parser.ImportsOnly).Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

func parse(t *testing.T, file string, mode parser.Mode) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
