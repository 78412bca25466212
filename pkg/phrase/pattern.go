package phrase

import (
	"errors"
	"unicode/utf8"
)

// maxForms bounds how many texts the optional parts of one phrase may stand
// for.
const maxForms = 4096

var (
	errSyntax = errors.New("phrase: unbalanced group, or ? without a part before it")
	errEmpty  = errors.New("phrase: may match the empty text")
	errForms  = errors.New("phrase: too many optional parts")
	errText   = errors.New("phrase: text is not valid UTF-8")
)

// Check tells what is wrong with a phrase; nil when it compiles.
func Check(text string) error {
	_, err := forms(text)
	return err
}

// forms lists every text a phrase stands for, in the order in which a
// backtracking matcher would try them: with an optional part before without.
func forms(text string) ([][]rune, error) {
	if !utf8.ValidString(text) {
		return nil, errText
	}
	p := patternReader{rest: []rune(text)}
	out, err := p.alternatives()
	switch {
	case err != nil:
		return nil, err
	case len(p.rest) > 0:
		return nil, errSyntax
	}
	for _, form := range out {
		if len(form) == 0 {
			return nil, errEmpty
		}
	}
	return out, nil
}

// patternReader expands the notation of a phrase from left to right.
type patternReader struct{ rest []rune }

// alternatives reads up to the end or a closing parenthesis.
func (p *patternReader) alternatives() ([][]rune, error) {
	var out [][]rune
	for {
		branch, err := p.sequence()
		if err != nil {
			return nil, err
		}
		out = append(out, branch...)
		if len(p.rest) == 0 || p.rest[0] != '|' {
			return out, nil
		}
		p.rest = p.rest[1:]
	}
}

// sequence reads parts one after the other, each with what may follow it.
func (p *patternReader) sequence() ([][]rune, error) {
	out := [][]rune{nil}
	for len(p.rest) > 0 && p.rest[0] != '|' && p.rest[0] != ')' {
		part, err := p.part()
		if err != nil {
			return nil, err
		}
		if len(p.rest) > 0 && p.rest[0] == '?' {
			p.rest = p.rest[1:]
			part = append(part, nil)
		}
		if len(out)*len(part) > maxForms {
			return nil, errForms
		}
		out = product(out, part)
	}
	return out, nil
}

// part reads one rune or one group.
func (p *patternReader) part() ([][]rune, error) {
	r := p.rest[0]
	p.rest = p.rest[1:]
	switch {
	case r == '?', r == '\\' && len(p.rest) == 0:
		return nil, errSyntax
	case r == '\\':
		r = p.rest[0]
		p.rest = p.rest[1:]
	case r == '(':
		inner, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if len(p.rest) == 0 || p.rest[0] != ')' {
			return nil, errSyntax
		}
		p.rest = p.rest[1:]
		return inner, nil
	}
	return [][]rune{{r}}, nil
}

func product(heads, tails [][]rune) [][]rune {
	out := make([][]rune, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			form := make([]rune, 0, len(head)+len(tail))
			out = append(out, append(append(form, head...), tail...))
		}
	}
	return out
}
