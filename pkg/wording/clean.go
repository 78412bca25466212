package wording

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxCleaned is how much of a text is looked at, in bytes: what follows is
	// pasted material.
	maxCleaned = 16 << 10
	// headLength is how much of the prose the lexicons look at, in characters.
	headLength = 300
)

// Prose is what is left of a text when everything is out that its writer did
// not say.
type Prose struct {
	// Text is the prose; code, quotations, addresses and paths in it are the
	// word `qq`.
	Text []byte
	// Head is its start, cut behind a sentence.
	Head []byte
	// Pasted tells that something was taken out, PastedError that an error
	// word was in it.
	Pasted, PastedError bool
	// Chars is the length of Text in characters.
	Chars int
}

// Cleaner cleans texts with buffers of its own: a Prose is valid until the
// next call. It is used by one goroutine at a time.
type Cleaner struct {
	lines, out []byte
	lower      []byte // the line at hand, in lower case
	// Keep leaves everything in; only blanks are squeezed.
	Keep bool
}

// Clean cleans at most the first limit bytes of a text; 0 is maxCleaned.
func (c *Cleaner) Clean(text []byte, limit int) Prose {
	if limit == 0 {
		limit = maxCleaned
	}
	if len(text) > limit {
		text = text[:limit]
	}
	var p Prose
	c.lines = c.lines[:0]
	if c.Keep {
		c.lines = append(c.lines, text...)
	} else {
		c.dropBlocks(text, &p)
	}
	c.out = c.out[:0]
	c.replace(c.lines)
	p.Text = squeeze(c.out)
	p.Chars = Chars(p.Text)
	p.Head = headOf(p.Text)
	return p
}

// dropBlocks copies the lines of a text without fences, quotations and what
// was pasted.
func (c *Cleaner) dropBlocks(text []byte, p *Prose) {
	var fence string
	trace, fenced := false, hasFence(text)
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if fenced {
			line = c.fences(line, &fence, p)
		}
		if line == nil {
			continue
		}
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) == 0:
			trace = false
		case trimmed[0] == '>':
			p.Pasted = true
			continue
		default:
			isTrace := c.isTraceLine(trimmed)
			if isTrace || trace || isPasteLine(line, trimmed) {
				p.paste(line)
				trace = trace || isTrace
				continue
			}
		}
		c.lines = append(append(c.lines, line...), '\n')
	}
}

// fences follows the fences through a line and returns what stands outside of
// them; nil when that is nothing.
func (c *Cleaner) fences(line []byte, open *string, p *Prose) []byte {
	if *open == "" && !hasFence(line) {
		return line
	}
	var outside []byte
	for {
		if *open != "" {
			i := bytes.Index(line, []byte(*open))
			if i < 0 {
				p.paste(line)
				break
			}
			p.paste(line[:i])
			line, *open = line[i+3:], ""
			continue
		}
		at, which := firstFence(line)
		if at < 0 {
			outside = append(outside, line...)
			break
		}
		outside = append(append(outside, line[:at]...), ' ')
		p.Pasted = true
		line, *open = line[at+3:], which
	}
	return outside
}

var fenceMarks = []string{"```", "~~~", `"""`}

func hasFence(line []byte) bool {
	at, _ := firstFence(line)
	return at >= 0
}

func firstFence(line []byte) (at int, which string) {
	at = -1
	for _, f := range fenceMarks {
		if i := bytes.Index(line, []byte(f)); i >= 0 && (at < 0 || i < at) {
			at, which = i, f
		}
	}
	return at, which
}

// paste notes that the text was taken out.
func (p *Prose) paste(text []byte) {
	p.Pasted = true
	p.PastedError = p.PastedError || hasErrorWord(text)
}

// errorWords in pasted text make an error of it.
var errorWords = []string{"error", "fail", "exception", "panic", "denied", "fatal", "traceback", "not found", "undefined", "cannot",
	"unable", "refused", "invalid", "timeout", "timed out", "err!", "missing", "unexpected"}

func hasErrorWord(text []byte) bool {
	lower := bytes.ToLower(text)
	for _, w := range errorWords {
		if bytes.Contains(lower, []byte(w)) {
			return true
		}
	}
	return false
}

// placeholder stands for code, quotations, addresses and paths.
const placeholder = " qq "

// quotations are the pairs of marks around what somebody else said, with the
// most bytes that may stand between.
var quotations = []struct {
	open, close string
	most        int
}{{"`", "`", 1 << 10}, {`"`, `"`, 300}, {"“", "”", 300}, {"„", "“", 300}, {"„", "”", 300}, {"«", "»", 300}, {"「", "」", 300}, {"『", "』", 300}}

// replace copies the text with a placeholder for each span that is not prose.
func (c *Cleaner) replace(text []byte) {
	for i := 0; i < len(text); {
		if n := plainLength(text[i:]); n > 1 && i > 0 && !isSpace(text[i-1]) {
			c.out = append(c.out, text[i:i+n-1]...)
			i += n - 1
			continue
		}
		if n := c.span(text, i); n > 0 {
			c.out = append(c.out, placeholder...)
			i += n
			continue
		}
		if n := imageLength(text[i:]); n > 0 {
			c.out = append(c.out, ' ')
			i += n
			continue
		}
		c.out = append(c.out, text[i])
		i++
	}
}

