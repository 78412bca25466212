package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// show writes commands in one line: words by spaces, dynamic words in <>, env
// names and directory before, redirects behind.
func show(commands []Command) string {
	var out []string
	for _, c := range commands {
		var b strings.Builder
		for _, name := range c.Env {
			b.WriteString(name + "= ")
		}
		for i, w := range c.Args {
			if i > 0 {
				b.WriteByte(' ')
			}
			if w.Dynamic {
				b.WriteString("<" + w.Text + ">")
			} else {
				b.WriteString(w.Text)
			}
		}
		for _, w := range c.Inputs {
			b.WriteString(" <- " + w.Text)
		}
		for _, w := range c.Outputs {
			b.WriteString(" -> " + w.Text)
		}
		out = append(out, strings.TrimSpace(b.String()))
	}
	return strings.Join(out, " ; ")
}

func TestCommands(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"empty", "", ""},
		{"blank", " \n\t ", ""},
		{"comment", "# npm install zod", ""},
		{"plain", "go test ./...", "go test ./..."},
		{"and", "cd web && npm install zod", "cd web ; npm install zod"},
		{"or, semicolon, pipe, background", "a || b; c | d & e", "a ; b ; c ; d ; e"},
		{"pipe with stderr", "a |& b", "a ; b"},
		{"line ends", "a\nb\r\n\nc", "a ; b ; c"},
		{"continued line", "npm install \\\n  zod", "npm install zod"},
		{"subshell", "(cd web; npm ci)", "cd web ; npm ci"},
		{"block", "{ a; b; }", "a ; b"},
		{"if", "if a; then b; elif c; then d; else e; fi", "a ; b ; c ; d ; e"},
		{"loops", "for f in x y; do a $f; done; while b; do c; done; until d; do e; done", "a <$f> ; b ; c ; d ; e"},
		{"case", "case $x in a) b;; *) c;; esac", "b ; c"},
		{"function", "f() { a; }; f", "a ; f"},
		{"time keyword", "time make all", "make all"},
		{"negated", "! grep -q x f", "grep -q x f"},
		{"test", `[[ -f x ]] && [ -d y ]`, "[[ ; [ -d y ]"},
		{"arithmetic", "(( x > 1 )) && a", "(( ; a"},

		{"single quotes", `git commit -m 'npm install zod && rm -rf x'`, "git commit -m npm install zod && rm -rf x"},
		{"double quotes", `echo "a; b" c`, "echo a; b c"},
		{"escaped quote", `echo "a \"b\" \n"`, `echo a "b" \n`},
		{"escaped space", `cat a\ b`, "cat a b"},
		{"ansi-c quotes", `echo $'a\tb'`, "echo a\tb"},
		{"joined quotes", `echo a"b"'c'`, "echo abc"},
		{"empty word", `grep "" f`, "grep  f"},

		{"variable", `cat $DIR/x "$A"`, "cat <$DIR/x> <$A>"},
		{"parameter forms", `echo ${x:-y} ${#a}`, "echo <$x> <$a>"},
		{"assignment before", "API_KEY=abc CI=1 make build", "API_KEY= CI= make build"},
		{"assignment alone", "x=1", ""},
		{"export", "export A=b && c", "export ; c"},

		{"substitution", "echo $(git rev-parse HEAD) `date`", "git rev-parse HEAD ; date ; echo <$()> <$()>"},
		{"substitution in quotes", `echo "at $(date)"`, "date ; echo <at $()>"},
		{"substitution in assignment", "v=$(npm view zod)", "npm view zod"},
		{"process substitution", "diff <(a x) <(b y)", "a x ; b y ; diff <$()> <$()>"},
		{"quoted substitution is text", `echo '$(rm x)'`, "echo $(rm x)"},

		{"redirects", "make >log 2>&1 <in 2>>err", "make <- in -> log -> err"},
		{"redirect alone", "> f", "-> f"},
		{"redirect of a block", "{ a; } > f", "a ; -> f"},
		{"here-document", "cat <<EOF > f\nnpm install zod\nEOF\nls", "cat -> f ; ls"},
		{"here-document with substitution", "cat <<EOF\n$(date)\nEOF", "date ; cat"},
		{"quoted here-document", "cat <<'EOF'\n$(date)\nEOF", "cat"},
		{"here-document in a substitution", "git commit -m \"$(cat <<'EOF'\nfix `x` (it's)\nEOF\n)\"", "cat ; git commit -m <$()>"},
		{"here-document for a shell", "bash <<'EOF'\nnpm i zod\nfind . -exec a \\;\nEOF", "bash ; npm i zod ; find . -exec a ; ; a"},
		{"here-string", "bash <<< 'npm i zod'", "bash ; npm i zod"},

		{"sudo", "sudo -u root npm i zod", "npm i zod"},
		{"sudo alone", "sudo -v", "sudo -v"},
		{"sudo with assignment", "sudo CI=1 npm i zod", "npm i zod"},
		{"env", "env -u A B=c D=e make x", "B= D= make x"},
		{"env alone", "env", "env"},
		{"nohup and timeout", "nohup timeout -k 5 60 make x &", "make x"},
		{"command -v", "command -v npm", "command -v npm"},
		{"command", "command npm ci", "npm ci"},
		{"bash -c", `bash -lc "cd web && npm i zod"`, "bash -lc cd web && npm i zod ; cd web ; npm i zod"},
		{"bash -c with a variable", `sh -c "cd $D && make"`, "sh -c <cd $D && make> ; cd <$D> ; make"},
		{"sudo bash -c", `sudo bash -c 'npm i zod'`, "bash -c npm i zod ; npm i zod"},
		{"bash script", "bash -x run.sh -c x", "bash -x run.sh -c x"},
		{"eval", `eval "npm i" zod`, "eval npm i zod ; npm i zod"},
		{"xargs", "ls | xargs -n 1 -I{} grep -l foo {}", "ls ; xargs -n 1 -I{} grep -l foo {} ; grep -l foo {}"},
		{"xargs alone", "ls | xargs", "ls ; xargs"},
		{"find -exec", `find src -name '*.go' -exec grep -l foo {} \; -execdir b +`, "find src -name *.go -exec grep -l foo {} ; -execdir b + ; grep -l foo {} ; b"},

		{"unclosed quote", "echo 'a && npm i zod", "echo"},
		{"unclosed if", "if true; then npm i zod", "true ; npm i zod"},
		{"unclosed substitution", "echo $(npm i zod", "npm i zod ; echo <$()>"},
		{"unclosed here-document", "npm i zod; cat <<EOF\nx", "npm i zod ; cat"},
		{"clipped commit", "git add . && git commit -m \"$(cat <<'EOF'\nAdd the", "git add . ; cat ; git commit -m <$()>"},
		{"no shell at all", "npm i zod ) && 'ls'; x", "npm i zod ; ls ; x"},
	}
	for _, test := range tests {
		if got := show(Commands(test.line)); got != test.want {
			t.Errorf("%s: %q\ngot  %q\nwant %q", test.name, test.line, got, test.want)
		}
	}
}

