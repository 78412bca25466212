package report

import (
	"fmt"
	"unicode"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// maxStatus is how long a status line may be, in characters: it is shown at the
// start of every session.
const maxStatus = 160

// StatusLine is the one line that tells at the start of a session how the
// figures stand; "" when there is nothing to tell. The call at its end is never
// cut, what stands before it is.
func StatusLine(s *record.Summary) string {
	switch {
	case s.Registry == record.RegistryInvalid:
		return status(fmt.Sprintf("rules.json invalid at %s", s.RegistryFault), ", run retro-episode rules validate")
	case s.Registry != record.RegistryPresent && s.Archives >= rules.Default().Thresholds.BootstrapMinArchives:
		return status(fmt.Sprintf("not enabled, %d archived changes found", s.Archives), ", run "+s.Call+" to bootstrap")
	case s.Registry != record.RegistryPresent:
		return ""
	case s.Sessions == 0:
		return status("enabled, no sessions captured yet", "")
	case len(s.OverThreshold) == 0:
		return status(fmt.Sprintf("%d sessions captured, nothing over threshold", s.Sessions), "")
	}
	return status(fmt.Sprintf("%d sessions captured, %d rules over threshold (%s %dx)", s.Sessions, len(s.OverThreshold), s.OverThreshold[0], s.TopEvents), ", run "+s.Call)
}

// LayoutLine is the line about the instruction files at the start of a session;
// "" when they are in order. Of a structural fault the call is never cut.
func LayoutLine(l *record.Layout) string {
	switch n := len(l.Structural); {
	case n > 0:
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (+%d more)", n-1)
		}
		return cut("[layout] STRUCTURAL: "+l.Structural[0], more+", run "+l.Call)
	case len(l.Over) > 0:
		return cut(fmt.Sprintf("[layout] %d instruction file(s) over budget, see retro-episode layout", len(l.Over)), "")
	}
	return ""
}

// status puts a line together. Ids come from a file of the
// project and the line goes to a terminal and to the model: one line it stays.
func status(head, call string) string { return cut("[retro] "+head, call) }

// cut cuts the head of a line so that the whole is short enough.
func cut(head, call string) string {
	line, tail := plainLine(head), plainLine(call)
	if room := max(0, maxStatus-len(tail)); len(line) > room {
		line = line[:room]
	}
	return string(line) + string(tail)
}

func plainLine(s string) []rune {
	line := []rune(s)
	for i, r := range line {
		if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			line[i] = ' '
		}
	}
	return line
}
