package predicate

import (
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"retro/pkg/shell"
)

// Dependency is an addition of a dependency: by a command, then with the
// program that adds it, or by the edit of a manifest, then with its path as
// written.
type Dependency struct{ Program, Manifest string }

// Dependencies are the additions of a call: one for every simple command that
// adds, or one for the edit of a manifest. What only installs what the project
// asks for already (npm ci, uv sync, a bare npm install, pip install -r, a
// local path) adds nothing, and neither do tools for the machine (apt, brew,
// pipx, uv tool). Rules specification, new-dependency, with its mended
// predicate.
func Dependencies(c *Call) []Dependency {
	var out []Dependency
	for _, cmd := range installers(c) {
		if program := addedBy(&cmd); program != "" {
			out = append(out, Dependency{Program: program})
		}
	}
	if c.IsEdit() && addsToManifest(c) {
		out = append(out, Dependency{Manifest: c.Path})
	}
	return out
}

// IsInstall tells whether the call could add a dependency: it runs a package
// manager's installing command, or edits a manifest. It is the denominator of
// the rule's rate.
func IsInstall(c *Call) bool {
	for _, cmd := range installers(c) {
		if _, found := installs(&cmd); found {
			return true
		}
	}
	return c.IsEdit() && isManifest(c.Path)
}

// installers are the commands of a call when a package manager and one of the
// verbs are among the words of its line. Nearly no line has both, and is spared
// the parser, which was a third of the time of a scan that measures rules.
func installers(c *Call) []shell.Command {
	if !c.IsShell() {
		return nil
	}
	if !c.looked {
		c.looked, c.mayInstall = true, mayInstall(c.line())
	}
	if !c.mayInstall {
		return nil
	}
	return c.Commands()
}

func mayInstall(line string) bool {
	manager, verb := false, false
	verbs := installVerbs()
	for word := range lineWords(line) {
		_, known := managers[string(word)]
		manager = manager || known
		verb = verb || verbs[string(word)]
		if manager && verb || string(word) == "cpanm" {
			return true
		}
	}
	return false
}

// installVerbs are the words of all verbs. Most hooks need them not, so they are
// no part of the start.
var installVerbs = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, m := range managers {
		for _, verb := range m.verbs {
			for word := range strings.FieldsSeq(verb) {
				out[word] = true
			}
		}
	}
	return out
})

// lineWords are the words of a shell line as far as a program, a sub-command or
// an element of a path is one: quotes and backslashes stand inside them, as for
// the shell. Words are valid until the next.
func lineWords(line string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var word [64]byte
		n := 0
		for i := 0; i <= len(line); i++ {
			switch {
			case i < len(line) && isLineWord(line[i]):
				word[min(n, len(word)-1)] = line[i]
				n++
			case i < len(line) && (line[i] == '\'' || line[i] == '"' || line[i] == '\\'):
			case n > 0:
				if !yield(word[:min(n, len(word))]) {
					return
				}
				n = 0
			}
		}
	}
}

func isLineWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '+'
}

// manager is what is known of a package manager's command line.
type manager struct {
	// verbs are the word sequences that add packages; `*` is any one word.
	verbs []string
	// valued are the options that take the next word.
	valued string
	// local tells of an operand of a verb that it is no package from elsewhere;
	// nil for the common forms alone.
	local func(verb, operand string) bool
}

