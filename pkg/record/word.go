package record

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"retro/pkg/ndjson"
)

// word is a checked string. The types of this file embed it; its field cannot
// be set outside the package, so a string gets into a record only through a
// constructor that checks it.
type word struct{ text string }

// String returns the text.
func (w word) String() string { return w.text }

// IsZero tells whether there is no text; omitempty and omitempty look at it.
func (w word) IsZero() bool { return w.text == "" }

// MarshalJSON writes the text as a JSON string.
func (w word) MarshalJSON() ([]byte, error) { return ndjson.Marshal(w.text) }

// orNull is the text as a JSON string, and null for none.
func (w word) orNull() ([]byte, error) {
	if w.text == "" {
		return []byte("null"), nil
	}
	return w.MarshalJSON()
}

var errRefused = errors.New("value refused: not of this type")

// readWord decodes a JSON string and checks it with ok; null reads as empty.
func readWord(data []byte, ok func(string) bool) (word, error) {
	s, err := textOf(data)
	if err != nil {
		return word{}, err
	}
	return checked(s, ok)
}

// textOf decodes a JSON string; null reads as empty.
func textOf(data []byte) (s string, err error) {
	if string(data) == "null" {
		return "", nil
	}
	if isPlain(data) {
		return string(data[1 : len(data)-1]), nil
	}
	err = ndjson.Unmarshal(data, &s)
	return s, err
}

// isPlain tells whether the data is a JSON string of printable ASCII without
// escapes, as nearly all are.
func isPlain[T ~string | ~[]byte](data T) bool {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return false
	}
	for _, c := range []byte(data[1 : len(data)-1]) {
		if c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// checked is the word of a text, which may be empty.
func checked(s string, ok func(string) bool) (word, error) {
	if s != "" && !ok(s) {
		return word{}, errRefused
	}
	return word{s}, nil
}

// readText lets a type read a JSON string with the method by which it reads
// those inside records.
func readText(data []byte, into interface{ ReadText(string) error }) error {
	s, err := textOf(data)
	if err != nil {
		return err
	}
	return into.ReadText(s)
}

// Identifier is an id or an enumerated name from outside: letters, digits and
// `. _ : / @ + -`, at most 128 bytes.
type Identifier struct{ word }

// NewIdentifier checks s; what does not fit gives the zero Identifier and false.
func NewIdentifier(s string) (Identifier, bool) {
	if !isIdentifier(s) {
		return Identifier{}, false
	}
	return Identifier{word{s}}, true
}

// MustIdentifier is NewIdentifier for constants of the program.
func MustIdentifier(s string) Identifier {
	id, ok := NewIdentifier(s)
	if !ok {
		panic("record: not an identifier")
	}
	return id
}

// UnmarshalJSON reads and checks an identifier.
func (i *Identifier) UnmarshalJSON(data []byte) error { return readText(data, i) }

// ReadText reads and checks an identifier, or nothing.
func (i *Identifier) ReadText(s string) (err error) {
	i.word, err = checked(s, isIdentifier)
	return err
}

func isIdentifier(s string) bool { return s != "" && len(s) <= 128 && identifierSet.holds(s) }

const (
	alphanumerics = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func setOf(bytes string) (s byteSet) {
	for _, c := range []byte(bytes) {
		s[c] = true
	}
	return s
}

// holds tells whether all bytes of the text are in the set. (strings.Trim makes a
// set anew for every text, which was a tenth of the time of the later stages.)
func (s *byteSet) holds(text string) bool { return holds(s, text) }

func holds[T ~string | ~[]byte](s *byteSet, text T) bool {
	for i := range len(text) {
		if !s[text[i]] {
			return false
		}
	}
	return true
}

var (
	identifierSet = setOf(alphanumerics + "._:/@+-")
	sessionSet    = setOf(alphanumerics + "_-")
	hashSet       = setOf(hexDigits)
)

// SessionID names a session: characters outside `[A-Za-z0-9_-]` are removed,
// the rest is cut to 64 bytes, and nothing left reads `unknown`.
type SessionID struct{ word }

// NewSessionID makes a session id of any text.
func NewSessionID(s string) SessionID {
	if s != "" && len(s) <= 64 && sessionSet.holds(s) {
		return SessionID{word{s}}
	}
	s = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (strings.ContainsRune(alphanumerics, r) || r == '_' || r == '-') {
			return r
		}
		return -1
	}, s)
	if len(s) > 64 {
		s = s[:64]
	}
	if s == "" {
		s = "unknown"
	}
	return SessionID{word{s}}
}

