package trial

import (
	"errors"
	"strings"
)

// Agents are the team agents whose directive files the original helper
// reviewed, in its order.
var Agents = []string{"pm", "tech-lead", "ic5", "ic4", "devops", "qa", "ds"}

// Directive is a directive under trial and where it stands.
type Directive struct {
	Agent string
	Line  int // counted from 1
	Text  string
	Annotation
}

// Directives finds the trials of an instruction file. With numbered only items
// of a numbered list count, as in the directive files of team agents; a line in
// a fenced block is an example and never counts. An annotation that does not
// keep to the grammar goes to report with its line number, and the line is
// taken for permanent.
func Directives(agent, file string, numbered bool, report func(line int, err error)) []Directive {
	var found []Directive
	fence := ""
	for i, line := range strings.Split(file, "\n") {
		if fence = fenced(fence, line); fence != "" || numbered && !isNumbered(line) {
			continue
		}
		text, a, err := Parse(line)
		switch {
		case err == nil:
			found = append(found, Directive{agent, i + 1, text, a})
		case !errors.Is(err, ErrPermanent):
			report(i+1, err)
		}
	}
	return found
}

// fenced follows the fenced blocks of Markdown: the fence that is open after
// the line, empty outside.
func fenced(open, line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		switch {
		case !strings.HasPrefix(line, mark):
		case open == "":
			return mark
		case open == mark && strings.Trim(line, mark[:1]) == "":
			return ""
		}
	}
	return open
}

// isNumbered tells whether a line is an item of a numbered list.
func isNumbered(line string) bool {
	line = strings.TrimLeft(line, blank)
	rest := strings.TrimLeft(line, "0123456789")
	return rest != line && (rest == "" || strings.ContainsRune(".) \t", rune(rest[0])))
}