// managers are the package managers, by program.
var managers = map[string]manager{
	"npm":  {verbs: []string{"install", "i", "in", "ins", "add"}, valued: "--prefix -C -w --workspace --registry --cache --userconfig --tag --loglevel --omit --include --before --save-prefix"},
	"pnpm": {verbs: []string{"add", "install", "i"}, valued: "--prefix -C --dir --filter -F --registry --reporter --loglevel --store-dir --save-prefix"},
	"yarn": {verbs: []string{"add", "global add", "workspace * add"}, valued: "--cwd --registry --cache-folder --modules-folder"},
	"bun":  {verbs: []string{"add", "install", "i", "a"}, valued: "--cwd --filter --registry --cache-dir --config -c"},
	"deno": {verbs: []string{"add", "install", "i"}, valued: "--config -c --lock --root --name -n"},
	"expo": {verbs: []string{"install"}},
	"ng":   {verbs: []string{"add"}},
	"jsr":  {verbs: []string{"add", "install", "i"}},

	"pip":        pip,
	"pip3":       pip,
	"uv":         {verbs: []string{"add", "pip install"}, valued: pip.valued + " --project --directory --python -p --extra --group --optional --index --package --script --requirements --tag --branch --rev", local: localPython},
	"poetry":     {verbs: []string{"add"}, valued: "-G --group -E --extras -C --directory -P --project --source --python --platform", local: localPython},
	"pdm":        {verbs: []string{"add"}, valued: "-G --group -p --project -L --lockfile", local: localPython},
	"pipenv":     {verbs: []string{"install"}, valued: "-r --requirements -i --index --python --categories", local: localPython},
	"rye":        {verbs: []string{"add"}, valued: "--features --git --rev --tag --branch --path"},
	"pixi":       {verbs: []string{"add"}, valued: "--manifest-path --feature -f --platform -p"},
	"conda":      conda,
	"mamba":      conda,
	"micromamba": conda,

	"cargo": {verbs: []string{"add", "install"}, valued: "-F --features --manifest-path -p --package --rename --git --branch --tag --rev --registry --version --vers --target --root --bin --example --profile -j --jobs --index --config --target-dir --color", local: localCrate},
	"go":    {verbs: []string{"get", "install"}, valued: "-C -modfile -mod -tags -ldflags -gcflags -p -o", local: localModule},

	"composer": {verbs: []string{"require", "global require"}, valued: "-d --working-dir"},
	"bundle":   {verbs: []string{"add"}, valued: "-v --version -g --group -s --source --git --github --branch --ref --path --require"},
	"gem":      {verbs: []string{"install", "i"}, valued: "-v --version -i --install-dir -n --bindir -s --source -P --trust-policy"},
	"pod":      {verbs: []string{"add"}},
	"dotnet":   {verbs: []string{"add package", "add * package", "package add"}, valued: "-v --version -f --framework -s --source --package-directory --project"},
	"nuget":    {verbs: []string{"install"}, valued: "-Version -Source -OutputDirectory"},
	"paket":    {verbs: []string{"add"}, valued: "-V --version -p --project -g --group"},
	"flutter":  {verbs: []string{"pub add"}, valued: "-C --directory --path --git-url --git-ref --git-path --hosted-url --sdk"},
	"dart":     {verbs: []string{"pub add"}, valued: "-C --directory --path --git-url --git-ref --git-path --hosted-url --sdk"},
	"swift":    {verbs: []string{"package add-dependency"}, valued: "--package-path --from --exact --branch --revision"},
	"vcpkg":    {verbs: []string{"install", "add port"}, valued: "--triplet --host-triplet --x-manifest-root"},
	"luarocks": {verbs: []string{"install"}, valued: "--tree --server --lua-version"},
	"nimble":   {verbs: []string{"install", "add"}},
	"opam":     {verbs: []string{"install"}, valued: "--switch --jobs -j"},
	"cabal":    {verbs: []string{"install"}},
	"cpanm":    {verbs: []string{""}, valued: "-l -L --local-lib --local-lib-contained --mirror"},
	"elm":      {verbs: []string{"install"}},
	"gleam":    {verbs: []string{"add"}},
	"spago":    {verbs: []string{"install"}},
}

var (
	pip = manager{
		verbs: []string{"install"},
		valued: "-r --requirement -c --constraint -t --target -i --index-url --extra-index-url -f --find-links --prefix --root --src" +
			" --platform --python-version --implementation --abi --progress-bar --cache-dir --log --proxy --timeout --retries" +
			" --trusted-host --upgrade-strategy --no-binary --only-binary --config-settings",
		local: localPython,
	}
	conda = manager{verbs: []string{"install"}, valued: "-n --name -p --prefix -c --channel --file -f --revision"}
)

// runners start a program of a package by its name: `npx expo install x`.
var runners = map[string]bool{"npx": true, "bunx": true, "pnpx": true}

// addedBy is the package manager by which a command adds a package, or empty.
func addedBy(cmd *shell.Command) string {
	in, found := installs(cmd)
	if !found || cmd.Has("--dry-run", "--help", "-h", "--path") {
		return ""
	}
	local := managers[in.program].local
	for _, w := range in.operands {
		if isPackage(w) && (local == nil || !local(in.verb, w.Text)) {
			return in.program
		}
	}
	return ""
}

// install is a package manager's installing command taken apart.
type install struct {
	program, verb string
	operands      []shell.Word // behind the verb
}