func TestGuessed(t *testing.T) {
	for _, c := range Commands("ls ) && x") {
		if !c.Guessed {
			t.Errorf("%v is not marked", c.Args)
		}
	}
	for _, c := range Commands("cat <<EOF\nopen") {
		if c.Guessed {
			t.Errorf("%v is marked", c.Args)
		}
	}
}

func TestDecides(t *testing.T) {
	tests := []struct{ line, want string }{
		{"a", "a"},
		{"a; b", "b"},
		{"a && b", "a b"},
		{"a || b", "b"},
		{"a && b || c", "c"},
		{"a | b", "b"},
		{"set -o pipefail; a | b", "a b"},
		{"set -e; a; b", "a b"},
		{"set -euo pipefail; a | b; c", "a b c"},
		{"a &", ""},
		{"(a; b)", "b"},
		{"if a; then b; else c; fi", "b c"},
		{"while a; do b; done", "b"},
		{"x=$(a)", "a"},
		{"b $(a)", "b"},
		{"! a", "a"},
		{"bash -c 'a; b'", "bash b"},
		{"bash -c 'a; b'; c", "c"},
		{"sudo a", "a"},
		{"f | xargs a", "xargs a"},
		{"find . -exec a {} +", "find"},
		{"f() { a; }; b", "b"},
	}
	for _, test := range tests {
		var got []string
		for _, c := range Commands(test.line) {
			if c.Decides {
				got = append(got, c.Program())
			}
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%q: got %q, want %q", test.line, g, test.want)
		}
	}
}

