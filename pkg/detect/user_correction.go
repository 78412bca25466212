package detect

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "user-correction",
		Doc:  "A prompt after a tool call matches a correction pattern of the registry.",
		New:  userCorrection,
	})
}

// userCorrection reports the first enabled pattern that matches a prompt, once a
// prompt, when the agent did something since the prompt before it.
//
// Words alone know little: with the patterns of the seed 4 of 24 hits on recorded
// prompts that two readers had judged were pushback, and most others were `again`
// in a request (check again). A profile that judges prompts by what came before
// and after them therefore has the last word: with it a match counts only where
// the gate takes the prompt for pushback, and the pattern says what it is about.
func userCorrection(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("user-correction")
	if !on {
		return nil
	}
	judged := opt.profile().Turns == profile.Messages
	acted := false
	var matches []match
	return &Observer{
		Block: func(b *transcript.Block) {
			switch {
			case b.Kind == transcript.ToolCall && !b.Call.Sidechain:
				acted = true
			case b.Kind == transcript.Prompt && isPersonal(b):
				if said, ok := saidAtStart(b.Text); ok && acted {
					m := match{said: said, anchor: placeIn(b, 0).anchor(), at: placeOf(b)}
					if judged || m.find(s.registry.Patterns) {
						matches = append(matches, m)
					}
				}
				acted = false
			}
		},
		// The gate judges a prompt at the one after it, the last one at the end;
		// its observers come before this one.
		End: func(*transcript.Summary) {
			for _, m := range matches {
				if _, pushback := s.pushback[m.anchor.Key()]; judged && (!pushback || !m.find(s.registry.Patterns)) {
					continue
				}
				e := &record.UserCorrectionEvidence{Pattern: record.NewName(m.pattern), AfterTool: true, Anchor: m.anchor, Site: m.at.site()}
				report(m.at.hit(e, rule, m.anchor.Key()))
			}
		},
	}
}

// match is a prompt that matches a pattern, or may: where the gate has the last word
// it has the first one, too, for it takes few prompts for pushback, and the patterns
// of a registry took a tenth of a scan.
type match struct {
	said    []byte
	pattern string
	anchor  record.Anchor
	at      place
}

// isPersonal tells whether a prompt is a person's own words: not a program's, not
// the arguments of a slash command, and not text that begins with a tag, which
// something put there.
func isPersonal(b *transcript.Block) bool {
	return !b.Prompt.Programmatic && len(b.Prompt.Command) == 0 && !bytes.HasPrefix(bytes.TrimSpace(b.Text), []byte("<"))
}

// Bounds of what is looked at in a prompt, in characters: a longer prompt is
// pasted material, and who corrects does so at the start.
const (
	longestPrompt = 2000
	promptHead    = 200
)

// notSaid is what a prompt quotes and does not say: fenced code, code spans, and
// quoted lines.
var notSaid = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`|(?m:^[ \t]*>[^\n]*$)")

// saidAtStart is a copy of the start of what a prompt says; not ok for a prompt that
// is too long.
func saidAtStart(text []byte) (said []byte, ok bool) {
	if utf8.RuneCount(text) > longestPrompt {
		return nil, false
	}
	if bytes.IndexByte(text, '`') >= 0 || bytes.IndexByte(text, '>') >= 0 {
		text = notSaid.ReplaceAll(text, []byte(" "))
	}
	return bytes.Clone(head(text, promptHead)), true
}

// isCorrection tells whether an enabled pattern matches what a prompt says.
func isCorrection(patterns []rules.Pattern, text []byte) bool {
	said, ok := saidAtStart(text)
	return ok && (&match{said: said}).find(patterns)
}

// find looks for the first enabled pattern that matches what was said.
func (m *match) find(patterns []rules.Pattern) bool {
	for _, p := range patterns {
		if p.Enabled && p.Regex.Match(m.said) {
			m.pattern = p.ID
			return true
		}
	}
	return false
}

// head is the first n characters of a text.
func head(text []byte, n int) []byte {
	for i := range string(text) {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
