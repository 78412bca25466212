package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"retro/pkg/record"
)

func TestStatusLine(t *testing.T) {
	for _, c := range []struct {
		s    record.Summary
		want string
	}{
		{record.Summary{Registry: record.RegistryAbsent, Archives: 12, Call: "/c"}, "[retro] not enabled, 12 archived changes found, run /c to bootstrap"},
		{record.Summary{Registry: record.RegistryAbsent, Archives: 9, Sessions: 7}, ""},
		{record.Summary{Registry: record.RegistryInvalid, RegistryFault: "rules[1].id"}, "[retro] rules.json invalid at rules[1].id, run retro-episode rules validate"},
		{record.Summary{Registry: record.RegistryPresent}, "[retro] enabled, no sessions captured yet"},
		{record.Summary{Registry: record.RegistryPresent, Sessions: 4}, "[retro] 4 sessions captured, nothing over threshold"},
		{record.Summary{Registry: record.RegistryPresent, Sessions: 4, OverThreshold: []string{"graph-first"}, TopEvents: 9, Call: "/c"}, "[retro] 4 sessions captured, 1 rules over threshold (graph-first 9x), run /c"},
		{record.Summary{Registry: record.RegistryPresent, Sessions: 4, OverThreshold: []string{"a\n\x1b[2Jb"}, TopEvents: 9, Call: "/c\n/d"}, "[retro] 4 sessions captured, 1 rules over threshold (a  [2Jb 9x), run /c /d"},
	} {
		if got := StatusLine(&c.s); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestStatusLineIsCutBeforeTheCall(t *testing.T) {
	for _, id := range []string{strings.Repeat("x", 200), strings.Repeat("ü", 200)} {
		s := record.Summary{Registry: record.RegistryPresent, Sessions: 4, OverThreshold: []string{id}, Call: "/coograph-retro"}
		got := StatusLine(&s)
		if utf8.RuneCountInString(got) != 160 || !strings.HasSuffix(got, ", run /coograph-retro") || !utf8.ValidString(got) {
			t.Errorf("got %d characters: %q", utf8.RuneCountInString(got), got)
		}
	}
}