// UnmarshalJSON reads a session id, cleaned as by NewSessionID.
func (s *SessionID) UnmarshalJSON(data []byte) error { return readText(data, s) }

// ReadText reads a session id, cleaned as by NewSessionID.
func (s *SessionID) ReadText(text string) error {
	*s = NewSessionID(text)
	return nil
}

// Hash is lower-case hex of 6 to 64 digits.
type Hash struct{ word }

// HashOf is the first n hex digits of the SHA-256 of the parts, each closed
// with a NUL byte so that no two lists of parts run together.
func HashOf(n int, parts ...string) Hash {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return Hash{word{hex.EncodeToString(h.Sum(nil))[:n]}}
}

// CommandHash identifies a shell command without keeping it: the first 12 hex
// digits of the SHA-1 of its text without white space at both ends (rules
// specification, command identity). The empty command has no hash.
func CommandHash(command string) Hash { return KeyOfCommand([]byte(command)).Hash() }

// CommandKey is a [CommandHash] before it is text, to count commands by.
type CommandKey struct {
	sum  [6]byte
	some bool
}

// KeyOfCommand is the key of a shell command; the empty command has the zero key.
func KeyOfCommand(command []byte) CommandKey {
	command = bytes.TrimSpace(command)
	if len(command) == 0 {
		return CommandKey{}
	}
	sum := sha1.Sum(command)
	return CommandKey{[6]byte(sum[:]), true}
}

// Hash is the key as text; none for the zero key.
func (k CommandKey) Hash() Hash {
	if !k.some {
		return Hash{}
	}
	return Hash{word{hex.EncodeToString(k.sum[:])}}
}

// NewHash checks s.
func NewHash(s string) (Hash, bool) {
	if !isHash(s) {
		return Hash{}, false
	}
	return Hash{word{s}}, true
}

// UnmarshalJSON reads and checks a hash.
func (h *Hash) UnmarshalJSON(data []byte) error { return readText(data, h) }

// ReadText reads and checks a hash, or nothing.
func (h *Hash) ReadText(s string) (err error) {
	h.word, err = checked(s, isHash)
	return err
}

// IsHash tells whether a text is a [Hash].
func IsHash[T ~string | ~[]byte](s T) bool {
	return len(s) >= 6 && len(s) <= 64 && holds(&hashSet, s)
}

func isHash(s string) bool { return IsHash(s) }

// Timestamp is a moment in UTC with milliseconds, always in one form
// (`2026-03-01T08:00:00.000Z`), so that a column of them has one type and
// string order is time order.
type Timestamp struct{ word }

const timestampForm = "2006-01-02T15:04:05.000Z"

// NewTimestamp is the record's form of t; the zero time has no Timestamp.
func NewTimestamp(t time.Time) Timestamp {
	if t.IsZero() {
		return Timestamp{}
	}
	return Timestamp{word{t.UTC().Format(timestampForm)}}
}

// MarshalJSON writes the text; no moment is null, because an empty string among
// the times of a column would make a column of strings.
func (t Timestamp) MarshalJSON() ([]byte, error) { return t.orNull() }

// ParseTimestamp reads an RFC 3339 text with any offset and precision.
func ParseTimestamp(s string) (Timestamp, bool) {
	if isTimestamp(s) {
		return Timestamp{word{s}}, true
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return Timestamp{}, false
	}
	return NewTimestamp(t), true
}

// Time returns the moment; the zero Timestamp gives the zero time.
func (t Timestamp) Time() time.Time {
	moment, _ := time.Parse(timestampForm, t.text)
	return moment
}

// Day is the day of the moment in UTC, which its text begins with; the empty day
// for none.
func (t Timestamp) Day() Day { return Day{word{t.text[:min(len(t.text), len(time.DateOnly))]}} }

// UnmarshalJSON reads an RFC 3339 text. One without a zone, as older hooks
// wrote it, is taken for UTC.
func (t *Timestamp) UnmarshalJSON(data []byte) error { return readText(data, t) }

// ReadText reads what UnmarshalJSON reads, or nothing.
func (t *Timestamp) ReadText(s string) error {
	if s == "" {
		*t = Timestamp{}
		return nil
	}
	stamp, ok := ParseTimestamp(s)
	if !ok {
		stamp, ok = ParseTimestamp(s + "Z")
	}
	if !ok {
		return errRefused
	}
	*t = stamp
	return nil
}

