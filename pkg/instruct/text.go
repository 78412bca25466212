package instruct

import (
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// prose yields the lines outside fenced blocks with their numbers.
func prose(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		fence, number := "", 0
		for line := range strings.Lines(text) {
			number++
			line = strings.TrimRight(line, "\r\n")
			mark := fenceOf(line)
			switch {
			case fence == "" && mark != "":
				fence = mark
			case fence != "":
				if mark == fence {
					fence = ""
				}
			case !yield(number, line):
				return
			}
		}
	}
}

func fenceOf(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

var datedHeading = regexp.MustCompile(`(?i)^#{1,6}\s.*(\b20\d\d-\d\d-\d\d\b|\(openspec\s)`)

// datedHeadings are the lines of the headings that carry a date or name a
// change.
func datedHeadings(text string) (lines []int) {
	for number, line := range prose(text) {
		if datedHeading.MatchString(line) {
			lines = append(lines, number)
		}
	}
	return lines
}

// padding counts the bytes of blanks, three or more in a row, in table rows.
func padding(text string) (bytes int) {
	for _, line := range prose(text) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		run := 0
		for i := 0; i <= len(line); i++ {
			if i < len(line) && line[i] == ' ' {
				run++
				continue
			}
			if run >= 3 {
				bytes += run
			}
			run = 0
		}
	}
	return bytes
}

// paragraph is a paragraph of at least longParagraph characters, its white space
// collapsed.
type paragraph struct {
	text string
	line int // of its beginning
}

// longParagraph is the length from which saying something twice is waste and no
// accident.
const longParagraph = 120

func paragraphs(text string) (out []paragraph) {
	var words []string
	start, number := 0, 0
	flush := func() {
		if joined := strings.Join(words, " "); utf8.RuneCountInString(joined) >= longParagraph {
			out = append(out, paragraph{joined, start})
		}
		words = nil
	}
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			flush()
			continue
		}
		if len(words) == 0 {
			start = number
		}
		words = append(words, fields...)
	}
	flush()
	return out
}

// scope is what the head of a file says about the paths it is loaded for.
type scope struct {
	globs []scopeGlob
}

type scopeGlob struct {
	glob string
	line int
}

// scopeOf reads `applyTo:` (one text with commas, or a list) and `paths:` from
// the head between two lines of `---`. Whatever else stands there is passed
// over; this is no YAML reader, and a form it does not know gives no globs.
func scopeOf(text string) (s scope) {
	number, inside, in := 0, false, false
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case number == 1:
			if line != "---" {
				return s
			}
			inside = true
		case line == "---":
			return s
		case inside:
			in = s.headLine(line, number, in)
		}
	}
	return scope{} // a head that never ends is none
}

// headLine takes one line of the head; in tells whether the line before belongs
// to a list of globs, and so does the result.
func (s *scope) headLine(line string, number int, in bool) bool {
	if item, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "- "); ok && in {
		s.add(item, number)
		return true
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || key != "applyTo" && key != "paths" {
		return in && strings.TrimSpace(line) == ""
	}
	s.add(value, number)
	return strings.TrimSpace(value) == ""
}

func (s *scope) add(value string, line int) {
	value = strings.Trim(strings.TrimSpace(value), "[]")
	depth, start := 0, 0
	for i := 0; i <= len(value); i++ {
		switch {
		case i == len(value) || value[i] == ',' && depth == 0:
			if glob := strings.Trim(value[start:i], " \t\"'"); glob != "" {
				s.globs = append(s.globs, scopeGlob{glob, line})
			}
			start = i + 1
		case value[i] == '{':
			depth++
		case value[i] == '}':
			depth = max(0, depth-1)
		}
	}
}
