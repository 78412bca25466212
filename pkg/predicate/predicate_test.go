package predicate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/shell"
)

const root = "/w/p"

func project(files fstest.MapFS) *Project {
	if files == nil {
		return NewProject(root, nil, DefaultSettings())
	}
	return NewProject(root, files, DefaultSettings())
}

func bash(command string) *Call { return &Call{Tool: "Bash", Command: command, Dir: root} }

func edit(path string) *Call { return &Call{Tool: "Edit", Path: path, Dir: root} }

func TestNewCall(t *testing.T) {
	tests := []struct {
		tool, input string
		want        Call
	}{
		{"Edit", `{"file_path":"a.go","old_string":"x"}`, Call{Path: "a.go"}},
		{"NotebookEdit", `{"file_path":"","notebook_path":"n.ipynb"}`, Call{Path: "n.ipynb"}},
		{"Grep", `{"path":"src","pattern":"x"}`, Call{Path: "src"}},
		{"Bash", `{"command":"a \"b\"","description":"run it"}`, Call{Command: `a "b"`}},
		{"Bash", `{"command":["a","b"]}`, Call{}},
		{"Skill", `{"skill":"x:y"}`, Call{Skill: "x:y"}},
		{"Skill", `{"skill_name":"x:y"}`, Call{Skill: "x:y"}},
		{"Task", `{"subagent_type":"t","description":"d"}`, Call{Agent: "t"}},
		{"Agent", `{"description":"d"}`, Call{Agent: "d"}},
		{"Edit", `[1]`, Call{}},
		{"Edit", `{"file_path":`, Call{}},
		{"Edit", ``, Call{}},
	}
	for _, test := range tests {
		c := NewCall(test.tool, ndjson.Raw(test.input), "/d")
		got := Call{Path: c.Path, Command: c.Command, Skill: c.Skill, Agent: c.Agent}
		if fmt.Sprint(got) != fmt.Sprint(test.want) || c.Dir != "/d" || c.Tool != test.tool {
			t.Errorf("%s %s: got %+v", test.tool, test.input, c)
		}
	}
}

