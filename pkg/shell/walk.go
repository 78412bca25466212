package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// visitor collects the commands of a syntax tree in source order, with what
// the shell knows at each of them.
type visitor struct {
	commands []Command
	dir      Word
	level    int    // of wrappers
	via      string // the outermost wrapper
	// decides is whether the script being read decides on the exit of the line.
	decides bool
	// errexit and pipefail are on once the line has set them.
	errexit, pipefail bool
}

// statements visits a list, of which the last decides, and all do under
// `set -e`.
func (v *visitor) statements(list []*syntax.Stmt, decides bool) {
	for i, s := range list {
		v.statement(s, decides && (i == len(list)-1 || v.errexit))
	}
}

func (v *visitor) statement(s *syntax.Stmt, decides bool) {
	if s == nil {
		return
	}
	decides = decides && !s.Background && !s.Coprocess
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		v.call(c, s.Redirs, decides)
		return
	case *syntax.BinaryCmd:
		v.binary(c, decides)
	case *syntax.Subshell:
		v.subshell(c.Stmts, decides)
	case *syntax.Block:
		v.statements(c.Stmts, decides)
	case *syntax.TimeClause:
		v.statement(c.Stmt, decides)
	case *syntax.FuncDecl:
		v.statement(c.Body, false)
	case *syntax.CoprocClause:
		v.statement(c.Stmt, false)
	default:
		v.compound(c, decides)
	}
	v.loneRedirects(s)
}

// compound visits the commands that have lists of commands in them, and those
// that are built into the grammar.
func (v *visitor) compound(c syntax.Command, decides bool) {
	switch c := c.(type) {
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			v.statements(c.Cond, false)
			v.statements(c.Then, decides)
		}
	case *syntax.WhileClause:
		v.statements(c.Cond, false)
		v.statements(c.Do, decides)
	case *syntax.ForClause:
		v.substitutions(c.Loop)
		v.statements(c.Do, decides)
	case *syntax.CaseClause:
		v.substitutions(c.Word)
		for _, item := range c.Items {
			v.statements(item.Stmts, decides)
		}
	case *syntax.DeclClause:
		v.add(Command{Args: []Word{{Text: c.Variant.Value}}, Decides: decides})
		v.substitutions(c)
	case *syntax.TestClause:
		v.add(Command{Args: []Word{{Text: "[["}}, Decides: decides})
		v.substitutions(c)
	case *syntax.ArithmCmd:
		v.add(Command{Args: []Word{{Text: "(("}}, Decides: decides})
		v.substitutions(c)
	case *syntax.LetClause:
		v.substitutions(c)
	}
}

// binary visits two commands joined by `&&`, `||` or a pipe. A failing left
// side of `||` is never the end.
func (v *visitor) binary(c *syntax.BinaryCmd, decides bool) {
	switch c.Op {
	case syntax.AndStmt:
		v.statement(c.X, decides)
		v.statement(c.Y, decides)
	case syntax.OrStmt:
		v.statement(c.X, false)
		v.statement(c.Y, decides)
	default: // the sides of a pipe have their own working directories
		v.inSubshell(func() { v.statement(c.X, decides && v.pipefail) })
		v.inSubshell(func() { v.statement(c.Y, decides) })
	}
}

func (v *visitor) inSubshell(visit func()) {
	dir := v.dir
	visit()
	v.dir = dir
}

func (v *visitor) subshell(list []*syntax.Stmt, decides bool) {
	v.inSubshell(func() { v.statements(list, decides) })
}

// call visits a simple command: what is substituted into it runs first.
func (v *visitor) call(c *syntax.CallExpr, redirects []*syntax.Redirect, decides bool) {
	var cmd Command
	for _, a := range c.Assigns {
		// `x=$(grep ...)` alone exits as the substitution does.
		v.substituted(a, decides && len(c.Args) == 0)
		if a.Name != nil && len(c.Args) > 0 {
			cmd.Env = append(cmd.Env, a.Name.Value)
		}
	}
	for _, w := range c.Args {
		v.substitutions(w)
		cmd.Args = append(cmd.Args, valueOf(w))
	}
	script := v.redirect(&cmd, redirects)
	if len(cmd.Args) == 0 && len(cmd.Inputs) == 0 && len(cmd.Outputs) == 0 {
		return
	}
	cmd.Decides = decides
	v.run(cmd, script)
}

// loneRedirects gives the files that a compound command is redirected to as a
// command without a program.
func (v *visitor) loneRedirects(s *syntax.Stmt) {
	var cmd Command
	if v.redirect(&cmd, s.Redirs); len(cmd.Inputs)+len(cmd.Outputs) > 0 {
		v.add(cmd)
	}
}

// redirect adds the redirects to a command and gives the text of a
// here-document, which may be a script for a shell.
func (v *visitor) redirect(cmd *Command, redirects []*syntax.Redirect) (hereDoc string) {
	for _, r := range redirects {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if r.Hdoc != nil {
				v.substitutions(r.Hdoc)
				hereDoc = hereDocText(r)
			}
		case syntax.WordHdoc:
			v.substitutions(r.Word)
			hereDoc = valueOf(r.Word).Text
		case syntax.DplIn, syntax.DplOut:
		case syntax.RdrIn:
			v.substitutions(r.Word)
			cmd.Inputs = append(cmd.Inputs, valueOf(r.Word))
		default:
			v.substitutions(r.Word)
			cmd.Outputs = append(cmd.Outputs, valueOf(r.Word))
		}
	}
	return hereDoc
}

// substitutions visits the commands that are substituted into a node.
func (v *visitor) substitutions(node syntax.Node) { v.substituted(node, false) }

func (v *visitor) substituted(node syntax.Node, decides bool) {
	if node == nil {
		return
	}
	if w, ok := node.(*syntax.Word); ok && (w == nil || w.Lit() != "") {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			v.subshell(n.Stmts, decides)
			return false
		case *syntax.ProcSubst:
			v.subshell(n.Stmts, false)
			return false
		}
		return true
	})
}

// add appends a command that runs where the line is now.
func (v *visitor) add(cmd Command) {
	cmd.Dir, cmd.Via = v.dir, v.via
	v.commands = append(v.commands, cmd)
	v.noteState(&v.commands[len(v.commands)-1])
}

// noteState follows the commands that change the shell itself.
func (v *visitor) noteState(cmd *Command) {
	switch cmd.Program() {
	case "cd", "pushd":
		v.changeDir(cmd.Operands(nil))
	case "popd":
		v.dir = Word{Dynamic: true}
	case "set":
		for _, arg := range cmd.Args[1:] {
			short := strings.HasPrefix(arg.Text, "-") && !strings.HasPrefix(arg.Text, "--")
			v.errexit = v.errexit || arg.Text == "errexit" || short && strings.Contains(arg.Text, "e")
			v.pipefail = v.pipefail || arg.Text == "pipefail"
		}
	}
}

func (v *visitor) changeDir(operands []Word) {
	if len(operands) == 0 {
		v.dir = Word{Text: "~"}
		return
	}
	to := operands[0]
	switch {
	case to.Dynamic || to.Text == "-" || to.Text == "":
		v.dir = Word{Text: to.Text, Dynamic: true}
	case to.Text[0] == '/' || to.Text[0] == '~' || len(to.Text) > 1 && to.Text[1] == ':':
		v.dir = to
	default:
		v.dir.Text = path.Join(v.dir.Text, to.Text)
	}
}
