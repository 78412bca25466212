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

// isTraceLine tells whether a line, trimmed, is one of a trace or a log: the
// lines that follow it up to the next blank one belong to it.
func isTraceLine(line []byte) bool {
	lower := bytes.ToLower(line[:min(len(line), 200)])
	for _, o := range traceOpenings {
		if bytes.HasPrefix(lower, []byte(o)) {
			return true
		}
	}
	for _, level := range logLevels {
		rest, ok := bytes.CutPrefix(bytes.TrimPrefix(lower, []byte("[")), []byte(level))
		if ok && len(rest) > 0 && (rest[0] == ' ' && (lower[0] == '[' || isUpper(line)) || rest[0] == ':' || rest[0] == ']') {
			return true
		}
	}
	return isFrame(lower) || isLocated(lower)
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
	first, _ := utf8.DecodeRune(trimmed)
	switch {
	case strings.ContainsRune(terminalMarks, first):
		return true
	case bytes.ContainsAny(trimmed[:min(len(trimmed), 12)], "0123456789") && stamp.Match(trimmed):
		return true
	case prompt.Match(trimmed):
		return true
	case isCode(trimmed):
		return true
	case len(trimmed) > 24 && letterShare(trimmed) < minProseShare:
		return true
	}
	return (line[0] == '\t' || bytes.HasPrefix(line, []byte("    "))) && !bullet.Match(trimmed)
}

func isCode(trimmed []byte) bool {
	switch trimmed[len(trimmed)-1] {
	case ';', '{', '}':
		return true
	}
	if len(bytes.Trim(trimmed, "{}[]()")) == 0 || len(bytes.Trim(trimmed, "{}[](),;")) == 0 {
		return true
	}
	return code.Match(trimmed)
}

// letterShare is the share of letters in what is not blank, in percent.
func letterShare(line []byte) int {
	letters, all := 0, 0
	for _, r := range runes(line) {
		if unicode.IsSpace(r) {
			continue
		}
		all++
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if all == 0 {
		return 100
	}
	return 100 * letters / all
}