func TestPath(t *testing.T) {
	tests := []struct{ dir, path, want string }{
		{"", "/w/p/lib/x.go", "lib/x.go"},
		{"", `lib\x.go`, "lib/x.go"},
		{"/w/p/sub", "../lib/x.go", "lib/x.go"},
		{"", "../q/x.go", "external"},
		{"", "E:/home/me/x", "external"},
		{"", `\\host\share\x`, "external"},
		{"", "/var/log/syslog", "external"},
		{"", "/w/pq/x.go", "external"},
		{"", "/w/p/../q/x", "external"},
		{"", "  ", "external"},
		{"", "/w/p", "."},
		{"/tmp", "x.go", "external"},
		{"", "/w/p/.claude/worktrees/t1/lib/x.go", "lib/x.go"},
		{"", "/w/p/.claude/worktrees/t1", "external"},
		{"", "/w/p.wt/t1/lib/x.go", "lib/x.go"},
		{"", "/w/.wt/t1/p/lib/x.go", "lib/x.go"},
		{"", "/w/.wt/t1/q/lib/x.go", "external"},
		{"", "/w/p/.claude/settings.json", ".claude/settings.json"},
		{"", strings.Repeat("a/", 450) + "b", strings.Repeat("a/", 150)},
	}
	for _, test := range tests {
		if got := project(nil).Path(test.dir, test.path).String(); got != test.want {
			t.Errorf("Path(%q, %q) = %q, want %q", test.dir, test.path, got, test.want)
		}
	}
	for path, want := range map[string]string{"lib/x.go": "lib/x.go", "/w/p/lib/x.go": "external", "../x": "external"} {
		if got := NewProject("", nil, DefaultSettings()).Path("", path).String(); got != want {
			t.Errorf("without a root: Path(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestPathFollowsLinks(t *testing.T) {
	real, outside := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	for _, err := range []error{
		os.Symlink(real, link),
		os.Mkdir(filepath.Join(real, "lib"), 0o700),
		os.Symlink(outside, filepath.Join(real, "lib", "out")),
	} {
		if err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	p := NewProject(link, os.DirFS(link), DefaultSettings())
	for path, want := range map[string]string{
		"lib/out/f":                       "external",
		"lib/new/f":                       "lib/new/f",
		filepath.Join(link, "lib/f"):      "lib/f",
		filepath.Join(real, "lib/f"):      "lib/f",
		filepath.Join(outside, "f"):       "external",
		filepath.Join(real, "lib/out/g"):  "external",
		filepath.Join(real, "..", "else"): "external",
	} {
		if got := p.Path("", path).String(); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestDependencies(t *testing.T) {
	tests := []struct{ command, want string }{
		{"bun add zod", "bun"},
		{"npm ci", ""},
		{"yarn", ""},
		{"pip install -r r.txt", ""},
		{"pip install -r r.txt rich", "pip"},
		{"uv pip install httpx", "uv"},
		{"uv sync", ""},
		{"composer require a/b", "composer"},
		{"poetry add x", "poetry"},
		{"cd web && npm install zod", "npm"},
		{"npm install && npm test", ""},
		{"pip install -e ./lib", ""},
		{"git commit -m 'npm install zod'", ""},

		{"npm install --prefix web", ""},
		{"npm --prefix web i -D zod", "npm"},
		{"npm i -w web zod", "npm"},
		{"npm install ./local ../other /abs/x file:../y lib@file:../z", ""},
		{"npm install -g npm@10", ""},
		{"npm i -g typescript", "npm"},
		{"npm i @scope/pkg@1", "npm"},
		{"npm install dist/x.tgz", ""},
		{"npm install https://example.com/x.tgz", "npm"},
		{"npm install zod --dry-run", ""},
		{"npm run add zod", ""},
		{"npm uninstall zod", ""},
		{"pnpm --filter web add zod", "pnpm"},
		{"pnpm add -w zod", "pnpm"},
		{"pnpm install --frozen-lockfile", ""},
		{"yarn workspace web add zod", "yarn"},
		{"yarn global add zod", "yarn"},
		{"yarn install", ""},
		{"deno add npm:zod", "deno"},
		{"npx expo install expo-camera", "expo"},
		{"npx -y jsr@latest add @std/x", "jsr"},
		{"npx create-react-app zod", ""},
		{"ng add @angular/material", "ng"},
		{"sudo npm i zod", "npm"},
		{"CI=1 npm i zod", "npm"},
		{"bash -c 'npm i zod'", "npm"},
		{"echo npm i zod", ""},
		{"cat <<EOF\nnpm i zod\nEOF", ""},
		{`grep -r "npm install zod" .`, ""},
		{`npm i "$PKG"`, ""},
		{`npm i zod@$VERSION`, "npm"},
		{"npm i zod; pip install rich", "npm pip"},
		{"npm i zod && npm i left-pad", "npm npm"},

		{"python -m pip install rich", "pip"},
		{"python3.12 -m pip install rich", "pip"},
		{"python -u -m pip install -U pip setuptools wheel", ""},
		{"python setup.py install x", ""},
		{"pip3 install --target lib -t lib rich", "pip3"},
		{"pip install --target lib", ""},
		{"pip install .[dev]", ""},
		{"pip install -e '.[dev]'", ""},
		{"pip install -e git+https://example.com/x.git", "pip"},
		{"pip install dist/x-1.0-py3-none-any.whl", ""},
		{"pip install packages/core", ""},
		{"pip install 'rich>=13,<14'", "pip"},
		{"pip3 install --dry-run mcp==2.0.0", ""},
		{"pip index versions x || pip install x== 2>&1 | head -1", ""},
		{"pip download rich", ""},
		{"uv tool install ruff", ""},
		{"pipx install ruff", ""},
		{"uv add --dev pytest", "uv"},
		{"uv add --group dev", ""},
		{"poetry -C api add x", "poetry"},
		{"poetry install", ""},
		{"poetry self add x", ""},
		{"pdm add -dG test pytest", "pdm"},
		{"pipenv install", ""},
		{"pipenv install rich", "pipenv"},
		{"conda install -c conda-forge numpy", "conda"},
		{"conda install --file r.txt", ""},

		{"cargo add serde --features derive", "cargo"},
		{"cargo add core --path ../core", ""},
		{"cargo install --path .", ""},
		{"cargo +nightly install ripgrep", "cargo"},
		{"cargo build", ""},
		{"go get ./...", ""},
		{"go get github.com/creack/pty", "go"},
		{"go get -u", ""},
		{"go get example.com/x@none", ""},
		{"go install ./cmd/x", ""},
		{"go install example.com/p/cmd/x", ""},
		{"go install golang.org/x/tools/gopls@latest", "go"},
		{"go mod tidy", ""},

		{"composer install", ""},
		{"bundle add rails", "bundle"},
		{"bundle install", ""},
		{"gem install rails -v 7", "gem"},
		{"gem install ./x.gem", ""},
		{"gem install bundler", ""},
		{"dotnet add package Serilog", "dotnet"},
		{"dotnet add src/A.csproj package Serilog", "dotnet"},
		{"dotnet add reference ../B.csproj", ""},
		{"dotnet tool install x", ""},
		{"flutter pub add http", "flutter"},
		{"dart pub get", ""},
		{"cpanm Moo", "cpanm"},
		{"cpanm --installdeps .", ""},
		{"brew install jq", ""},
		{"sudo apt-get install -y jq", ""},
		{"npm i zod )", ""},
	}
	for _, test := range tests {
		var got []string
		for _, d := range Dependencies(bash(test.command)) {
			got = append(got, d.Program)
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%q: got %q, want %q", test.command, g, test.want)
		}
	}
}

func TestManifestEdits(t *testing.T) {
	edited := func(old, fresh string) string {
		b, _ := ndjson.Marshal(map[string]string{"old_string": old, "new_string": fresh})
		return string(b)
	}
	tests := []struct {
		name, path, input string
		want              bool
	}{
		{"without its text", "/w/p/svc/go.mod", "", true},
		{"another name", "requirements-dev.txt", "", false},
		{"a name in another case", "cargo.toml", "", false},
		{"whole file", "go.mod", `{"content":"module x\n\nrequire example.com/y v1.2.3\n"}`, true},
		{"whole file without any", "go.mod", `{"content":"module x\n\ngo 1.26\n"}`, false},
		{"several edits", "go.mod", `{"edits":[{"old_string":"a","new_string":"b"},{"old_string":")","new_string":"\texample.com/y v1.2.3\n)"}]}`, true},

		{"npm", "package.json", edited(`"a": "^1"`, `"a": "^1", "zod": "~3.2"`), true},
		{"npm scope", "package.json", edited(``, `"@types/node": "20.1.0"`), true},
		{"npm script", "package.json", edited(`"test": "x"`, `"test": "vitest run", "dev": "next dev"`), false},
		{"npm version", "package.json", edited(`"version": "1.0.0"`, `"version": "1.1.0"`), false},
		{"npm other range", "package.json", edited(`"zod": "^3"`, `"zod": "^4"`), false},
		{"npm workspace", "package.json", edited(``, `"core": "workspace:*"`), false},
		{"npm removal", "package.json", edited(`"zod": "^3"`, ``), false},
		{"composer", "composer.json", edited(``, `"monolog/monolog": "^3.0"`), true},
		{"composer version", "composer.json", edited(``, `"version": "3.0"`), false},
		{"pip", "requirements.txt", edited("rich==1\n", "rich==1\nhttpx\n"), true},
		{"pip other range", "requirements.txt", edited("rich==1\n", "rich>=2 # c\n"), false},
		{"pip option", "requirements.txt", edited("", "-r base.txt\n# httpx\n"), false},
		{"go", "go.mod", edited(")", "\tgithub.com/x/y v1.0.0\n)"), true},
		{"go indirect", "go.mod", edited(")", "\tgithub.com/x/y v1.0.0 // indirect\n)"), false},
		{"go replace", "go.mod", edited("", "replace github.com/x/y => ../y"), false},
		{"go other version", "go.mod", edited("github.com/x/y v1.0.0", "github.com/x/y v1.1.0"), false},
		{"gem", "Gemfile", edited("", "  gem 'rails', '~> 7'\n"), true},
		{"gem path", "Gemfile", edited("", "gem 'core', path: 'core'\n"), false},
		{"cargo", "Cargo.toml", edited("", `serde = "1"`), true},
		{"cargo table", "Cargo.toml", edited("", "[dev-dependencies.serde]\nversion = \"1\""), true},
		{"cargo inline", "Cargo.toml", edited("", `serde = { version = "1", features = ["derive"] }`), true},
		{"cargo path", "Cargo.toml", edited("", `core = { path = "../core" }`), false},
		{"cargo version", "Cargo.toml", edited(`version = "0.1.0"`, `version = "0.2.0"`), false},
		{"python", "pyproject.toml", edited("", "    \"httpx>=0.27\",\n"), true},
		{"python bare", "pyproject.toml", edited("dependencies = [\"a\"]", "dependencies = [\"a\", \"httpx\"]"), true},
		{"python other range", "pyproject.toml", edited(`    "mcp>=1.0.0,<2",`, `    "mcp>=2.0.0,<3",`), false},
		{"python version", "pyproject.toml", edited(`version = "0.14.0"`, `version = "0.16.0"`), false},
		{"python classifiers", "pyproject.toml", edited("", "keywords = [\"cli\"]\n    \"Programming Language :: Python :: 3.13\",\n"), false},
		{"poetry", "pyproject.toml", edited("", `httpx = "^0.27"`), true},
		{"line length", "pyproject.toml", edited("", `line-length = 100`), false},
	}
	for _, test := range tests {
		c := &Call{Tool: "Edit", Path: test.path, Input: ndjson.Raw(test.input)}
		if got := len(Dependencies(c)) == 1; got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		if c.Tool = "Read"; len(Dependencies(c)) != 0 {
			t.Errorf("%s: a Read adds", test.name)
		}
	}
}

func TestIsInstall(t *testing.T) {
	for command, want := range map[string]bool{"npm install": true, "npm ci": false, "pip install -r r.txt": true, "echo npm install": false} {
		if got := IsInstall(bash(command)); got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	}
	if !IsInstall(edit("package.json")) || IsInstall(edit("a.go")) {
		t.Error("edits: want the manifest alone")
	}
}

func TestGraphAccess(t *testing.T) {
	tests := []struct {
		call *Call
		want GraphAccess
	}{
		{&Call{Tool: "mcp__code-graph__search"}, ToolAccess},
		{&Call{Tool: "mcp__code-graph2__search"}, NoAccess},
		{bash("sqlite3 .code-graph/graph.db .schema"), SQLiteAccess},
		{bash("cd /w/p/.code-graph && sqlite3 graph.db .schema"), SQLiteAccess},
		{bash(`python3 -c "import sqlite3; sqlite3.connect('.code-graph/graph.db')"`), SQLiteAccess},
		{bash("sqlite3 other.db"), NoAccess},
		{bash("ls .code-graph"), NoAccess},
		{&Call{Tool: "Grep", Path: ".code-graph"}, NoAccess},
	}
	for _, test := range tests {
		if got := project(nil).GraphAccess(test.call); got != test.want {
			t.Errorf("%+v: got %v, want %v", test.call, got, test.want)
		}
	}
}

func TestSearches(t *testing.T) {
	tests := []struct {
		call *Call
		want bool
	}{
		{&Call{Tool: "Grep"}, true},
		{&Call{Tool: "Glob", Path: "src", Dir: root}, true},
		{&Call{Tool: "Grep", Path: "/w/p/.claude/worktrees/t/src"}, true},
		{&Call{Tool: "Grep", Path: "/home/me/go/pkg/mod/example.com/x@v1"}, false},
		{&Call{Tool: "Read", Path: "src/a.ts", Dir: root}, false},
		{bash("grep -rn foo ."), false},
	}
	for _, test := range tests {
		if got := project(nil).Searches(test.call); got != test.want {
			t.Errorf("%s %q: got %v", test.call.Tool, test.call.Path, got)
		}
	}
}

func TestTouchesOpenSpec(t *testing.T) {
	tests := []struct {
		call *Call
		want bool
	}{
		{edit("openspec/changes/n/proposal.md"), true},
		{&Call{Tool: "Write", Path: "/w/p/openspec/changes/n/tasks.md"}, true},
		{&Call{Tool: "Read", Path: "/w/p/openspec/changes/n/tasks.md"}, false},
		{edit("openspec/specs/x.md"), false},
		{edit("openspec/changes-old/x.md"), false},
		{edit("/tmp/openspec/changes/x.md"), false},
		{bash("ls openspec/changes"), true},
		{bash("ls /w/p/openspec/changes/"), true},
		{bash("cd openspec && mkdir changes/n"), true},
		{bash("cd openspec/changes && ls"), true},
		{bash("echo x > openspec/changes/n/tasks.md"), true},
		{bash("tool --out=openspec/changes/n"), true},
		{bash(`cat "$ROOT/openspec/changes/n/tasks.md"`), true},
		{bash("openspec new change n"), true},
		{bash(`git commit -m "touch openspec/changes in prose"`), false},
		{bash("ls openspec"), false},
		{&Call{Tool: "PowerShell", Command: `type openspec\changes\n\tasks.md`, Dir: root}, true},
		{&Call{Tool: "Skill", Skill: "opsx:propose"}, true},
		{&Call{Tool: "Skill", Skill: "review"}, false},
	}
	for _, test := range tests {
		if got := project(nil).TouchesOpenSpec(test.call); got != test.want {
			t.Errorf("%s %q %q: got %v", test.call.Tool, test.call.Path, test.call.Command, got)
		}
	}
}

func TestEditedSource(t *testing.T) {
	for path, want := range map[string]bool{
		"lib/a.go": true, "/w/p/web/App.svelte": true, "README.md": false, "package.json": false, "/tmp/z.go": false,
		"openspec/changes/n/x.py": false, "openspecs/x.py": true, "Makefile": false, "A.PY": true,
	} {
		if _, got := project(nil).EditedSource(edit(path)); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
	if _, got := project(nil).EditedSource(&Call{Tool: "Read", Path: "lib/a.go"}); got {
		t.Error("a Read edits")
	}
}

func TestReviews(t *testing.T) {
	p := project(nil)
	tests := []struct {
		call *Call
		want bool
	}{
		{&Call{Tool: "Skill", Skill: "coograph-review"}, true},
		{&Call{Tool: "Skill", Skill: "coograph:coograph-Ultra-Review"}, true},
		{&Call{Tool: "Skill", Skill: "preview"}, false},
		{&Call{Tool: "Task", Agent: "coograph-verify"}, true},
		{&Call{Tool: "Agent", Agent: "review the parser"}, false},
		{&Call{Tool: "Read", Agent: "coograph-verify"}, false},
	}
	for _, test := range tests {
		if got := p.IsReview(test.call); got != test.want {
			t.Errorf("%+v: got %v", test.call, got)
		}
	}
	for prompt, want := range map[string]bool{
		"/coograph-verify": true, " /coograph:coograph-review now\n": true, "/code-review": true,
		"/clear": false, "coograph-review": false, "please /coograph-review": false, "/": false, "/coograph-reviewer": false,
	} {
		if got := p.ReviewPrompt(prompt); got != want {
			t.Errorf("%q: got %v, want %v", prompt, got, want)
		}
	}
}

func TestCommits(t *testing.T) {
	for command, want := range map[string]bool{
		"git commit -m x":                               true,
		"git add . && git commit -m x":                  true,
		"git -C sub commit -m x":                        true,
		"git -c user.name=a commit":                     true,
		"git --git-dir=x --work-tree y commit":          true,
		"git add .\ngit commit -am x":                   true,
		"sudo git commit":                               true,
		"/usr/bin/git commit --amend":                   true,
		"git commit -m \"$(cat <<'EOF'\nmessage\nEOF\n": true,
		"git commit-tree x":                             false,
		"git commit --dry-run":                          false,
		"git log --grep commit":                         false,
		"echo git commit":                               false,
		"git -C commit status":                          false,
		"git help commit":                               false,
		"git":                                           false,
	} {
		if got := Commits(bash(command)); got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	}
	if Commits(&Call{Tool: "Read", Command: "git commit"}) {
		t.Error("a Read commits")
	}
}

func TestBenignExit(t *testing.T) {
	tests := []struct {
		line  string
		code  int
		quiet bool
		want  bool
	}{
		{"grep foo x", 1, true, true},
		{"grep foo x", 2, true, false},
		{"grep foo x", 1, false, false},
		{"rg foo", 1, true, true},
		{"cd x && grep foo y", 1, true, true},
		{"diff a b", 1, true, true},
		{"test -f x", 1, true, true},
		{"[ -f x ]", 1, true, true},
		{"[[ -f x ]] && cat x", 1, true, true},
		{"git diff --quiet", 1, true, true},
		{"git grep foo", 1, true, true},
		{"git push", 1, true, false},
		{"command -v npm", 1, true, true},
		{"which npm", 1, true, true},
		{"make && grep foo log", 1, true, false},
		{"make; grep foo log", 1, true, true},
		{"grep foo log; make", 1, true, false},
		{"make | grep foo", 1, true, true},
		{"set -o pipefail; make | grep foo", 1, true, false},
		{"grep foo x | head", 1, true, false},
		{"grep foo x || make", 1, true, false},
		{"if grep foo x; then make; fi", 1, true, false},
		{"ls | xargs grep foo", 123, true, true},
		{"ls | xargs make", 123, true, false},
		{"bash -c 'grep foo x'", 1, true, true},
		{"bash run.sh", 1, true, false},
		{"bash run.sh && grep x y", 1, true, false},
		{"sudo grep foo x", 1, true, true},
		{"npm test", 1, true, false},
		{"cat x", 1, true, false},
		{"", 1, true, false},
		{"grep foo ) x", 1, true, false},
	}
	for _, test := range tests {
		if test.want && !MayBenignExit([]byte(test.line), test.code) {
			t.Errorf("the quick look at %q, %d says no", test.line, test.code)
		}
		if got := BenignExit(test.line, test.code, test.quiet); got != test.want {
			t.Errorf("BenignExit(%q, %d, %v) = %v", test.line, test.code, test.quiet, got)
		}
	}
}

func TestEditsGenerated(t *testing.T) {
	files := fstest.MapFS{
		"four.go":  {Data: []byte("a\nb\nc\n// DO NOT EDIT\n")},
		"six.go":   {Data: []byte("a\nb\nc\nd\ne\n// DO NOT EDIT\n")},
		"long.js":  {Data: []byte(strings.Repeat("x", 200<<10) + " @generated")},
		"plain.go": {Data: []byte("package x\n")},
	}
	tests := []struct{ path, want string }{
		{"out/a.js", "directory out"},
		{"web/dist/a.js", "directory dist"},
		{"api.gen.go", "filename .gen."},
		{"api.generated.ts", "filename .generated."},
		{"four.go", "header DO NOT EDIT"},
		{"six.go", ""},
		{"long.js", ""},
		{"plain.go", ""},
		{"missing.go", ""},
		{"outer/a.js", ""},
		{"out", ""},
		{"/srv/build/x.go", ""},
		{"/w/p/build/x.go", "directory build"},
	}
	for _, test := range tests {
		got := ""
		if g, found := project(files).EditsGenerated(edit(test.path)); found {
			got = g.Reason.String() + " " + g.Mark
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.path, got, test.want)
		}
	}
	if _, found := project(files).EditsGenerated(&Call{Tool: "Read", Path: "out/a.js"}); found {
		t.Error("a Read edits")
	}
}

func TestOutOfScope(t *testing.T) {
	tests := []struct {
		tasks, path string
		want        bool
	}{
		{"`lib/`", "lib/q/r.go", false},
		{"`lib`", "cmd/z.go", false}, // no path: neither a slash nor a known ending
		{"`lib/a.go`", "cmd/z.go", true},
		{"`lib/a.go`", "/w/p/lib/a.go", false},
		{"`./lib/a.go:12`", "lib/a.go", false},
		{"`lib/index.ts`", "web/index.ts", true},
		{"`index.ts`", "web/index.ts", false},
		{"`web/lib/a.go`", "lib/a.go", false},
		{"`a.go`", "web/lib/a.go", false},
		{"`pkg/shell`", "pkg/shell/word.go", false},
		{"`pkg/*_test.go`", "pkg/x_test.go", false},
		{"`pkg/**/*.go`", "pkg/a/b/x.go", false},
		{"`.github/x.yml`", ".github/x.yml", false},
		{"nothing named", "cmd/z.go", false},
		{"`make test` and `--flag/x` and `https://a/b`", "cmd/z.go", false},
		{"`lib/a.go`", "openspec/specs/x.md", false},
		{"`lib/a.go`", "/tmp/x.go", false},
	}
	for _, test := range tests {
		p := project(fstest.MapFS{"openspec/changes/n/tasks.md": {Data: []byte("- [ ] " + test.tasks)}})
		if _, change, got := p.OutOfScope(edit(test.path)); got != test.want || got && change != "n" {
			t.Errorf("tasks %s, edit %q: got %v %q", test.tasks, test.path, got, change)
		}
	}
}

func TestActiveChange(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"none", fstest.MapFS{"openspec/changes/archive/old/tasks.md": {}}, ""},
		{"newest tasks", fstest.MapFS{
			"openspec/changes/a/tasks.md": {ModTime: day(2)},
			"openspec/changes/b/tasks.md": {ModTime: day(1)},
			"openspec/changes/c/x.md":     {ModTime: day(9)},
		}, "a"},
		{"no tasks at all", fstest.MapFS{"openspec/changes/c/x.md": {ModTime: day(9)}}, "c"},
		{"a file is no change", fstest.MapFS{"openspec/changes/x.md": {}}, ""},
	}
	for _, test := range tests {
		got, found := project(test.files).ActiveChange()
		if got.Name != test.want || found != (test.want != "") {
			t.Errorf("%s: got %q %v, want %q", test.name, got.Name, found, test.want)
		}
	}
	if open := project(nil).OpenChanges(); open != nil {
		t.Errorf("without files: got %v", open)
	}
}

func TestHasGraph(t *testing.T) {
	if project(nil).HasGraph() || project(fstest.MapFS{}).HasGraph() {
		t.Error("a graph out of nothing")
	}
	if !project(fstest.MapFS{".code-graph/graph.db": {}}).HasGraph() {
		t.Error("no graph")
	}
}

const gotchas = `# Gotchas

## Proto files are generated
- **Symptom:** edits vanish
- **Cause:** make proto writes them
- **Fix / rule:** edit the .proto
- **paths:** ` + "`api/**`, `*.{pb.go,pb.ts}`, gen/" + `
- **commands:** ` + "`make proto`" + `
- **confirmed:** 2026-03-01

` + "```md\n## not an entry\n```" + `

## No cause
- **Symptom:** x
- **Fix:** y
- **paths:** ` + "`lib/**`" + `
- **confirmed:** yes

## Proto  files are generated!
- **Symptom:** x
- **Cause:** x
- **Fix / rule:** y
- **paths:** x
- **confirmed:** yes
`

func TestParseGotchas(t *testing.T) {
	got := ParseGotchas(gotchas)
	if len(got) != 3 {
		t.Fatalf("got %d entries, want 3", len(got))
	}
	first := got[0]
	if first.ID != "proto-files-are-generated" || len(first.Missing) != 0 ||
		strings.Join(first.Paths, " ") != "api/** *.{pb.go,pb.ts} gen/" || strings.Join(first.Commands, " ") != "make proto" {
		t.Errorf("first: got %+v", first)
	}
	if !strings.HasPrefix(first.Text, "## Proto files") || !strings.HasSuffix(first.Text, "```") {
		t.Errorf("first: text %q", first.Text)
	}
	if m := strings.Join(got[1].Missing, " "); m != "Cause" {
		t.Errorf("second: missing %q, want Cause", m)
	}
	if m := strings.Join(got[2].Missing, " "); m != "unique id" {
		t.Errorf("third: missing %q, want unique id", m)
	}
}

func TestGotchaApplies(t *testing.T) {
	entries := ParseGotchas(gotchas)
	tests := []struct {
		call *Call
		want string
	}{
		{edit("api/x.go"), "proto-files-are-generated"},
		{edit("/w/p/api/v1/x.go"), "proto-files-are-generated"},
		{edit("web/a.pb.ts"), "proto-files-are-generated"},
		{edit("gen/a/b.go"), "proto-files-are-generated"},
		{edit("lib/a.go"), ""},
		{edit("/tmp/api/x.go"), ""},
		{bash("cd api && make proto"), "proto-files-are-generated"},
		{bash("make prototype"), "proto-files-are-generated"},
		{bash("make"), ""},
		{&Call{Tool: "Read", Path: "api/x.go"}, ""},
	}
	for _, test := range tests {
		got := ""
		for _, g := range entries {
			if g.Applies(project(nil), test.call) {
				got += g.ID
			}
		}
		if got != test.want {
			t.Errorf("%q %q: got %q, want %q", test.call.Path, test.call.Command, got, test.want)
		}
	}
	broken := Gotcha{Paths: []string{"a[b"}}
	if !broken.MatchesPath("a[b") || broken.MatchesPath("ab") {
		t.Error("a broken pattern is not literal")
	}
}

func TestIsCodeRead(t *testing.T) {
	tests := []struct {
		call     *Call
		prefixes []string
		want     bool
	}{
		{&Call{Tool: "Read", Path: "/w/p/src/a.ts"}, nil, true},
		{&Call{Tool: "Read", Path: "/w/p/docs/a.md"}, nil, false},
		{&Call{Tool: "Read", Path: "/home/me/src/p/docs/a.md"}, nil, false},
		{&Call{Tool: "Grep", Path: "web/src", Dir: root}, nil, true},
		{&Call{Tool: "Grep"}, nil, false},
		{&Call{Tool: "Edit", Path: "src/a.ts"}, nil, false},
		{&Call{Tool: "Read", Path: "/gone/.claude/worktrees/t/src/a.ts"}, nil, true},
		{&Call{Tool: "Read", Path: "/gone/p.wt/t/pkg/a.go"}, []string{"pkg/"}, true},
		{&Call{Tool: "Read", Path: "/gone/.wt/t/p/pkg/a.go"}, []string{"pkg"}, true},
		{&Call{Tool: "Read", Path: "/w/p/pkgs/a.go"}, []string{"pkg"}, false},
		{bash("grep -rn foo src"), nil, true},
		{bash("cd web && cat src/a.ts | head"), nil, true},
		{bash("cd /elsewhere && cat src/a.ts"), nil, false},
		{bash("cat README.md > src/x"), nil, false},
		{bash("sed -n 1,5p src/a.ts"), nil, true},
		{bash("sed -i s/a/b/ src/a.ts"), nil, false},
		{bash("ls src"), nil, false},
		{bash("find . -path ./src -exec grep foo {} +"), nil, true},
		{bash("echo 'grep foo src'"), nil, false},
	}
	for _, test := range tests {
		if got := NewCodeReads(project(nil), test.prefixes).Is(test.call); got != test.want {
			t.Errorf("%s %q %q: got %v", test.call.Tool, test.call.Path, test.call.Command, got)
		}
	}
}

// TestMayReadCode holds the look before the parser against the answer behind it.
func TestMayReadCode(t *testing.T) {
	tests := []struct {
		dir, line string
		prefixes  []string
		want      bool // what the look says
	}{
		{"/w/p", "cat a.ts", nil, false},
		{"/w/p", "cat web/src/a.ts", nil, true},
		{"/w/p/src/x", "cat a.ts", nil, true},
		{"/home/me/src/p", "cd /home/me/src/p && cat a.ts", nil, false},
		{"/home/me/src/p", "cd /home/me/src/p && cat src/a.ts", nil, true},
		{"/home/me/src/p", "cat /home/me/src/p2/a.ts", nil, true},
		{"/home/me/src/p", "cd ../q && cat a.ts", nil, true},
		{"/home/me/src/p", "go test ./... | head", nil, false},
		{"/home/me/src/p", "git log main..HEAD | head", nil, true},
		{"/w/s", "cat /w/src/a.ts", nil, true},
		{"/w/p", "cd pkg && cat core/a.go", []string{"pkg/core/"}, true},
		{"/w/p", "cat cmd/a.go", []string{"pkg/core"}, false},
		{"", "cat src/a.ts", nil, true},
	}
	for _, tt := range tests {
		r := NewCodeReads(project(nil), tt.prefixes)
		got := r.May([]byte("Bash"), nil, []byte(tt.line), tt.dir)
		if got != tt.want {
			t.Errorf("in %s, %q: got %v", tt.dir, tt.line, got)
		}
		if r.Is(&Call{Tool: "Bash", Command: tt.line, Dir: tt.dir}) && !got {
			t.Errorf("in %s, %q reads code and is not looked at", tt.dir, tt.line)
		}
	}
}

func FuzzMayReadCode(f *testing.F) {
	f.Add("/home/me/src/p", "cd /home/me/src/p && cat src/a.ts", "src")
	f.Add("/w/p", "cd pkg && cat core/../core/a.go", "pkg/core")
	f.Fuzz(func(t *testing.T, dir, line, prefix string) {
		if strings.ContainsAny(line, "'\"\\") || strings.ContainsAny(prefix, "\\") {
			return // quotes within a name hide it: nobody writes s"rc"
		}
		r := NewCodeReads(project(nil), []string{prefix})
		if r.Is(&Call{Tool: "Bash", Command: line, Dir: dir}) && !r.May([]byte("Bash"), nil, []byte(line), dir) {
			t.Errorf("in %q, the line %q reads %q and is not looked at", dir, line, prefix)
		}
		if r.Is(&Call{Tool: "Read", Path: line, Dir: dir}) && !r.May([]byte("Read"), []byte(line), nil, dir) {
			t.Errorf("in %q, the path %q is in %q and is not looked at", dir, line, prefix)
		}
	})
}

func FuzzParseGotchas(f *testing.F) {
	f.Add(gotchas)
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range ParseGotchas(text) {
			if strings.Trim(g.ID, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || len(g.ID) > 80 {
				t.Errorf("id %q", g.ID)
			}
			g.MatchesPath("api/x.go")
		}
	})
}

func FuzzNewCall(f *testing.F) {
	f.Add("Edit", `{"file_path":"a","old_string":"x","new_string":"y"}`)
	f.Add("Bash", `{"command":"npm i zod"}`)
	f.Fuzz(func(t *testing.T, tool, input string) {
		c := NewCall(tool, ndjson.Raw(input), root)
		c.Path += "/package.json"
		Dependencies(c)
		project(nil).TouchesOpenSpec(c)
	})
}

// TestInstallersMissNothing holds the look at the words of a line against the
// parser, on lines that install in every way and on some that do not.
func TestInstallersMissNothing(t *testing.T) {
	lines := []string{"npm i zod", "cd web && npm install zod --save", "python3 -m pip install x", "npx expo@latest install x", "yarn workspace a add b",
		"dotnet add p package q", "swift package add-dependency u", `bash -c "pip install x"`, `'npm' "install" zod`, `\npm i zod`, `n"p"m i z`, "/usr/bin/npm i z",
		"cpanm X", "FOO=1 sudo -E npm i z", "uv pip install x", "cargo +nightly add x", "ls | xargs npm install", "go get example.com/x", "git add .", "go test ./...", "npm ci", ""}
	for _, line := range lines {
		checkInstallers(t, line)
	}
}

func checkInstallers(t *testing.T, line string) {
	t.Helper()
	c := bash(line)
	want := slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool { _, found := installs(&cmd); return found })
	if got := IsInstall(c); got != want {
		t.Errorf("%q installs: %v, want %v", line, got, want)
	}
	want = slices.ContainsFunc(c.Commands(), func(cmd shell.Command) bool { _, sub := gitSubcommand(&cmd); return sub == "commit" && !cmd.Guessed })
	if want && !hasLineWord(line, "commit") {
		t.Errorf("%q commits and is not looked at", line)
	}
}

func FuzzInstallers(f *testing.F) {
	for _, line := range []string{"npm i zod", `n"p"m in'stall' z`, "python3 -m pip install x", "git -C d commit -m x", "npx expo@1 install x"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.Contains(line, "$'") && len(line) < 60 {
			checkInstallers(t, line)
		}
	})
}
