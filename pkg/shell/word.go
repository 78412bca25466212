package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// valueOf takes the quotes off a word.
func valueOf(w *syntax.Word) Word {
	if w == nil {
		return Word{}
	}
	if lit := w.Lit(); lit != "" && !strings.Contains(lit, `\`) {
		return Word{Text: lit}
	}
	var b valueBuilder
	b.parts(w.Parts, false)
	return Word{Text: b.String(), Dynamic: b.dynamic}
}

type valueBuilder struct {
	strings.Builder
	dynamic bool
}

func (b *valueBuilder) parts(parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansiC.Replace(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.dynamic = true
			b.WriteString(parameter(p))
		case *syntax.ExtGlob:
			b.WriteString(p.Op.String() + p.Pattern.Value + ")")
		default:
			b.dynamic = true
			b.WriteString("$()")
		}
	}
}

// ansiC decodes the escapes of $'...' that are seen in commands; octal and hex
// ones stay as written.
var ansiC = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r")

func parameter(p *syntax.ParamExp) string {
	if p.Param == nil || p.Param.Value == "" {
		return "$()"
	}
	return "$" + p.Param.Value
}

// unescape takes the backslashes out of a literal. Inside double quotes only
// five characters can be escaped.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		next := text[i+1]
		switch {
		case next == '\n':
		case quoted && !strings.ContainsRune("$`\"\\", rune(next)):
			b.WriteByte('\\')
			b.WriteByte(next)
		default:
			b.WriteByte(next)
		}
		i++
	}
	return b.String()
}

// hereDocText is the body of a here-document as its reader gets it: escapes
// work only when the delimiter is bare.
func hereDocText(r *syntax.Redirect) string {
	var b valueBuilder
	if r.Word == nil || r.Word.Lit() != "" && !strings.Contains(r.Word.Lit(), `\`) {
		b.parts(r.Hdoc.Parts, true)
		return b.String()
	}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}
