package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is parsed. The parser is recursive and needs about 4 KiB of
// stack for each open parenthesis, so hostile nesting is not given to it; a
// line longer than maxLine is a file in a here-document, whose commands stand
// before the cut.
const (
	maxLine    = 64 << 10
	maxNesting = 400
	maxLevels  = 3 // of wrappers in wrappers
	maxRepairs = 4 // unclosed here-documents in one line
)

// Commands gives the simple commands of a line in the order in which they stand
// there.
func Commands(line string) []Command {
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "")
	}
	v := visitor{decides: true}
	v.script(line)
	return v.commands
}

// script adds the commands of a shell text.
func (v *visitor) script(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	file, ok := parse(text)
	if !ok {
		v.guess(text)
		return
	}
	v.statements(file.Stmts, v.decides)
}

// parse reads a text as Bash. Unclosed quotes and brackets are recovered by the
// library; an unclosed here-document, which a shell accepts, is closed here.
func parse(text string) (*syntax.File, bool) {
	if nesting(text) > maxNesting {
		return nil, false
	}
	for range maxRepairs {
		parser := syntax.NewParser(syntax.RecoverErrors(5))
		file, err := parser.Parse(strings.NewReader(text), "")
		if err == nil {
			return file, true
		}
		delimiter, found := unclosedHereDoc(err)
		if !found {
			return nil, false
		}
		text += "\n" + delimiter + "\n"
	}
	return nil, false
}

// unclosedHereDoc finds the delimiter in the parser's message, the only place
// that has it.
func unclosedHereDoc(err error) (delimiter string, found bool) {
	var fault syntax.ParseError
	if !errors.As(err, &fault) {
		return "", false
	}
	rest, found := strings.CutPrefix(fault.Text, "unclosed here-document `")
	return strings.TrimSuffix(rest, "`"), found
}

// nesting is an upper bound of the depth of brackets in a text.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

// guess splits a text that is no shell on white space, and at the operators
// that stand alone or end a word.
func (v *visitor) guess(text string) {
	var words []Word
	flush := func() {
		if len(words) > 0 {
			v.add(Command{Args: words, Guessed: true, Decides: v.decides})
		}
		words = nil
	}
	for _, field := range strings.Fields(text) {
		switch field {
		case "&&", "||", ";", "|", "&", "(", ")":
			flush()
			continue
		}
		bare := strings.TrimRight(field, ";")
		if bare != "" {
			words = append(words, Word{Text: strings.Trim(bare, `"'`), Dynamic: strings.Contains(bare, "$")})
		}
		if bare != field {
			flush()
		}
	}
	flush()
}
