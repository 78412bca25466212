package wording

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// traceOpenings begin lines of traces, logs and the output of build tools.
var traceOpenings = []string{
	"traceback (", `file "`, "panic:", "fatal:", "fatal error", "error:", "error[", "err!", "npm err", "warning:", "warn:", "uncaught ",
	"exception in", "caused by", "--- fail", "--- pass", "=== run", "=== pause", "=== cont", "[error]", "remote: ", "! ", "thread '",
	"command failed", "make: ", "make[", "cannot find", "undefined reference", "syntaxerror", "typeerror", "assert", "exit code ", "exit status ",
}

// logLevels begin log lines: `INFO ...`, `[warn] ...`.
var logLevels = []string{"debug", "info", "warn", "error"}

// openingBytes are the first bytes of traceOpenings.
var openingBytes = func() (is [256]bool) {
	for _, o := range traceOpenings {
		is[o[0]] = true
	}
	return is
}()

// isTraceLine tells whether a line, trimmed, is one of a trace or a log: the
// lines that follow it up to the next blank one belong to it.
func (c *Cleaner) isTraceLine(line []byte) bool {
	c.lower = appendLower(c.lower[:0], line[:min(len(line), 200)])
	lower := c.lower
	if openingBytes[lower[0]] {
		for _, o := range traceOpenings {
			if string(lower[:min(len(lower), len(o))]) == o {
				return true
			}
		}
	}
	return isLevel(line, lower) || isFrame(lower) || isLocated(lower)
}

// isLevel tells whether a line begins with a log level.
func isLevel(line, lower []byte) bool {
	switch word := bytes.TrimPrefix(lower, []byte("[")); {
	case len(word) == 0, word[0] != 'd' && word[0] != 'i' && word[0] != 'w' && word[0] != 'e':
	default:
		for _, level := range logLevels {
			rest, ok := bytes.CutPrefix(word, []byte(level))
			if ok && len(rest) > 0 && (rest[0] == ' ' && (lower[0] == '[' || isUpper(line)) || rest[0] == ':' || rest[0] == ']') {
				return true
			}
		}
	}
	return false
}

