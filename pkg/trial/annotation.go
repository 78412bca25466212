package trial

import (
	"errors"
	"fmt"
	"strings"
)

// Annotation is what a trial comment says of the directive on its line.
type Annotation struct {
	Start       Start
	Source      Source
	ReviewAfter Window
}

// ErrPermanent means that a line has no trial annotation at its end: it is a
// permanent directive, or no directive, and none of our business.
var ErrPermanent = errors.New("no trial annotation")

// errTwice is a line whose annotation is followed by another: which of the two
// holds is for a person to say.
var errTwice = errors.New("two trial annotations on one line")

// String is the comment in the one form that is written.
func (a Annotation) String() string {
	return fmt.Sprintf("<!-- trial start=%s source=%s review-after=%s -->", a.Start, a.Source, a.ReviewAfter)
}

// Parse reads the annotation of a line and the directive's text without it,
// right-trimmed. The error is [ErrPermanent] when the line has none, and
// another when it has one that does not keep to the grammar.
func Parse(line string) (text string, a Annotation, err error) {
	c, ok := cut(line)
	if !ok {
		return "", a, ErrPermanent
	}
	if _, twice := cut(c.text); twice {
		return "", a, errTwice
	}
	text = strings.TrimRight(c.text, blank)
	if strings.TrimSpace(text) == "" {
		return "", a, errors.New("trial annotation without a directive")
	}
	a, err = parseBody(c.body)
	return text, a, err
}

// Strip takes the trial comment off the end of a line, also one that lacks
// keys. Any other line comes back as it is; so does, with an error, one that
// has two.
func Strip(line string) (string, error) {
	c, ok := cut(line)
	if !ok {
		return line, nil
	}
	if _, twice := cut(c.text); twice {
		return line, errTwice
	}
	return c.text + c.end, nil
}

// Annotate puts the annotation at the end of a line, in place of one that is
// there. Strip of the result gives the line back, byte for byte.
func Annotate(line string, a Annotation) (string, error) {
	if strings.Contains(line, "\n") {
		return "", errors.New("a directive is one line")
	}
	line, err := Strip(line)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(line) == "" {
		return "", errors.New("no directive to annotate")
	}
	text, returned := strings.CutSuffix(line, "\r")
	line = text + " " + a.String()
	if returned {
		line += "\r"
	}
	return line, nil
}

// blank is the white space that the grammar knows: what else a line holds, such
// as a no-break space, belongs to its text.
const blank = " \t\r"

// comment is a line cut at the trial comment that ends it.
type comment struct {
	text string // before the comment and the one space that parts them
	body string // between the word `trial` and `-->`
	end  string // the carriage return of a CRLF file, else empty
}

// cut finds the trial comment at the end of a line. A comment further left is
// text: a directive may quote one.
func cut(line string) (c comment, ok bool) {
	trimmed := strings.TrimRight(line, blank)
	inner, closed := strings.CutSuffix(trimmed, "-->")
	at := strings.LastIndex(inner, "<!--")
	if !closed || at < 0 {
		return c, false
	}
	body, ok := strings.CutPrefix(strings.TrimPrefix(inner[at+len("<!--"):], " "), "trial")
	if !ok || strings.ContainsAny(body, "<>") || body != "" && !strings.ContainsRune(blank, rune(body[0])) {
		return c, false
	}
	c = comment{text: strings.TrimSuffix(inner[:at], " "), body: body}
	if strings.HasSuffix(line[len(trimmed):], "\r") {
		c.end = "\r"
	}
	return c, true
}

// parseBody reads the three keys, in any order, each once, and nothing else.
// Errors name the key and never quote the value.
func parseBody(body string) (a Annotation, err error) {
	seen := make(map[string]bool)
	for _, token := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(blank, r) }) {
		key, value, ok := strings.Cut(token, "=")
		if !ok {
			return a, errors.New("trial annotation has a word that is no key=value")
		}
		if seen[key] {
			return a, fmt.Errorf("trial annotation has a key twice")
		}
		seen[key] = true
		if err := a.set(key, value); err != nil {
			return a, err
		}
	}
	for _, key := range []string{"start", "source", "review-after"} {
		if !seen[key] {
			return a, fmt.Errorf("trial annotation without %s", key)
		}
	}
	return a, nil
}

func (a *Annotation) set(key, value string) (err error) {
	switch key {
	case "start":
		a.Start, err = ParseStart(value)
	case "source":
		a.Source, err = ParseSource(value)
	case "review-after":
		a.ReviewAfter, err = ParseWindow(value)
	default:
		err = errors.New("trial annotation has an unknown key")
	}
	return err
}
