package detect

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file is the original gate restated without regard to speed, to judge
// the observers of the classic profile.

// slowGate is the state of a run and what came of it.
type slowGate struct {
	session  string
	turn     int
	lastLen  int
	run      int
	runStart any
	errors   []int
	rejects  []int
	edits    []*slowFile
	hits     [5][]any // ids of S1 to S5
	drift    bool
}

type slowFile struct {
	path  string
	edits []slowEdit
}

type slowEdit struct {
	turn, line int
	id         any
	tool       string
}

// slowRun judges a transcript of the name with the ledger's text; ledger is ""
// when there is none.
func slowRun(name, transcript, ledger string) *slowGate {
	g := &slowGate{turn: -1, drift: transcript != ""}
	for n, line := range slowLines(transcript) {
		v, ok := slowParse(slowStrip(line))
		record, isDict := v.(slowDict)
		if !ok || !isDict {
			continue
		}
		g.line(n, record)
	}
	g.closeRun()
	g.loops()
	if g.session == "" {
		g.session = strings.TrimSuffix(path.Base(name), ".jsonl")
	}
	g.ledger(ledger)
	return g
}

// slowLines decodes and splits a text as Python's text files do.
func slowLines(text string) []string {
	text = slowDecode(text)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// slowDecode puts one U+FFFD for every maximal ill-formed part: the longest
// start of a character, or one byte.
func slowDecode(text string) string {
	var out strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			for n < len(text) && slowStarts(text[:n+1]) {
				n++
			}
		}
		out.WriteRune(r)
		text = text[n:]
	}
	return out.String()
}

// slowStarts tells whether some character starts with these bytes and goes on.
func slowStarts(part string) bool {
	for _, fill := range []string{"\x80", "\x80\x80", "\xbf", "\xbf\xbf", "\x90\x80", "\xa0\x80"} {
		runes := []rune(part + fill)
		if len(runes) == 1 && runes[0] != '\uFFFD' && len(part) < len(string(runes)) {
			return true
		}
	}
	return false
}

func slowIsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func slowStrip(s string) string { return strings.TrimFunc(s, slowIsSpace) }

func (g *slowGate) line(n int, record slowDict) {
	if n < 50 {
		for _, key := range []string{"type", "uuid", "message", "parentUuid", "sessionId", "timestamp"} {
			g.drift = g.drift && !record.has(key)
		}
	}
	id := record.get("sessionId")
	if !slowTruth(id) {
		id = record.get("session_id")
	}
	if s, ok := id.(string); ok && g.session == "" {
		g.session = s
	}
	message, _ := record.get("message").(slowDict)
	switch record.get("type") {
	case "assistant":
		g.assistant(n, slowID(record, n), message)
	case "user":
		g.user(n, slowID(record, n), message, slowTruth(record.get("isMeta")))
	}
}

func slowID(record slowDict, n int) any {
	for _, key := range []string{"uuid", "messageId"} {
		if v := record.get(key); slowTruth(v) {
			return v
		}
	}
	return "line:" + strconv.Itoa(n)
}

// slowText is the text of a message and its blocks that are objects.
func slowText(message slowDict) (text string, blocks []slowDict) {
	list, _ := message.get("content").([]any)
	var texts []string
	for _, b := range list {
		block, ok := b.(slowDict)
		if !ok {
			continue
		}
		blocks = append(blocks, block)
		if t, ok := block.get("text").(string); ok && t != "" && block.get("type") == "text" {
			texts = append(texts, t)
		}
	}
	if s, ok := message.get("content").(string); ok {
		return s, nil
	}
	return strings.Join(texts, "\n"), blocks
}

func (g *slowGate) assistant(n int, id any, message slowDict) {
	g.turn++
	text, blocks := slowText(message)
	g.lastLen = len([]rune(text))
	for range slowCount(text, slowRetries) {
		g.hits[3] = append(g.hits[3], id)
	}
	for _, b := range blocks {
		tool, _ := b.get("name").(string)
		if b.get("type") != "tool_use" || !slices.Contains([]string{"Edit", "Write", "MultiEdit", "NotebookEdit"}, tool) {
			continue
		}
		input, _ := b.get("input").(slowDict)
		for _, key := range []string{"file_path", "notebook_path", "path"} {
			if p, ok := input.get(key).(string); ok && p != "" {
				g.edit(p, slowEdit{g.turn, n, id, tool})
				break
			}
		}
	}
}

func (g *slowGate) edit(path string, e slowEdit) {
	for _, f := range g.edits {
		if f.path == path {
			f.edits = append(f.edits, e)
			return
		}
	}
	g.edits = append(g.edits, &slowFile{path, []slowEdit{e}})
}

var slowTag = regexp.MustCompile(`<[a-z][a-z0-9-]*([\s\v\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]|>)`)

func (g *slowGate) user(n int, id any, message slowDict, meta bool) {
	text, blocks := slowText(message)
	carrier := false
	for _, b := range blocks {
		if b.get("type") != "tool_result" {
			continue
		}
		carrier = true
		if !slowTruth(b.get("is_error")) {
			g.closeRun()
			continue
		}
		g.errors = append(g.errors, n)
		if g.run++; g.run == 1 {
			g.runStart = id
		}
	}
	if carrier || text == "" || meta {
		return
	}
	if !slowTag.MatchString(text) && !strings.HasPrefix(text, "This session is being continued") {
		for range slowCount(text, slowRejections) {
			g.hits[0] = append(g.hits[0], id)
			g.rejects = append(g.rejects, n)
		}
		if g.lastLen >= 500 && slowTerse(text) {
			g.hits[4] = append(g.hits[4], id)
		}
	}
	g.closeRun()
}