// appendLower appends a text in lower case.
func appendLower(dst, text []byte) []byte {
	if !isASCII(text) {
		return append(dst, bytes.ToLower(text)...)
	}
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// isUpper tells whether the first word of the line is in capitals: a log level
// is, a sentence that begins with "error" or "info" is not.
func isUpper(line []byte) bool {
	return len(line) > 1 && unicode.IsUpper(rune(line[0])) && unicode.IsUpper(rune(line[1]))
}

// isFrame tells a line of a stack: `at x.y(...)`, `goroutine 7`, `FAIL pkg 0.2s`,
// `E   assert`.
func isFrame(lower []byte) bool {
	word, rest, _ := bytes.Cut(lower, []byte(" "))
	switch string(word) {
	case "at":
		next := rest[:wordLength(rest)]
		return bytes.ContainsAny(next, ".(") && len(next) > 2
	case "goroutine":
		return len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'
	case "fail":
		return bytes.ContainsAny(rest, "0123456789")
	case "e":
		return bytes.HasPrefix(rest, []byte("  "))
	case "error":
		return bytes.HasPrefix(rest, []byte("ts")) && len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9'
	}
	return false
}

// isLocated tells a line that begins with a place or the name of an exception:
// `a.go:12:3: ...`, `ValueError: ...`.
func isLocated(lower []byte) bool {
	word := lower[:wordLength(lower)]
	colon := bytes.IndexByte(word, ':')
	if colon <= 0 {
		return false
	}
	name, behind := word[:colon], word[colon+1:]
	if len(behind) == 0 {
		return len(word) < len(lower) && (bytes.HasSuffix(name, []byte("error")) || bytes.HasSuffix(name, []byte("exception")))
	}
	digits := 0
	for digits < len(behind) && behind[digits] >= '0' && behind[digits] <= '9' {
		digits++
	}
	return digits > 0 && digits < len(behind) && behind[digits] == ':'
}

var (
	stamp  = regexp.MustCompile(`^\W{0,3}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\w{3} \d\d? \d\d:\d\d|\d{4}/\d\d/\d\d)`)
	prompt = regexp.MustCompile(`^(?:\S+@\S+[ :].*[$#%]|PS [A-Z]:|>>> |\(\w+\) [\w@]+.*[$%#])`)
	code   = regexp.MustCompile(`^(?:"[^"]+"\s*:|diff --git|@@ |\+\+\+ |index [0-9a-f]{6}|\d+\s*[+|:│-]\s|</?\w+[^>]*>$|(?:import|from|const|let|var|func|def|class|return|public|private|package|use|fn) .*[=({:;'"])`)
	bullet = regexp.MustCompile(`^(?:[-*•]|\d+[.)])\s`)
)

// terminalMarks begin lines that a terminal or an agent's own screen printed.
const terminalMarks = "$%❯➜›⏺⎿✓✔✗✘×•│├└┌╭╰┃║▸▶"

// minProseShare is the share of letters, in percent, below which a long line is
// no sentence.
const minProseShare = 62

// isPasteLine tells whether a line was pasted: a time stamp, a shell prompt,
// code, few letters, or an indent that is no list.
func isPasteLine(line, trimmed []byte) bool {
	switch {
	case isTerminalMark(trimmed):
		return true
	case bytes.ContainsAny(trimmed[:min(len(trimmed), 12)], "0123456789") && stamp.Match(trimmed):
		return true
	case mayBePrompt(trimmed) && prompt.Match(trimmed):
		return true
	case isCode(trimmed):
		return true
	case len(trimmed) > 24 && letterShare(trimmed) < minProseShare:
		return true
	}
	return (line[0] == '\t' || bytes.HasPrefix(line, []byte("    "))) && !bullet.Match(trimmed)
}

func isTerminalMark(trimmed []byte) bool {
	if c := trimmed[0]; c < utf8.RuneSelf {
		return c == '$' || c == '%'
	}
	first, _ := utf8.DecodeRune(trimmed)
	return strings.ContainsRune(terminalMarks, first)
}

// mayBePrompt tells whether a line has what every match of prompt begins with
// or holds: an expression at every line was a third of the cost of cleaning.
func mayBePrompt(trimmed []byte) bool {
	c := trimmed[0]
	return c == 'P' || c == '>' || c == '(' || bytes.IndexByte(trimmed[1:], '@') >= 0
}

// mayBeCode is the same for code: its first byte or its first word.
func mayBeCode(trimmed []byte) bool {
	switch c := trimmed[0]; {
	case c == '"', c == '@', c == '+', c == '<', c >= '0' && c <= '9':
		return true
	case c < 'c' || c > 'v':
		return false
	}
	switch string(trimmed[:wordLength(trimmed)]) {
	case "diff", "index", "import", "from", "const", "let", "var", "func", "def", "class", "return", "public", "private", "package", "use", "fn":
		return true
	}
	return false
}

func isCode(trimmed []byte) bool {
	switch trimmed[len(trimmed)-1] {
	case ';', '{', '}':
		return true
	}
	return isBrackets(trimmed) || mayBeCode(trimmed) && code.Match(trimmed)
}

// isBrackets tells whether there is nothing but brackets and what separates them.
func isBrackets(trimmed []byte) bool {
	for _, c := range trimmed {
		switch c {
		case '{', '}', '[', ']', '(', ')', ',', ';':
		default:
			return false
		}
	}
	return true
}

// letterShare is the share of letters in what is not blank, in percent.
func letterShare(line []byte) int {
	letters, all := 0, 0
	for i := 0; i < len(line); {
		c, size := line[i], 1
		isLetter, isBlank := letter.is(c), space.is(c)
		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRune(line[i:])
			isLetter, isBlank = unicode.IsLetter(r), unicode.IsSpace(r)
		}
		i += size
		if isBlank {
			continue
		}
		all++
		if isLetter {
			letters++
		}
	}
	if all == 0 {
		return 100
	}
	return 100 * letters / all
}
