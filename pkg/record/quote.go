package record

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainShell are the characters that need no quotes anywhere in a word of a
// POSIX shell. The tilde and the equals sign are special only at the start of
// a word or before a command; they are quoted all the same.
const plainShell = alphanumerics + "_/.:,@%+-"

// plainText are the ASCII characters that stand for themselves in a format of
// printf, wherever they are.
const plainText = alphanumerics + "_/.:,@+"

// appendShellWord writes one word. Text that is not printable (a line end, an
// escape sequence, a character that turns the direction of writing, bytes that
// are not UTF-8) is written through printf, so that what is seen is what runs.
func appendShellWord(b *strings.Builder, w string) bool {
	switch {
	case strings.ContainsRune(w, 0), strings.HasSuffix(w, "\n") && !isPrintable(w):
		return false
	case w != "" && strings.Trim(w, plainShell) == "", strings.HasPrefix(w, "--") && strings.Trim(w, plainShell+"=") == "":
		b.WriteString(w)
	case isPrintable(w):
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	default:
		b.WriteString(`"$(printf '` + printfEscape(w) + `')"`)
	}
	return true
}

// printfEscape writes w as a format of printf inside single quotes. Everything
// a shell or printf may take for more than text is an octal escape, also where
// quotes would do: an interactive shell expands ! inside double quotes, and
// printf takes a leading dash for an option.
func printfEscape(w string) string {
	var b strings.Builder
	for i := 0; i < len(w); {
		r, size := utf8.DecodeRuneInString(w[i:])
		text := w[i : i+size]
		switch {
		case i > 0 && r == ' ', strings.Contains(plainText, text), r >= utf8.RuneSelf && size > 1 && unicode.IsPrint(r):
			b.WriteString(text)
		default:
			for _, c := range []byte(text) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += size
	}
	return b.String()
}

// isPrintable tells whether s is text that a terminal shows as it is.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
