package detect

import (
	"bytes"
	"regexp"

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
func userCorrection(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("user-correction")
	if !on {
		return nil
	}
	acted := false
	return &Observer{Block: func(b *transcript.Block) {
		switch {
		case b.Kind == transcript.ToolCall && !b.Call.Sidechain:
			acted = true
		case b.Kind == transcript.Prompt && isPersonal(b):
			pattern, found := correction(s.registry.Patterns, b.Text)
			if found && acted {
				at := placeOf(b)
				report(at.hit(&record.UserCorrectionEvidence{
					Pattern: record.NewName(pattern), AfterTool: true, Site: at.site(),
				}, rule, promptKey(b)))
			}
			acted = false
		}
	}}
}

// isPersonal tells whether a prompt is a person's own words: not a program's, not
// the arguments of a slash command, and not text that begins with a tag, which
// something put there.
func isPersonal(b *transcript.Block) bool {
	return !b.Prompt.Programmatic && len(b.Prompt.Command) == 0 && !bytes.HasPrefix(bytes.TrimSpace(b.Text), []byte("<"))
}

// promptKey tells prompts of a session apart: the record's id, and for the
// reason of a refusal that of the call.
func promptKey(b *transcript.Block) string {
	if len(b.UUID) > 0 {
		return string(b.UUID)
	}
	return record.LineAnchor(b.Line).Key()
}

// notSaid is what a prompt quotes and does not say: fenced code, code spans, and
// quoted lines.
var notSaid = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`|(?m:^[ \t]*>[^\n]*$)")

// correction gives the id of the first enabled pattern that matches what the
// prompt says.
func correction(patterns []rules.Pattern, text []byte) (id string, found bool) {
	said := notSaid.ReplaceAll(text, []byte(" "))
	for _, p := range patterns {
		if p.Enabled && p.Regex.Match(said) {
			return p.ID, true
		}
	}
	return "", false
}
