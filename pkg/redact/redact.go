// Package redact takes secrets, home directories and user names out of text
// that came from a transcript, and makes the compiler hold the rule that
// nothing else is written: what a record or a report may quote is a [Text], and
// only a [Cleaner] makes one.
//
// # What is taken out
//
// A finding is a stretch of the text that a rule takes for a secret; it is
// replaced by [Mark]. The rules are those of the gitleaks project as data
// (gitleaks.go: pattern, keywords, entropy, allowlists) and a few structural
// ones that it lacks: assignments to names that end in TOKEN, SECRET, KEY or
// PASSWORD, Authorization headers, user:password in URLs, and private keys that
// were cut off in the middle. Home directories become `~` and the user's own
// name becomes `user`.
//
// A rule's patterns are compiled when one of its keywords is seen for the
// first time, so that a program that redacts nothing pays nothing.
//
// # Redact, then clip
//
// A clipped text is made by [Cleaner.Head] or [Cleaner.Tail], never by clipping
// first: the head of a token that lost its end is a secret that no pattern
// knows any more.
//
// Too much taken out is a fault as well: a report full of marks says nothing.
// So plain words, numbers, references (`$TOKEN`), placeholders and paths are
// left alone, and a value must look like a secret where its name alone does
// not prove it.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mark stands in place of a secret.
const Mark = "[redacted]"

// Text is text without secrets and personal paths, valid UTF-8. The zero Text
// is empty; every other one was made by a [Cleaner].
type Text struct{ text string }

// String returns the text.
func (t Text) String() string { return t.text }

// IsZero tells whether there is no text.
func (t Text) IsZero() bool { return t.text == "" }

// MarshalText writes the text as it is.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// UnmarshalText cleans what it reads: a record may have been written by
// somebody else.
func (t *Text) UnmarshalText(data []byte) error {
	*t = new(Cleaner).Clean(string(data))
	return nil
}

// Cleaner takes secrets out of text. The zero Cleaner knows no user of its own,
// only the forms that home directories have.
type Cleaner struct {
	// Home is the user's home directory, User the user's name; both may be
	// empty.
	Home, User string
	// KeepHomes leaves a home directory an absolute path and changes only the
	// name in it, to `user`: for text that a program shall read as paths again.
	KeepHomes bool
}

// Clean is the whole text without secrets and personal paths.
func (c *Cleaner) Clean(s string) Text {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return Text{replace(s, c.findings(s))}
}

// margin is how many bytes beyond the clip are looked at: a secret that begins
// inside the clip must be seen to its end to be known as one. The longest that
// the rules match without an end of their own are signed tokens of some
// kilobytes.
const margin = 8 << 10

// Head is the first n characters of the cleaned text. It looks only as far
// into a long text as it must.
func (c *Cleaner) Head(s string, n int) Text {
	for size := n*utf8.UTFMax + margin; size < len(s); size *= 2 {
		part := strings.ToValidUTF8(s[:runeStart(s, size)], "\uFFFD")
		clean := replace(part[:runeStart(part, size-margin)], c.findings(part))
		if utf8.RuneCountInString(clean) >= n {
			return Text{firstRunes(clean, n)}
		}
	}
	return Text{firstRunes(c.Clean(s).text, n)}
}

// Tail is the last n characters of the cleaned text.
func (c *Cleaner) Tail(s string, n int) Text {
	for size := n*utf8.UTFMax + margin; size < len(s); size *= 2 {
		part := strings.ToValidUTF8(s[runeStart(s, len(s)-size):], "\uFFFD")
		from := runeStart(part, margin)
		clean := replace(part[from:], shift(c.findings(part), from))
		if utf8.RuneCountInString(clean) >= n {
			return Text{lastRunes(clean, n)}
		}
	}
	return Text{lastRunes(c.Clean(s).text, n)}
}

// finding is a stretch of a text and what shall stand there instead.
type finding struct {
	start, end int
	with       string
}

func (c *Cleaner) findings(s string) []finding {
	found := append(secrets(s), c.personal(s)...)
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(a.start-b.start, b.end-a.end, strings.Compare(a.with, b.with))
	})
	return merge(found)
}

// merge makes overlapping findings one. A secret swallows the path in it, and
// the other way round.
func merge(sorted []finding) []finding {
	out := sorted[:0]
	for _, f := range sorted {
		if f.start >= f.end {
			continue
		}
		if n := len(out); n > 0 && f.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, f.end)
			if f.with == Mark {
				out[n-1].with = Mark
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// replace puts the findings' replacements into s. A finding that runs out of s
// on either side is replaced as far as it is inside.
func replace(s string, found []finding) string {
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		if f.start >= len(s) || f.end <= 0 {
			continue
		}
		b.WriteString(s[at:max(f.start, at)])
		b.WriteString(f.with)
		at = min(f.end, len(s))
	}
	b.WriteString(s[at:])
	return b.String()
}

func shift(found []finding, by int) []finding {
	for i := range found {
		found[i].start -= by
		found[i].end -= by
	}
	return found
}

// runeStart is the last start of a character at or before i.
func runeStart(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
