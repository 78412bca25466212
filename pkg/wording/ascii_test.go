package wording

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The judges of the tables: the same by the functions of the standard library,
// character by character.

func slowFold(text []byte) (dst []byte) {
	table := foldTable()
	for _, r := range string(norm.NFC.Bytes(text)) {
		r = unicode.ToLower(r)
		s, ok := table[r]
		if !ok {
			s = string(r)
		}
		dst = append(dst, s...)
	}
	return dst
}

func slowTokens(folded string) (dst []token) {
	start := true
	for i := 0; i < len(folded); {
		r, size := utf8.DecodeRuneInString(folded[i:])
		rest := folded[i+size:]
		if isWordRune(r) {
			n := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return isWordRune(r) && !isUnspaced(r) }))
			if isUnspaced(r) {
				n = 0
			}
			text := []byte(folded[i : i+size+n])
			dst = append(dst, token{text: text, word: !unicode.Is(unicode.Mn, r), first: start, unspaced: isUnspaced(r), hash: hashOf(text)})
			i, start = i+size+n, false
			continue
		}
		if i += size; r != '\n' && unicode.IsSpace(r) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case strings.ContainsRune("!?\n;", r):
			start = true
		case r == '.' || r == ':':
			start = start || rest == "" || unicode.IsSpace(next) || strings.ContainsRune(sentenceEnds, next)
		}
		if !strings.ContainsRune(vanishing, r) {
			dst = append(dst, token{text: []byte(folded[i-size : i])})
		}
	}
	return dst
}

func slowShare(line string) int {
	letters, all := 0, 0
	for _, r := range line {
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

func slowHead(text string) string {
	runes := []rune(text)
	if len(runes) <= headLength {
		return text
	}
	head := string(runes[:headLength])
	end := -1
	for _, stop := range []string{". ", "\n", "? ", "! "} {
		end = max(end, strings.LastIndex(head, stop))
	}
	if end > len(head)/2 {
		return head[:end+1]
	}
	return head
}

func checkTables(t *testing.T, text []byte) {
	t.Helper()
	folded := fold(nil, text)
	if want := slowFold(text); utf8.Valid(text) && !bytes.Equal(folded, want) {
		t.Errorf("fold(%q) = %q, want %q", text, folded, want)
	}
	same := func(a, b token) bool {
		return bytes.Equal(a.text, b.text) && a.word == b.word && a.first == b.first && a.unspaced == b.unspaced && a.hash == b.hash
	}
	if got, want := tokenize(nil, folded), slowTokens(string(folded)); !slices.EqualFunc(got, want, same) {
		t.Errorf("tokens of %q: %v, want %v", folded, got, want)
	}
	if n := Chars(text); n != utf8.RuneCount(text) {
		t.Errorf("%q has %d characters, not %d", text, utf8.RuneCount(text), n)
	}
	if utf8.Valid(text) && string(headOf(text)) != slowHead(string(text)) {
		t.Errorf("head of %q: %q, want %q", text, headOf(text), slowHead(string(text)))
	}
	if got := appendLower(nil, text); !bytes.Equal(got, bytes.ToLower(text)) {
		t.Errorf("%q in lower case: %q", text, got)
	}
	for line := range bytes.Lines(text) {
		checkLine(t, bytes.TrimSpace(line))
	}
}

// checkLine checks that a quick look keeps no line from its expression.
func checkLine(t *testing.T, line []byte) {
	t.Helper()
	if len(line) == 0 {
		return
	}
	if got, want := letterShare(line), slowShare(string(line)); got != want {
		t.Errorf("%q has %d %% letters, want %d", line, got, want)
	}
	if prompt.Match(line) && !mayBePrompt(line) {
		t.Errorf("%q is a prompt", line)
	}
	if code.Match(line) && !mayBeCode(line) {
		t.Errorf("%q is code", line)
	}
	if n := pathLength(line); n > 0 && !hasSlash(line) {
		t.Errorf("%q begins with a path", line)
	}
	if isTerminalMark(line) != strings.ContainsRune(terminalMarks, []rune(string(line))[0]) {
		t.Errorf("%q begins with a mark of a terminal: %t", line, isTerminalMark(line))
	}
}

var oddTexts = []string{
	"", "It's DONE. Isn't it?\r\n\tno: a.go:12; x_y-z 'q'", "\x00\x01\x7f\x0b\x0c", "déjà Œuvre ИЛИ ёж 對嗎？不。好 はい・ﾊ 한국어 \u3099a\u0301",
	"user@host:~/x$ make", "PS C:\\> dir", ">>> 1", "(venv) me@box %", `"key": 1`, "diff --git a b", "@@ -1 +1 @@", "+++ b", "index 0a1b2c3..4", "12 | x", "</div>",
	"<a b='c'>", "import x from 'y'", "def f(x):", "return (x)", "useless words; fn x() {", "/usr/bin/x ~/a/b ./c/d e/f g//h @scope/name", "❯ ls", "✓ ok", "$ x", "% y", "\xff\xfe é\xc3", "@@ x@y: $",
	strings.Repeat("é. A", 90), strings.Repeat("a. ", 120), strings.Repeat("word ", 70) + "\n", strings.Repeat("x", 160) + "? " + strings.Repeat("y", 200), strings.Repeat("z", headLength),
}

func TestTables(t *testing.T) {
	for _, text := range oddTexts {
		checkTables(t, []byte(text))
	}
	for c := range 256 {
		checkTables(t, []byte{'a', byte(c), 'B', ' ', byte(c)})
		checkTables(t, []byte{byte(c), ' ', 'x', '(', '='})
	}
	for n := range 40 {
		text := append(bytes.Repeat([]byte("a"), n), "é..."...)
		if got := asciiLength(text); got != n {
			t.Errorf("%d ASCII bytes, not %d", n, got)
		}
	}
}

func FuzzTables(f *testing.F) {
	for _, text := range oddTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkTables(t, text) })
}
