package report

import (
	"bufio"
	"strings"
	"unicode"
)

// column is the head of a table's column.
type column struct {
	name    string
	numbers bool // set to the right
}

// table is a Markdown table. Its cells are Markdown already; see text and code.
type table struct {
	columns []column
	rows    [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w *bufio.Writer) {
	names, rules := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i], rules[i] = c.name, "---"
		if c.numbers {
			rules[i] = "---:"
		}
	}
	writeRow(w, names)
	writeRow(w, rules)
	for _, cells := range t.rows {
		writeRow(w, cells)
	}
}

func writeRow(w *bufio.Writer, cells []string) {
	w.WriteString("| ")
	w.WriteString(strings.Join(cells, " | "))
	w.WriteString(" |\n")
}

// text makes a string that came from outside safe as running text and in a
// cell: punctuation that means something in Markdown is escaped, control
// characters and line breaks of any kind become blanks.
func text(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			out.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]<>&|~#", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// code is a string from outside as a code span in a table cell. A cell ends at
// a pipe, in code too, unless a backslash stands before it, which is the
// table's and not shown. A backslash of the string's own before the pipe would
// undo that one, so a blank comes between.
func code(s string) string {
	if !isPrintable(s) {
		return text(s)
	}
	return strings.NewReplacer(`\|`, `\ \|`, `|`, `\|`).Replace(span(s))
}

// span is a string from outside as a code span in running text, backticks and
// all: its fence is longer than any run of them. Text that would leave the line
// or its order is running text, see text.
func span(s string) string {
	if !isPrintable(s) {
		return text(s)
	}
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest == 0 && strings.TrimSpace(s) == s {
		return "`" + s + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence // one blank at both ends is not shown
}

func isPrintable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// name is an id or a word of a closed list in running text: plain when it
// cannot be Markdown, else a code span.
func name(s string) string {
	if isPlain(s) {
		return s
	}
	return span(s)
}

// nameCell is name in a table cell.
func nameCell(s string) string {
	if isPlain(s) {
		return s
	}
	return code(s)
}

// isPlain tells whether s is letters and digits with single `-._` between them,
// which mean nothing there.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlphanumeric(c):
		case (c == '-' || c == '.' || c == '_') && i > 0 && i < len(s)-1 && isAlphanumeric(s[i-1]) && isAlphanumeric(s[i+1]):
		default:
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