func isTimestamp(s string) bool {
	if len(s) != len(timestampForm) {
		return false
	}
	if isUsualTimestamp(s) {
		return true
	}
	_, err := time.Parse(timestampForm, s)
	return err == nil
}

// isUsualTimestamp tells whether s is a moment by its digits alone: not one at the
// end of a month, of which only a calendar knows.
func isUsualTimestamp(s string) bool {
	for i, c := range []byte(timestampForm) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit != (c >= '0' && c <= '9') || !digit && s[i] != c {
			return false
		}
	}
	month, day := s[5:7], s[8:10]
	return month >= "01" && month <= "12" && day >= "01" && day <= "28" && s[11:13] < "24" && s[14:16] < "60" && s[17:19] < "60"
}

// Path is a path inside the project, slash-separated and relative to its root,
// at most 300 characters; everything outside is the one word `external`.
type Path struct{ word }

// External is the path of everything outside the project.
var External = Path{word{"external"}}

// NewPath checks a path that is already relative to the project root. Absolute
// paths, paths that climb out, drive or UNC paths, and texts that are no path of
// a file are [External]. It looks at the text alone; symbolic links are resolved by whoever knows the root.
func NewPath(s string) Path {
	if !isPath(s) {
		return External
	}
	return Path{word{clip(s, 300)}}
}

// UnmarshalJSON reads and checks a path.
func (p *Path) UnmarshalJSON(data []byte) error { return readText(data, p) }

// ReadText reads and checks a path, or nothing.
func (p *Path) ReadText(s string) error {
	*p = Path{}
	if s != "" {
		*p = NewPath(s)
	}
	return nil
}

func isPath(s string) bool {
	switch {
	case strings.TrimSpace(s) == "", strings.HasPrefix(s, "/"), strings.HasPrefix(s, `\`):
		return false
	case len(s) > 2 && s[1] == ':' && (s[2] == '/' || s[2] == '\\'):
		return false
	}
	return s != ".." && !strings.HasPrefix(s, "../") && utf8.ValidString(s) && strings.IndexFunc(s, neverInPath) < 0
}

// neverInPath finds what no file of a project has in its name (no tool of any
// system makes such names, and Windows forbids them): a text that holds it was
// put where a path belongs.
func neverInPath(r rune) bool {
	return r < 0x20 || r == 0x7f || strings.ContainsRune("\"<>|?*", r)
}

// clip cuts s to at most n characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Name is the name of a program, tool, branch, model or version as an agent
// wrote it: [A-Za-z0-9._+/@:-] and at most 120 bytes, else the word `other`.
type Name struct{ word }

// NewName keeps s when it has the form of a name; "" stays empty and anything
// else becomes `other`.
func NewName(s string) Name {
	if s == "" {
		return Name{}
	}
	if len(s) > 120 || !identifierSet.holds(s) {
		return Name{word{"other"}}
	}
	return Name{word{s}}
}

// UnmarshalJSON reads a name, anything else as `other`.
func (n *Name) UnmarshalJSON(data []byte) error { return readText(data, n) }

// ReadText reads a name, anything else as `other`.
func (n *Name) ReadText(s string) error {
	*n = NewName(s)
	return nil
}

// Day is a calendar day, `2026-03-01`, in the zone that the record names.
type Day struct{ word }

// NewDay is the day of the moment in the zone.
func NewDay(t time.Time, zone *time.Location) Day {
	return Day{word{t.In(zone).Format(time.DateOnly)}}
}

// ParseDay checks s.
func ParseDay(s string) (Day, bool) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return Day{}, false
	}
	return Day{word{s}}, true
}

// MarshalJSON writes null for no day, as for no [Timestamp].
func (d Day) MarshalJSON() ([]byte, error) { return d.orNull() }

// UnmarshalJSON reads and checks a day.
func (d *Day) UnmarshalJSON(data []byte) error { return readText(data, d) }

// ReadText reads and checks a day, or nothing.
func (d *Day) ReadText(s string) (err error) {
	d.word, err = checked(s, func(s string) bool { _, ok := ParseDay(s); return ok })
	return err
}

// Anchor says where in a transcript a hit is: the uuid of a message, or
// `line:N`. The classic gate outputs the value of any JSON type as it stood, so
// an Anchor holds a JSON value; non-ASCII characters are written as \uXXXX.
type Anchor struct{ json string }