// plainLength is how many bytes at the start of b can begin no span but a path,
// which begins behind a blank only.
func plainLength(b []byte) int {
	for n, c := range b {
		if c >= utf8.RuneSelf || spanByte.is(c) {
			return n
		}
	}
	return len(b)
}

// span is the length of the span at i that is not prose.
func (c *Cleaner) span(text []byte, i int) int {
	if c.Keep {
		return 0
	}
	rest := text[i:]
	switch rest[0] {
	case '`', '"', 0xC2, 0xE2, 0xE3:
		for _, q := range quotations {
			if n := quotationLength(rest, q.open, q.close, q.most); n > 0 {
				return n
			}
		}
		if bytes.HasPrefix(rest, []byte("‘")) {
			return singleLength(text, i)
		}
	case '\'':
		return singleLength(text, i)
	}
	if rest[0] == 'h' && (bytes.HasPrefix(rest, []byte("http://")) || bytes.HasPrefix(rest, []byte("https://"))) {
		return wordLength(rest)
	}
	if (i == 0 || isSpace(text[i-1])) && hasSlash(rest) {
		return pathLength(rest)
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func wordLength(b []byte) int {
	n := 0
	for n < len(b) && !isSpace(b[n]) {
		n++
	}
	return n
}

// quotationLength is the length of a quotation on one line.
func quotationLength(b []byte, open, close string, most int) int {
	if !bytes.HasPrefix(b, []byte(open)) {
		return 0
	}
	inside := b[len(open):]
	if len(inside) > most {
		inside = inside[:most]
	}
	if i := bytes.IndexByte(inside, '\n'); i >= 0 {
		inside = inside[:i]
	}
	i := bytes.Index(inside, []byte(close))
	if i <= 0 {
		return 0
	}
	return len(open) + i + len(close)
}

// singleLength is the length of a quotation in single quotes: only between
// blanks or marks, or it would be an apostrophe.
func singleLength(text []byte, i int) int {
	if i > 0 && !isSpace(text[i-1]) && text[i-1] != '(' {
		return 0
	}
	_, first := utf8.DecodeRune(text[i:])
	const most = 80
	n := 0
	for j := i + first; j < len(text) && n <= most; n++ {
		r, size := utf8.DecodeRune(text[j:])
		switch {
		case r == '\n':
			return 0
		case r == '\'' || r == '’':
			end := j + size
			if n > 0 && (end == len(text) || strings.IndexByte(" \n\t).,;:!?", text[end]) >= 0) {
				return end - i
			}
			return 0
		}
		j += size
	}
	return 0
}

// hasSlash tells whether there is a slash in the word at the start of b.
func hasSlash(b []byte) bool {
	for _, c := range b {
		if c == '/' || isSpace(c) {
			return c == '/'
		}
	}
	return false
}

// pathLength is the length of a path with a slash at the start of b.
func pathLength(b []byte) int {
	i := 0
	for i < len(b) && strings.IndexByte("@~./", b[i]) >= 0 {
		i++
	}
	slash, end := false, i
	for end < len(b) {
		r, size := utf8.DecodeRune(b[end:])
		if r == '/' && end > i && b[end-1] != '/' {
			slash = true
		} else if !isWordRune(r) && r != '.' && r != '-' && r != ':' || r == '/' {
			break
		}
		end += size
	}
	if !slash || b[end-1] == '/' {
		return 0
	}
	return end
}

// imageLength is the length of the agent's mark for pasted pictures and text.
func imageLength(b []byte) int {
	if b[0] != '[' || !bytes.HasPrefix(b, []byte("[Image")) && !bytes.HasPrefix(b, []byte("[Pasted text")) {
		return 0
	}
	return bytes.IndexByte(b, ']') + 1
}

// squeeze makes one blank of several, in place, and drops blank lines.
func squeeze(b []byte) []byte {
	out := b[:0]
	for _, c := range b {
		if c == '\t' {
			c = ' '
		}
		last := byte('\n')
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case c == ' ' && (last == ' ' || last == '\n'):
			continue
		case c == '\n' && last == ' ':
			out[len(out)-1] = '\n'
			continue
		case c == '\n' && last == '\n':
			continue
		}
		out = append(out, c)
	}
	return bytes.TrimSpace(out)
}

// headOf cuts the prose behind a sentence that ends in the second half of what
// the head may hold.
func headOf(text []byte) []byte {
	cut := charsLength(text, headLength)
	if cut == len(text) {
		return text
	}
	for end := cut - 1; end > cut/2; end-- {
		switch text[end] {
		case '\n':
			return text[:end+1]
		case '.', '?', '!':
			if end+1 < cut && text[end+1] == ' ' {
				return text[:end+1]
			}
		}
	}
	return text[:cut]
}

// charsLength is the length of the first n characters of a text, in bytes.
func charsLength(text []byte, n int) int {
	if len(text) <= n || asciiLength(text[:n]) == n {
		return min(n, len(text))
	}
	for i := range runes(text) {
		if n--; n < 0 {
			return i
		}
	}
	return len(text)
}

// Latin tells whether nine of ten letters of the text are Latin ones.
func Latin(text []byte) bool {
	letters, latin := 0, 0
	for _, r := range runes(text) {
		if unicode.IsLetter(r) {
			letters++
			if r < 0x250 {
				latin++
			}
		}
	}
	return float64(latin) > 0.9*float64(max(1, letters))
}
