package detect

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"retro/pkg/profile"
	"retro/pkg/transcript"
	"retro/pkg/wording"
)

// span is what lies between two prompts.
type span struct {
	turns       int
	edits       []string // files edited, each once
	changed     bool     // a file was edited or a shell command changed something
	interrupted bool
	tail        []byte // end of the agent's last text
	asksByTool  bool   // the last call asks the person something
}

// tailOfSpan is how much of the agent's last text is kept, in bytes: enough for
// its last question.
const tailOfSpan = 640

// maxSpanEdits is how many files of a span are remembered: far more than anybody
// talks about in the next prompt.
const maxSpanEdits = 1000

func (s *span) reset() {
	*s = span{edits: s.edits[:0], tail: s.tail[:0]}
}

func (s *span) said(text []byte) {
	s.tail = append(s.tail[:0], text[max(0, len(text)-tailOfSpan):]...)
}

func (s *span) did(call *transcript.Call, path []byte) {
	switch name := string(call.Name); {
	case len(path) > 0:
		s.changed = true
		if len(s.edits) < maxSpanEdits && !hasPath(s.edits, path) {
			s.edits = append(s.edits, string(path))
		}
	case name == "Bash":
		s.changed = s.changed || changes(call.Command)
	}
	s.asksByTool = string(call.Name) == "AskUserQuestion" || string(call.Name) == "ExitPlanMode"
}

// lastWords is where a question to the person stands, in characters from the
// end of the agent's text.
const lastWords = 160

// asks tells whether the agent asked the person something at the end.
func (s *span) asks(lexicon *wording.Lexicon) bool {
	if s.asksByTool {
		return true
	}
	tail := bytes.TrimRight(bytes.TrimSpace(s.tail), "*_` \n")
	if bytes.HasSuffix(tail, []byte("?")) || bytes.HasSuffix(tail, []byte("？")) {
		return true
	}
	start := len(s.tail)
	for n := 0; n < lastWords && start > 0; n++ {
		_, size := utf8.DecodeLastRune(s.tail[:start])
		start -= size
	}
	return len(tail) > 0 && lexicon.Find(s.tail[start:], wording.SetOf(wording.Ask)).Has(wording.Ask)
}

func hasPath(paths []string, path []byte) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return p == string(path) })
}

// edited is the file that a call edits; nil for none.
func (g *guarded) edited(call *transcript.Call) []byte {
	if len(call.Path) > 0 && slices.ContainsFunc(g.editTools, func(tool []byte) bool { return bytes.EqualFold(tool, call.Name) }) {
		return call.Path
	}
	return nil
}

// The words of shell commands that change something, and those that take a
// change back. They are looked for as words of the line; a command that only
// names them in a text is rare, and one feature decides nothing alone.
var (
	changingGit   = shellWords("commit push merge rebase cherry-pick rm mv reset checkout revert add")
	revertingGit  = shellWords("revert restore reset stash")
	changingTools = shellWords("rm mv cp mkdir tee apt apt-get")
	changingPairs = map[string]map[string]bool{
		"sed": shellWords("-i"), "npm": shellWords("i install"), "pip": shellWords("install"), "gh": shellWords("pr issue api"),
	}
)

func shellWords(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// changes tells whether a shell line changes files, a repository or a service.
func changes(line []byte) bool {
	found := false
	eachPair(line, func(word, next []byte) {
		found = found || changingTools[string(word)] && len(next) > 0 || changingPairs[string(word)][string(next)] ||
			string(word) == "git" && changingGit[string(next)]
	})
	return found
}

// reverts tells whether a shell line takes a change back.
func reverts(line []byte) bool {
	if !bytes.Contains(line, []byte("git")) {
		return false
	}
	found := false
	eachPair(line, func(word, next []byte) {
		found = found || string(word) == "git" && revertingGit[string(next)]
	})
	if found || !bytes.Contains(line, []byte("git checkout ")) {
		return found
	}
	_, rest, _ := bytes.Cut(line, []byte("git checkout "))
	return bytes.HasPrefix(rest, []byte("--")) || bytes.HasPrefix(rest, []byte("HEAD")) || bytes.Contains(rest, []byte(" -- "))
}

// eachPair calls visit for every word of a shell line and the one behind it;
// `git -C DIR` counts as `git`.
func eachPair(line []byte, visit func(word, next []byte)) {
	var word []byte
	skip := 0
	for len(line) > 0 {
		line = line[pairWord(line, false):]
		n := pairWord(line, true)
		next := line[:n]
		line = line[n:]
		switch {
		case skip > 0:
			skip--
			continue
		case string(word) == "git" && string(next) == "-C":
			skip = 1
			continue
		case word != nil:
			visit(word, next)
		}
		word = next
	}
	if word != nil {
		visit(word, nil)
	}
}

// pairWord is how many bytes at the start of a shell line are part of a word, or
// are not.
func pairWord(line []byte, part bool) int {
	for i, c := range line {
		apart := c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')'
		if apart == part {
			return i
		}
	}
	return len(line)
}

// terse follows what the terse reply is about: a long turn and the first
// prompt behind it.
type terse struct {
	length int  // characters of the text of the newest turn
	fresh  bool // no prompt came since
}

func (t *terse) newTurn() { t.length, t.fresh = 0, true }

func (t *terse) text(b *transcript.Block) {
	if !b.Late {
		t.length += wording.Chars(b.Text)
	}
}

// prompt reports a terse reply: one to three words behind a long turn that
// neither agree nor answer.
func (t *terse) prompt(g *guarded, b *transcript.Block) {
	fresh := t.fresh
	t.fresh = false
	typed := !b.Prompt.Steering && !b.Prompt.Refusal && len(b.Prompt.Command) == 0
	if fresh && typed && t.length >= g.limits.LongTurn && g.isTerse(b.Text) {
		g.hit("S5", "terse-follow-up", placeIn(b, g.turns), "heuristic", nil)
	}
}

var (
	agreeing  = wording.SetOf(wording.Approval, wording.Praise, wording.NewRequest)
	objecting = wording.SetOf(wording.Negation, wording.Complaint, wording.Undo, wording.Contradiction, wording.Failure, wording.Doubt)
	// negatives make any terse reply an objection.
	negatives = shellWords("dont no not never stop wrong nope nah hold wait cancel reject denied nein nicht non pas nao nunca niet net нет не")
	// afterthoughts turn an approval around: "ok but why".
	afterthoughts = shellWords("tho though why")
)

func (g *guarded) isTerse(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] == '/' || wording.HasUnspaced(text) {
		return false
	}
	if n := wording.Words(text, g.limits.TerseWords); n < 1 || n > g.limits.TerseWords {
		return false
	}
	words := g.lexicon.Tokens(text)
	if len(words) == 0 {
		return false
	}
	negative, last, short := false, words[len(words)-1], len(words) == 1 && isShort(words[0])
	for _, w := range words {
		negative = negative || negatives[string(w)]
	}
	many := len(words) > 1
	kinds := g.lexicon.Find(text, agreeing|objecting)
	switch {
	case negative, kinds&objecting != 0:
		return true
	case kinds&agreeing != 0 && g.on(profile.GuardApprovals) && !(many && afterthoughts[string(last)]):
		return false
	}
	return !short && !(g.on(profile.GuardAnswers) && g.span.asks(g.lexicon))
}

// isShort tells whether a word is a number or has at most two letters: the
// name of an option.
func isShort(w []byte) bool {
	return utf8.RuneCount(w) <= 2 || len(bytes.Trim(w, "0123456789")) == 0
}