// installs tells whether a command runs a package manager's installing verb.
func installs(cmd *shell.Command) (install, bool) {
	if cmd.Guessed {
		return install{}, false
	}
	program, cmd := managerOf(cmd)
	m, known := managers[program]
	if !known {
		return install{}, false
	}
	operands := cmd.Operands(func(option string) bool { return slices.Contains(strings.Fields(m.valued), option) })
	if program == "cargo" && len(operands) > 0 && strings.HasPrefix(operands[0].Text, "+") {
		operands = operands[1:] // the toolchain
	}
	for _, verb := range m.verbs {
		if rest, ok := afterVerb(operands, strings.Fields(verb)); ok {
			return install{program, verb, rest}, true
		}
	}
	return install{}, false
}

// managerOf looks through what starts a package manager: `python -m pip` and
// `npx expo`.
func managerOf(cmd *shell.Command) (string, *shell.Command) {
	program := cmd.Program()
	inner := *cmd
	switch {
	case runners[program] && len(cmd.Args) > 1:
		inner.Args = cmd.Args[1:]
		for len(inner.Args) > 1 && strings.HasPrefix(inner.Args[0].Text, "-") {
			inner.Args = inner.Args[1:]
		}
		name, _, _ := strings.Cut(inner.Args[0].Text, "@")
		return name, &inner
	case isPython(program):
		for i := 1; i+1 < len(cmd.Args) && strings.HasPrefix(cmd.Args[i].Text, "-"); i++ {
			if cmd.Args[i].Text == "-m" {
				inner.Args = cmd.Args[i+1:]
				return inner.Args[0].Text, &inner
			}
		}
	}
	return program, cmd
}

func isPython(program string) bool {
	version, found := strings.CutPrefix(program, "python")
	return program == "py" || found && strings.Trim(version, "0123456789.") == ""
}

// afterVerb matches the verb's words and gives the operands behind them.
func afterVerb(operands []shell.Word, verb []string) ([]shell.Word, bool) {
	if len(operands) < len(verb) {
		return nil, false
	}
	for i, want := range verb {
		if w := operands[i]; w.Dynamic || want != "*" && w.Text != want {
			return nil, false
		}
	}
	return operands[len(verb):], true
}

// toolchain are the package managers themselves and what Python builds with:
// bringing those up to date adds nothing to a project.
var toolchain = map[string]bool{"pip": true, "setuptools": true, "wheel": true, "npm": true, "pnpm": true, "yarn": true, "corepack": true, "bundler": true}

// isPackage tells whether an operand can name a package from elsewhere.
func isPackage(w shell.Word) bool {
	s := w.Text
	name, _, _ := strings.Cut(s, "@")
	switch {
	case s == "", w.Dynamic && s[0] == '$', toolchain[name]:
		return false
	case s[0] == '.', s[0] == '/', s[0] == '~', s[0] == '-', hasDrive(s):
		return false
	case strings.Contains(s, "file:"), strings.Contains(s, "link:"), strings.Contains(s, "workspace:"), strings.Contains(s, "portal:"):
		return false
	case strings.HasSuffix(s, "="): // `x==` asks pip for the list of versions
		return false
	}
	return strings.Contains(s, "://") || !isFileName(s)
}

// isFileName tells whether an operand is a file: a list of requirements or a
// built package.
func isFileName(s string) bool {
	for _, suffix := range []string{".txt", ".in", ".lock", ".whl", ".tgz", ".tar.gz", ".zip", ".gem", ".crate", ".nupkg", ".rockspec", ".opam", ".cabal"} {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// localPython: a path with a slash in it is a directory unless it is a URL.
func localPython(_, operand string) bool {
	return strings.ContainsAny(operand, `/\`) && !strings.ContainsAny(operand, ":@")
}

func localCrate(_, operand string) bool { return strings.Contains(operand, "/") }

// localModule: `go install` without a version builds what is there, `@none`
// takes a module away, and a path whose first element has no dot is a set of
// packages or of the standard library.
func localModule(verb, operand string) bool {
	modulePath, version, _ := strings.Cut(operand, "@")
	host, _, _ := strings.Cut(modulePath, "/")
	return version == "none" || !strings.Contains(host, ".") || verb == "install" && version == ""
}

// isManifest tells whether a file lists a project's dependencies.
func isManifest(file string) bool {
	switch path.Base(slashed(file)) {
	case "package.json", "requirements.txt", "pyproject.toml", "go.mod", "Cargo.toml", "composer.json", "Gemfile":
		return true
	}
	return false
}
