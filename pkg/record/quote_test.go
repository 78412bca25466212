package record

import (
	"os/exec"
	"testing"
)

func TestCommandIsOneShellLine(t *testing.T) {
	words := []string{"", "plain/-x.go", "-n", "two words", "it's", `back\slash`, "$(touch no)", "`x`", "a!b", "~", "a=b", "#", "*?[",
		"line\nend", "-\x1b[31mred", "\xff\xfe!%d\\n'\"$x", "right\u202eleft", "ü 文", "tab\t%s", "zero\u200bwidth"}
	command, ok := NewCommand(append([]string{"printf", "%s\\0"}, words...)...)
	if !ok || !isPrintable(command.String()) {
		t.Fatalf("got %q, %v", command, ok)
	}
	out, err := exec.Command("sh", "-c", command.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, w := range words {
		want += w + "\x00"
	}
	if string(out) != want {
		t.Errorf("the shell read\n%q\nwant\n%q\nfrom %s", out, want, command)
	}
	for _, w := range []string{"a\x00b", "ends\n"} {
		if c, ok := NewCommand("ls", w); ok || !c.IsZero() {
			t.Errorf("%q: got %q", w, c)
		}
	}
}

func TestCommandAnd(t *testing.T) {
	a, _ := NewCommand("true")
	b, _ := NewCommand("ls", "a b")
	if got := a.And(b).String(); got != "true && ls 'a b'" {
		t.Errorf("got %q", got)
	}
	if got := a.And(Command{}); !got.IsZero() {
		t.Errorf("got %q", got)
	}
}
