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
				if pattern, found := correction(s.registry.Patterns, b.Text); found && acted {
					matches = append(matches, match{pattern, placeIn(b, 0).anchor(), placeOf(b)})
				}
				acted = false
			}
		},
		// The gate judges a prompt at the one after it, the last one at the end;
		// its observers come before this one.
		End: func(*transcript.Summary) {
			for _, m := range matches {
				if _, pushback := s.pushback[m.anchor.Key()]; judged && !pushback {
					continue
				}
				e := &record.UserCorrectionEvidence{Pattern: record.NewName(m.pattern), AfterTool: true, Anchor: m.anchor, Site: m.at.site()}
				report(m.at.hit(e, rule, m.anchor.Key()))
			}
		},
	}
}

// match is a prompt that matches a pattern.
type match struct {
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

// correction gives the id of the first enabled pattern that matches what the
// prompt says.
func correction(patterns []rules.Pattern, text []byte) (id string, found bool) {
	if utf8.RuneCount(text) > longestPrompt {
		return "", false
	}
	said := head(notSaid.ReplaceAll(text, []byte(" ")), promptHead)
	for _, p := range patterns {
		if p.Enabled && p.Regex.Match(said) {
			return p.ID, true
		}
	}
	return "", false
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
