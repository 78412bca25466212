package detect

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"retro/pkg/ndjson"
	"retro/pkg/phrase"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "classic",
		Doc:  "The five signals of the original gate, to the letter: turns are lines of the transcript, hits are matches.",
		New:  newClassic,
	})
}

// classic holds what the five observers of the original gate share. Lines are
// numbered from 0, blank and bad ones included.
type classic struct {
	report  Report
	limits  profile.Limits
	editors []string // the tools that edit
	reject  *phrase.Set
	retry   *phrase.Set
	approve []string
	arena   []byte // for decoded text of the line at hand
	joined  []byte // for text of several blocks of it

	ledger  *Ledger
	session string // by the gate's own rule: the first id that a line names

	turn      int // of the agent, one a line; -1 before the first
	lastLen   int // characters of the latest agent line
	lastEvent int // latest line with a failure or a rejection; -1 for none
	run       errorRun
	runs      []Hit
	edits     editedFiles
}

// errorRun is a run of failed tool results that is not over yet.
type errorRun struct {
	length int
	start  spot
}

// spot is where a hit is: what its signal says of the place.
type spot struct {
	line, turn int
	time       time.Time
	anchor     record.Anchor
}

func newClassic(opt *Options, report Report) *Observer {
	p := opt.profile()
	if p.Turns != profile.Lines {
		return nil
	}
	c := &classic{
		report: report, limits: p.Limits, editors: p.EditTools, ledger: opt.Ledger,
		reject:  p.Phrases(profile.Rejections, phrase.Options{}),
		retry:   p.Phrases(profile.Retries, phrase.Options{}),
		approve: p.Words(profile.Approvals),
		turn:    -1, lastEvent: -1, edits: editedFiles{limits: p.Limits},
	}
	return &Observer{Line: c.line, End: c.end}
}

func (c *classic) line(l *transcript.Line) {
	c.arena = c.arena[:0]
	c.identify(l)
	switch {
	case is(l.Type, "assistant"):
		c.assistant(l)
	case is(l.Type, "user"):
		c.user(l)
	}
}

// is tells whether the value is the string.
func is(v ndjson.Value, word string) bool {
	return v.Kind() == ndjson.String && (string(v[1:len(v)-1]) == word || bytes.IndexByte(v, '\\') >= 0 && v.String() == word)
}

// identify takes the session id from the first line that names one.
func (c *classic) identify(l *transcript.Line) {
	if c.session != "" {
		return
	}
	id := l.SessionID
	if !truthy(id) {
		id = l.SnakeSessionID
	}
	c.session = id.String()
}

// at is the place of the line.
func (c *classic) at(l *transcript.Line) spot {
	anchor := record.LineAnchor(l.Number)
	for _, id := range [...]ndjson.Value{l.UUID, l.MessageID} {
		if !truthy(id) {
			continue
		}
		if a, ok := classicAnchor(id); ok {
			anchor = a
		}
		break
	}
	return spot{line: l.Number, turn: c.turn + 1, time: l.Time, anchor: anchor}
}

// text is the text of the line: a string content, or the text blocks of a
// list joined by line feeds.
//
// Note: a text block whose text is no string ended the run of the original
// gate; here it has no text.
func (c *classic) text(l *transcript.Line) []byte {
	if l.Content.Kind() == ndjson.String {
		return c.decode(l.Content)
	}
	var text []byte
	for i, parts := 0, 0; i < len(l.Blocks); i++ {
		if !is(l.Blocks[i].Type, "text") {
			continue
		}
		part := c.decode(l.Blocks[i].Text)
		if len(part) == 0 {
			continue
		}
		switch parts++; parts {
		case 1:
			text = part
		case 2:
			c.joined = append(c.joined[:0], text...)
			fallthrough
		default:
			c.joined = append(append(c.joined, '\n'), part...)
			text = c.joined
		}
	}
	return text
}

func (c *classic) decode(v ndjson.Value) []byte {
	text, arena, ok := v.Text(c.arena)
	c.arena = arena
	if !ok {
		return nil
	}
	return text
}

// assistant is a turn: S4, and the edits of S3.
func (c *classic) assistant(l *transcript.Line) {
	c.turn++
	text := c.text(l)
	c.lastLen = utf8.RuneCount(text)
	c.matches(l, c.retry, text, "S4", "assistant-retry")
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if !is(b.Type, "tool_use") || b.Name.Kind() != ndjson.String {
			continue
		}
		tool := c.decode(b.Name)
		if slices.Contains(c.editors, string(tool)) {
			if name := c.pathOf(b.Input); len(name) > 0 {
				c.edits.take(string(name), string(tool) == "Write", c.at(l), c.lastEvent)
			}
		}
	}
}

// matches reports every match in the text and tells how many there were.
func (c *classic) matches(l *transcript.Line, set *phrase.Set, text []byte, signal, detector string) (n int) {
	for range set.All(text) {
		c.hit(signal, detector, c.at(l), n, record.Heuristic)
		n++
	}
	return n
}