func (g *slowGate) closeRun() {
	if g.run >= 2 {
		g.hits[1] = append(g.hits[1], g.runStart)
	}
	g.run = 0
}

const slowApprovals = " waive ok okay yes sure proceed done approved ship merge lgtm ack go yep yup fine agreed "

func slowTerse(text string) bool {
	words := strings.FieldsFunc(text, slowIsSpace)
	if len(words) < 1 || len(words) > 3 || strings.HasPrefix(words[0], "/") {
		return false
	}
	for _, w := range words {
		w = strings.ReplaceAll(w, "\u0130", "i\u0307") // the only lower case of two runes
		if w = strings.Trim(strings.ToLower(w), ".,!?"); strings.Contains(slowApprovals, " "+w+" ") {
			return false
		}
	}
	return true
}

func (g *slowGate) loops() {
	for _, f := range g.edits {
		for i := 2; i < len(f.edits); i++ {
			first, last := f.edits[i-2], f.edits[i]
			if last.turn-first.turn > 10 {
				continue
			}
			if f.edits[0].tool != "Write" || g.between(f.edits[0].line, last.line) {
				g.hits[2] = append(g.hits[2], first.id)
			}
			break
		}
	}
}

func (g *slowGate) between(a, b int) bool {
	for _, p := range slices.Concat(g.errors, g.rejects) {
		if a < p && p <= b {
			return true
		}
	}
	return false
}

// ledger replaces S2 when the ledger covers the session.
func (g *slowGate) ledger(text string) {
	if text == "" || g.session == "" {
		return
	}
	var rows []slowDict
	for _, line := range slowLines(text) {
		v, ok := slowParse(slowStrip(line))
		row, isDict := v.(slowDict)
		if !ok || !isDict || row.get("session_id") != g.session {
			continue
		}
		if _, isText := row.get("event").(string); isText {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		g.hits[1] = nil
	}
	if len(rows) >= 2 {
		g.hits[1] = []any{"ledger:" + rows[0].get("event").(string) + ":" + slowStamp(rows[0].get("ts"))}
	}
}

func slowStamp(ts any) string {
	if s, ok := ts.(string); ok {
		return s
	}
	switch {
	case !slowTruth(ts):
		return ""
	case ts == true:
		return "True"
	}
	return slowDump(ts)
}

// verdict is the line that the original gate prints.
func (g *slowGate) verdict(threshold float64) string {
	weights, caps, shown := [5]float64{3, 2, 2.5, 1.5, 1}, [5]int{3, 1 << 30, 1 << 30, 3, 4}, [5]int{3, 10, 10, 3, 4}
	score := 0.0
	var signals []string
	for i, ids := range g.hits {
		if len(ids) == 0 {
			continue
		}
		count := min(len(ids), caps[i])
		score += weights[i] * float64(count)
		var dumped []string
		for _, id := range ids[:min(len(ids), shown[i])] {
			dumped = append(dumped, slowDump(id))
		}
		signals = append(signals, `{"name":"S`+strconv.Itoa(i+1)+`","count":`+strconv.Itoa(count)+`,"ids":[`+strings.Join(dumped, ",")+`]}`)
	}
	return `{"score":` + slowFloat(score) + `,"passed":` + strconv.FormatBool(score >= threshold) + `,"threshold":` + slowFloat(threshold) +
		`,"signals":[` + strings.Join(signals, ",") + `]}`
}

// The forms of the two lexicons, in the order in which a backtracking matcher
// tries them.
var (
	slowRejections = []string{"revert", "stop", "wrong", "don't", "dont", "why did you", "no that's", "no thats", "undo", "that's not", "thats not", "nope"}
	slowRetries    = []string{"let me try again", "let me try a different", "that didn't work", "that didnt work", "actually, let me", "actually let me",
		"sorry, let me", "sorry let me", "my mistake", "i'll try", "ill try"}
)

// slowCount counts the matches of `\b(form|...)\b` without overlap.
func slowCount(text string, list []string) int {
	runes := []rune(text)
	count := 0
	for at := 0; at < len(runes); {
		if n := slowMatch(runes, at, list); n > 0 {
			count++
			at += n
		} else {
			at++
		}
	}
	return count
}

func slowMatch(runes []rune, at int, list []string) int {
	isWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsNumber(runes[i]) || runes[i] == '_')
	}
	for _, form := range list {
		end := at + len(form)
		if end > len(runes) || isWord(at-1) || isWord(end) {
			continue
		}
		folded := strings.Map(slowFold, string(runes[at:end]))
		if folded == form {
			return len(form)
		}
	}
	return 0
}

func slowFold(r rune) rune {
	switch r {
	case 0x130, 0x131:
		return 'i'
	case 0x17f:
		return 's'
	case 0x212a:
		return 'k'
	}
	return unicode.ToLower(r)
}
