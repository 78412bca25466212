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

// code makes an id a code span; what is no plain id is text.
func code(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '`' || r == '|' }) {
		return text(s)
	}
	return "`" + s + "`"
}
