package report

import (
	"bufio"
	"strconv"
	"strings"

	"retro/pkg/record"
)

// writeSessions prints a table of verdicts.
func writeSessions(w *bufio.Writer, verdicts []*record.Verdict) {
	w.WriteString("## Sessions\n\n")
	if len(verdicts) == 0 {
		w.WriteString("No session.\n")
		return
	}
	t := table{columns: []column{{"score", true}, {"passed", false}, {"session", false}, {"signals", false},
		{"turns", true}, {"prompts", true}, {"started", false}, {"note", false}}}
	for _, v := range verdicts {
		t.row(v.Score.String(), passedWord(v), code(v.SessionID.String()), counts(v),
			strconv.Itoa(v.Turns), strconv.Itoa(v.Prompts), minute(v.Started), text(note(v)))
	}
	t.write(w)
}

func passedWord(v *record.Verdict) string {
	if v.Passed {
		return "yes"
	}
	return "no"
}

// counts lists the signals of a verdict with how often they count.
func counts(v *record.Verdict) string {
	parts := make([]string, len(v.Signals))
	for i, s := range v.Signals {
		parts[i] = text(s.Name.String()) + " x" + strconv.Itoa(s.Count)
	}
	return strings.Join(parts, ", ")
}

// minute is a moment without its seconds.
func minute(t record.Timestamp) string {
	if t.IsZero() {
		return ""
	}
	return t.Time().Format("2006-01-02 15:04Z")
}

// note is what makes a verdict doubtful.
func note(v *record.Verdict) string {
	if v.Error != "" && v.Warning != "" {
		return v.Error + "; " + v.Warning
	}
	return v.Error + v.Warning
}
