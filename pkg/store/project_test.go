package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layout makes files and folders (names ending in /) below a fresh root and
// returns it without symbolic links.
func layout(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, path, strings.ReplaceAll(text, "ROOT", root))
	}
	return root
}

func TestFindProject(t *testing.T) {
	root := layout(t, map[string]string{
		"main/.git/HEAD":                        "ref: refs/heads/main\n",
		"main/.git/config":                      "[core]\n\tbare = false\n",
		"main/.git/worktrees/w/HEAD":            "x\n",
		"main/.git/worktrees/w/commondir":       "../..\n",
		"main/src/deep/":                        "",
		"w/.git":                                "gitdir: ROOT/main/.git/worktrees/w\n",
		"w/src/":                                "",
		"main/sub/.git":                         "gitdir: ../.git/modules/sub\n",
		"main/.git/modules/sub/HEAD":            "x\n",
		"main/.git/modules/sub/config":          "[core]\n\tworktree = ../../../sub\n",
		"subw/.git":                             "gitdir: ROOT/main/.git/modules/sub/worktrees/subw\n",
		"main/.git/modules/sub/worktrees/subw/": "",
		"main/.git/modules/sub/worktrees/subw/commondir": "../..\n",
		"bare/.bare/HEAD":                  "x\n",
		"bare/.bare/config":                "[core]\n\tbare = true\n",
		"bare/.bare/worktrees/a/commondir": "../..\n",
		"bare/a/.git":                      "gitdir: ../.bare/worktrees/a\n",
		"plain/x/":                         "",
		"odd/.git":                         "nonsense\n",
	})
	for _, c := range []struct{ dir, root, main string }{
		{"main", "main", "main"},
		{"main/src/deep", "main", "main"},
		{"w/src", "w", "main"},
		{"main/sub", "main/sub", "main/sub"},
		{"subw", "subw", "main/sub"},
		{"bare/a", "bare/a", "bare"},
		{"plain/x", "plain/x", "plain/x"},
		{"odd", "odd", "odd"},
	} {
		p, err := FindProject(filepath.Join(root, c.dir))
		if err != nil {
			t.Fatal(err)
		}
		if p.Root() != filepath.Join(root, c.root) || p.Main() != filepath.Join(root, c.main) {
			t.Errorf("%s: root %s, main %s", c.dir, p.Root(), p.Main())
		}
	}
	if _, err := FindProject(filepath.Join(root, "nowhere")); err == nil {
		t.Error("found a project in a folder that does not exist")
	}
	if _, err := FindProject(filepath.Join(root, "odd/.git")); err == nil {
		t.Error("took a file for a project")
	}
}

func TestPaths(t *testing.T) {
	root := layout(t, map[string]string{"p/.git/HEAD": "x", "p/lib/x.go": "", "z/f": "", "tree/.git": "gitdir: ROOT/p/.git/worktrees/t", "p/.git/worktrees/t/commondir": "../.."})
	p, err := FindProject(filepath.Join(root, "p"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Ledger(), filepath.Join(root, "p/.claude/retro/friction.jsonl"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tree, err := FindProject(filepath.Join(root, "tree"))
	if err != nil {
		t.Fatal(err)
	}
	if tree.Ledger() != p.Ledger() || tree.Signals() != p.Signals() {
		t.Errorf("the working trees do not share %s", tree.Ledger())
	}
	// The registry of the working tree itself goes before the main one's.
	for _, c := range []struct{ write, want string }{{"p", "p"}, {"tree", "tree"}} {
		write(t, filepath.Join(root, c.write, ".github/retro/rules.json"), "{}")
		if got, want := tree.Registry(), filepath.Join(root, c.want, ".github/retro/rules.json"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestRecordPath(t *testing.T) {
	root := layout(t, map[string]string{"p/.git/HEAD": "x", "p/lib/x.go": "", "z/f": "", "p/sub/": ""})
	if err := os.Symlink(filepath.Join(root, "z"), filepath.Join(root, "p/lib/out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "p"), filepath.Join(root, "alias")); err != nil {
		t.Fatal(err)
	}
	p, err := FindProject(filepath.Join(root, "alias/sub"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, base, want string }{
		{"/P/lib/x.go", "", "lib/x.go"},
		{"/ALIAS/lib/x.go", "", "lib/x.go"},
		{"lib/x.go", "", "lib/x.go"},
		{"x.go", "/P/lib", "lib/x.go"},
		{`lib\x.go`, "", "lib/x.go"},
		{"lib/../new/y.go", "", "new/y.go"},
		{"../q/x.go", "", "external"},
		{"/P-tools/x.go", "", "external"},
		{"E:/home/me/x", "", "external"},
		{`\\host\share\x`, "", "external"},
		{"/var/log/syslog", "", "external"},
		{"lib/out/f", "", "external"},
		{"lib/out/new", "", "external"},
		{"", "", "external"},
		{"  ", "", "external"},
		{"a\x00b", "", "external"},
		{"/P", "", "."},
		{"d/ü.ts", "", "d/ü.ts"},
		{strings.Repeat("long/", 180), "", strings.Repeat("long/", 60)},
	} {
		fill := strings.NewReplacer("/P", filepath.Join(root, "p"), "/ALIAS", filepath.Join(root, "alias"))
		if got := p.Path(fill.Replace(c.text), fill.Replace(c.base)).String(); got != c.want {
			t.Errorf("%q from %q: got %q, want %q", c.text, c.base, got, c.want)
		}
	}
}