func TestDir(t *testing.T) {
	tests := []struct {
		line string
		want Word
	}{
		{"x", Word{}},
		{"cd web && x", Word{Text: "web"}},
		{"cd web; cd ../api; x", Word{Text: "api"}},
		{"cd /w && cd p; x", Word{Text: "/w/p"}},
		{"(cd web; y); x", Word{}},
		{"cd web | y; x", Word{}},
		{"cd $D/a && x", Word{Text: "$D/a", Dynamic: true}},
		{"cd $D && cd /w && x", Word{Text: "/w"}},
		{"cd && x", Word{Text: "~"}},
		{"cd - && x", Word{Text: "-", Dynamic: true}},
		{"cd a && bash -c 'cd b && x'", Word{Text: "a/b"}},
		{"bash -c 'cd b'; x", Word{}},
	}
	for _, test := range tests {
		for _, c := range Commands(test.line) {
			if c.Program() == "x" && c.Dir != test.want {
				t.Errorf("%q: got %v, want %v", test.line, c.Dir, test.want)
			}
		}
	}
}

func TestVia(t *testing.T) {
	tests := []struct{ line, program, want string }{
		{"npm ci", "npm", ""},
		{"sudo npm ci", "npm", "sudo"},
		{"sudo bash -c 'npm ci'", "npm", "sudo"},
		{"bash -c 'npm ci'", "npm", "bash"},
		{"bash -c 'npm ci'; npx x", "npx", ""},
		{"ls | xargs grep x", "grep", "xargs"},
		{"ls | xargs grep x", "xargs", ""},
	}
	for _, test := range tests {
		for _, c := range Commands(test.line) {
			if c.Program() == test.program && c.Via != test.want {
				t.Errorf("%q: got %q, want %q", test.line, c.Via, test.want)
			}
		}
	}
}

func TestProgram(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", ""},
		{"# nothing", ""},
		{"  make lint  ", "make"},
		{"/opt/go/bin/go test ./...", "go"},
		{"TOKEN=zz9 make x", "make"},
		{"cd web && npm test", "npm"},
		{"cd web", "cd"},
		{"sudo -E env A=b nohup make x", "make"},
		{"source .venv/bin/activate && pytest -q", "pytest"},
		{`"my tool" x`, "other"},
		{"$RUN x", "other"},
		{`'make' x`, "make"},
		{"C:/tools/Go.exe test", "Go"},
		{"ключ x", "other"},
		{strings.Repeat("a", 41), "other"},
	}
	for _, test := range tests {
		if got := Program(test.line); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

func TestOperands(t *testing.T) {
	valued := func(option string) bool { return option == "-C" }
	tests := []struct{ line, want string }{
		{"git -C d commit -m x", "commit x"},
		{"git -C=d commit", "commit"},
		{"rm -- -f", "-f"},
		{"cat - x", "- x"},
		{"git -C", ""},
	}
	for _, test := range tests {
		var got []string
		for _, w := range Commands(test.line)[0].Operands(valued) {
			got = append(got, w.Text)
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%q: got %q, want %q", test.line, g, test.want)
		}
	}
}

// TestHostileLines must neither overflow the stack nor hang.
func TestHostileLines(t *testing.T) {
	for _, unit := range []string{"(", "{ ", "if ", "$(", "\"$(", "`", "((", "[[ ( ", "! ", "a && ", "${a:-", "case a in a) ", "<<a ", "bash -c '", "sudo ", "\x00", "\xff"} {
		Commands(strings.Repeat(unit, 200_000/len(unit)))
	}
}

func FuzzCommands(f *testing.F) {
	for _, seed := range []string{"cd web && npm i zod", "cat <<EOF\n$(a)\nEOF", `bash -c "x $(y)"`, "a ) b", "find . -exec a \\;", "for f in; do", "case x in", "[[ a", "x=(", "${a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		first := show(Commands(line))
		if second := show(Commands(line)); second != first {
			t.Errorf("%q: got %q, then %q", line, first, second)
		}
		if utf8.ValidString(line) && !utf8.ValidString(first) {
			t.Errorf("%q: valid text gave invalid %q", line, first)
		}
		if p := Program(line); strings.Trim(p, programSet) != "" || len(p) > 40 {
			t.Errorf("%q: program %q", line, p)
		}
	})
}

func BenchmarkCommands(b *testing.B) {
	for _, line := range []string{"go test ./...", "cd web && npm install zod 2>&1 | tail -20"} {
		b.Run(Program(line), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Commands(line)
			}
		})
	}
}