// hit reports a hit of the signal; of several in one line, n is the number.
func (c *classic) hit(signal, detector string, s spot, n int, how record.Confidence) {
	c.report(friction(signal, detector, s, n, how))
}

func friction(signal, detector string, s spot, n int, how record.Confidence) Hit {
	return Hit{
		Kind: record.Friction, Detector: detector, Confidence: how, Time: s.time, Line: s.line + 1,
		Key:      strconv.Itoa(s.line) + "." + strconv.Itoa(n),
		Evidence: &record.FrictionEvidence{Signal: record.MustIdentifier(signal), Anchor: s.anchor, Turn: s.turn},
	}
}

// user is a line of results, or what the gate takes for a person's words.
func (c *classic) user(l *transcript.Line) {
	if c.results(l) || truthy(l.IsMeta) {
		return
	}
	text := c.text(l)
	if len(text) == 0 {
		return
	}
	if !quiet(text) {
		if c.matches(l, c.reject, text, "S1", "explicit-reject") > 0 {
			c.lastEvent = l.Number
		}
		if c.lastLen >= c.limits.LongTurn && c.terse(text) {
			c.hit("S5", "terse-follow-up", c.at(l), 0, record.Heuristic)
		}
	}
	c.closeRun()
}

// results takes the tool results of the line in their order: S2. It tells
// whether there were any; the text beside them does not count then.
func (c *classic) results(l *transcript.Line) (any bool) {
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if !is(b.Type, "tool_result") {
			continue
		}
		any = true
		if !truthy(b.IsError) {
			c.closeRun()
			continue
		}
		c.lastEvent = l.Number
		if c.run.length == 0 {
			c.run.start = c.at(l)
		}
		c.run.length++
	}
	return any
}

func (c *classic) closeRun() {
	if c.run.length >= c.limits.ErrorRun {
		c.runs = append(c.runs, friction("S2", "tool-error-run", c.run.start, len(c.runs), record.Deterministic))
	}
	c.run.length = 0
}

// quiet tells of text that is not taken for a person's words: with a tag in
// lower case anywhere, or the harness's way to continue a session.
func quiet(text []byte) bool {
	if bytes.HasPrefix(text, []byte("This session is being continued")) {
		return true
	}
	for {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		if tag(text) {
			return true
		}
	}
}

// tag matches `[a-z][a-z0-9-]*[\s>]` at the start.
func tag(text []byte) bool {
	if len(text) == 0 || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	rest := bytes.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz0123456789-")
	r, _ := utf8.DecodeRune(rest)
	return len(rest) > 0 && (r == '>' || isPythonSpace(r))
}

// isPythonSpace is white space to Python: Unicode's, and U+001C to U+001F.
func isPythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }

// terse tells of a reply of a few words that is neither a command nor an
// approval.
func (c *classic) terse(text []byte) bool {
	words := firstWords(text, c.limits.TerseWords+1)
	if len(words) == 0 || len(words) > c.limits.TerseWords || words[0][0] == '/' {
		return false
	}
	return !slices.ContainsFunc(words, c.approves)
}

// firstWords is up to n words of the text.
func firstWords(text []byte, n int) (words [][]byte) {
	for len(words) < n {
		text = bytes.TrimLeftFunc(text, isPythonSpace)
		if len(text) == 0 {
			break
		}
		end := bytes.IndexFunc(text, isPythonSpace)
		if end < 0 {
			end = len(text)
		}
		words = append(words, text[:end])
		text = text[end:]
	}
	return words
}

// approves tells whether the word is an approval: in lower case as Python has
// it, in which only U+0130 becomes two characters, without sentence marks.
func (c *classic) approves(word []byte) bool {
	lower := strings.ToLower(strings.ReplaceAll(string(word), "\u0130", "i\u0307"))
	return slices.Contains(c.approve, strings.Trim(lower, ".,!?"))
}

// pathOf is the first of three inputs of an edit that is a non-empty string.
func (c *classic) pathOf(input ndjson.Value) []byte {
	var values [3]ndjson.Value
	members(input, func(key []byte, v ndjson.Value) {
		switch string(key) {
		case "file_path":
			values[0] = v
		case "notebook_path":
			values[1] = v
		case "path":
			values[2] = v
		}
	})
	for _, v := range values {
		if name := c.decode(v); len(name) > 0 {
			return name
		}
	}
	return nil
}

// end closes what is open and reports what only the end of the session tells.
func (c *classic) end(sum *transcript.Summary) {
	c.closeRun()
	if c.session == "" {
		c.session = sum.ID
	}
	if runs, covered := c.ledger.runs(c.session); covered {
		c.runs = runs
	}
	for _, h := range c.runs {
		c.report(h)
	}
	for _, h := range c.edits.hits(sum.Facts.FirstDir) {
		c.report(h)
	}
}
