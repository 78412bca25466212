package episode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"retro/pkg/cli"
	"retro/pkg/instruct"
	"retro/pkg/record"
)

// layoutCommand checks the instruction files of a project.
type layoutCommand struct {
	Dir string `arg:"" optional:"" name:"dir" help:"The project (default: the one around the working directory)."`
}

// Help says what is looked at.
func (*layoutCommand) Help() string {
	return `Weighs the instruction files against the budgets in ` + instruct.Path + ` (without it: built-in ones) and checks what they import and the entries of the GOTCHAS.md files. An entry in which TODO(person) still stands is invalid, and no hook shows it; in any other instruction file it is a fault, too. The records of the same are printed by retro-episode --instructions DIR.`
}

// Run prints the verdicts.
func (c *layoutCommand) Run(env *cli.Env) error {
	dir := c.Dir
	if dir == "" {
		p, err := projectFlag{}.project(env)
		if err != nil {
			return err
		}
		dir = p.Root()
	}
	m, err := measureLayout(env, dir)
	if err != nil {
		return err
	}
	writeLayout(env.Stdout, m)
	for _, u := range m.Layout.Unreadable {
		env.Diagnostics().Fail("read", u.File.String(), 0, u.Reason)
	}
	if m.Bad() {
		return cli.Exit(cli.ExitFailed)
	}
	return nil
}

// measureLayout weighs the instruction files of a directory. Symbolic links
// that lead out of it are not followed.
func measureLayout(env *cli.Env, dir string) (*instruct.Measured, error) {
	name := dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, cli.Failf("%s: not a directory", name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, cli.Failf("%s: %s", name, cli.Reason(err))
	}
	defer root.Close()
	m, err := instruct.Measure(root.FS())
	var invalid *instruct.Invalid
	switch {
	case errors.As(err, &invalid):
		fmt.Fprintf(env.Stderr, "layout: %s invalid at %s\n", instruct.Path, invalid.Field)
		return nil, cli.Exit(cli.ExitUsage)
	case err != nil:
		return nil, cli.Failf("%s: %s", instruct.Path, cli.Reason(err))
	}
	return m, nil
}

func writeLayout(w io.Writer, m *instruct.Measured) {
	l := m.Layout
	fmt.Fprintf(w, "layout: config from %s\n", l.Config)
	files := "no files"
	if n := len(l.AlwaysLoaded.Files); n > 0 {
		names := make([]string, n)
		for i, f := range l.AlwaysLoaded.Files {
			names[i] = f.File.String()
		}
		files = strings.Join(names, ", ")
	}
	fmt.Fprintf(w, "%-14s %d / %d estimated tokens  (%s)\n", "always-loaded", l.AlwaysLoaded.Total, l.AlwaysLoaded.Budget, files)
	writeTier(w, "router", l.Router)
	writeTier(w, "doc", l.Doc)
	writeTier(w, "gotchas", l.Gotchas)
	for _, o := range l.Over {
		fmt.Fprintf(w, "OVER  %s  %s  %d > %d %s\n", o.Tier, overFile(o), o.Size, o.Budget, o.Unit)
	}
	for _, g := range m.Gotchas {
		if len(g.Missing) > 0 {
			fmt.Fprintf(w, "INVALID gotcha %s#%s: missing %s\n", g.File, g.Gotcha, strings.Join(g.Missing, ", "))
		}
		if g.Stale {
			fmt.Fprintf(w, "STALE gotcha %s#%s: no file matches its paths\n", g.File, g.Gotcha)
		}
	}
	for _, r := range l.Missing {
		fmt.Fprintf(w, "MISSING import @%s in %s:%d\n", printable(r.Target), r.File, r.Line)
	}
	for _, u := range l.Unwritten {
		fmt.Fprintf(w, "UNWRITTEN %s:%d: TODO(person)\n", u.File, u.Line)
	}
	for _, r := range l.Stale {
		fmt.Fprintf(w, "STALE glob %s in %s:%d\n", printable(r.Target), r.File, r.Line)
	}
	if len(l.Structural) > 0 {
		fmt.Fprintf(w, "STRUCTURAL: %s. Run %s.\n", strings.Join(l.Structural, "; "), l.Call)
	}
}

func writeTier(w io.Writer, name string, t record.LayoutTier) {
	largest := 0
	for _, f := range t.Files {
		largest = max(largest, f.Tokens)
	}
	fmt.Fprintf(w, "%-14s %d files, largest %d / %d\n", name, len(t.Files), largest, t.Budget)
}

// overFile names what is over its budget.
func overFile(o record.LayoutOver) string {
	switch {
	case o.File.IsZero():
		return "(always-loaded total)"
	case o.Gotcha != "":
		return o.File.String() + "#" + o.Gotcha
	}
	return o.File.String()
}

// printable makes a text of a file safe for a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
