package profile

import (
	"fmt"
	"slices"
	"strings"

	"retro/pkg/ndjson"
	"retro/pkg/phrase"
	"retro/pkg/wording"
)

// Parse reads and checks a document. The error names the place in it.
func Parse(document []byte) (*Profile, error) {
	p := new(Profile)
	if err := ndjson.UnmarshalStrict(document, p); err != nil {
		return nil, err
	}
	for _, check := range []func(*Profile) error{checkHead, checkSignals, checkLimits, checkLexicons, checkWording, checkGuards, checkFeatures} {
		if err := check(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func checkHead(p *Profile) error {
	switch {
	case !isName(p.Name):
		return fmt.Errorf("name: must be lower-case letters, digits and hyphens")
	case p.Turns != Lines && p.Turns != Messages:
		return fmt.Errorf("turns: must be %q or %q", Lines, Messages)
	}
	return nil
}

// isName tells whether s is fit for a name, which travels in records.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func checkSignals(p *Profile) error {
	for i := range p.Signals {
		s := &p.Signals[i]
		switch {
		case !isName(strings.ToLower(s.Name)):
			return fmt.Errorf("signals[%d].name: must be letters, digits and hyphens", i)
		case p.Signal(s.Name) != s:
			return fmt.Errorf("signals[%d].name: given twice", i)
		case !isName(s.Detector):
			return fmt.Errorf("signals[%d].detector: must be lower-case letters, digits and hyphens", i)
		case s.Words == "" || strings.ContainsFunc(s.Words, isControl):
			return fmt.Errorf("signals[%d].words: must be one line of text", i)
		case s.Weight < 0:
			return fmt.Errorf("signals[%d].weight: must not be negative", i)
		case s.Shown > MaxShown:
			return fmt.Errorf("signals[%d].shown: must be %d at most", i, MaxShown)
		case s.Cap < 0 || s.Shown < 0 || s.PerTurns < 0:
			return fmt.Errorf("signals[%d]: cap, shown and per_turns must not be negative", i)
		}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 }

func checkLimits(p *Profile) error {
	l := p.Limits
	if l.ErrorRun < 1 || l.LoopEdits < 2 || l.LoopTurns < 0 || l.LongTurn < 0 || l.TerseWords < 0 {
		return fmt.Errorf("limits: error_run must be at least 1, loop_edits at least 2, the others not negative")
	}
	return nil
}

func checkLexicons(p *Profile) error {
	for i, l := range p.Lexicons {
		if _, ok := l.Border.border(); !ok {
			return fmt.Errorf("lexicons[%d].border: must be word, start, end or none", i)
		}
		if !slices.Contains(lexiconKinds, l.Kind) {
			return fmt.Errorf("lexicons[%d].kind: no such kind of lexicon", i)
		}
		for j, entry := range l.Entries {
			if phrase.Check(entry) != nil {
				return fmt.Errorf("lexicons[%d].entries[%d]: not in the notation of phrases", i, j)
			}
		}
	}
	return nil
}

func checkWording(p *Profile) error {
	if _, err := wording.Compile(p.Wording); err != nil {
		return fmt.Errorf("wording: %w", err)
	}
	return nil
}

func checkGuards(p *Profile) error {
	for i, g := range p.Guards {
		if !slices.Contains(guards, g) {
			return fmt.Errorf("guards[%d]: no such guard", i)
		}
	}
	return nil
}

func checkFeatures(p *Profile) error {
	for i, f := range p.Features {
		switch {
		case p.Signal(f.Signal) == nil:
			return fmt.Errorf("features[%d].signal: no such signal", i)
		case !isName(f.Name):
			return fmt.Errorf("features[%d].name: must be lower-case letters, digits and hyphens", i)
		}
	}
	return nil
}
