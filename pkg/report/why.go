package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"retro/pkg/profile"
	"retro/pkg/record"
)

// WriteWhy prints how a verdict came about: the table a person reads who tunes
// the gate. The profile is the one whose weights made the verdict; nil when it
// is not known, and then no weight is told. Hits are the session's friction
// signals where the stream had them: those that were weighed by features are
// listed under their signal, each with what spoke for and against it.
func WriteWhy(w io.Writer, v *record.Verdict, p *profile.Profile, hits []*record.FrictionEvidence) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Session: %s\n", v.SessionID)
	verdict := "passed"
	if !v.Passed {
		verdict = "not passed"
	}
	fmt.Fprintf(out, "Score: %s / %s (%s)\n", v.Score, v.Threshold, verdict)
	writeMatched(out, v, p, hits)
	if p != nil {
		fmt.Fprintf(out, "Signals NOT matched: %s\n", orNone(unmatched(v, p)))
	}
	for _, remark := range []struct{ name, text string }{{"Error", v.Error}, {"Warning", v.Warning}} {
		if remark.text != "" {
			fmt.Fprintf(out, "%s: %s\n", remark.name, oneLine(remark.text))
		}
	}
	return out.Flush()
}

func writeMatched(out *bufio.Writer, v *record.Verdict, p *profile.Profile, hits []*record.FrictionEvidence) {
	if len(v.Signals) == 0 {
		fmt.Fprint(out, "Signals matched: none\n")
		return
	}
	fmt.Fprint(out, "Signals matched:\n")
	for i := range v.Signals {
		s := &v.Signals[i]
		fmt.Fprint(out, s.Name)
		if signal := signalOf(p, s.Name.String()); signal != nil {
			worth := record.Score(signal.Worth(s.Count, v.Turns))
			fmt.Fprintf(out, " (%s) x%d = %s", signal.Words, s.Count, worth)
		} else {
			fmt.Fprintf(out, " x%d", s.Count)
		}
		fmt.Fprintf(out, " — %s\n", anchors(s.IDs))
		writeFeatures(out, s.Name, p, hits)
	}
}

// writeFeatures lists the features of a signal's hits, a line a hit, with their
// weights where the profile gives the signal's features any.
func writeFeatures(out *bufio.Writer, signal record.Identifier, p *profile.Profile, hits []*record.FrictionEvidence) {
	if p == nil || !slices.ContainsFunc(p.Features, func(f profile.Feature) bool { return f.Signal == signal.String() }) {
		return
	}
	for _, h := range hits {
		if h.Signal != signal || len(h.Features) == 0 {
			continue
		}
		sum := 0.0
		parts := make([]string, len(h.Features))
		for i, f := range h.Features {
			weight := p.Weight(signal.String(), f.String())
			sum += weight
			parts[i] = fmt.Sprintf("%s %+.1f", f, weight)
		}
		fmt.Fprintf(out, "  %s: %s = %.1f\n", anchors([]record.Anchor{h.Anchor}), strings.Join(parts, ", "), sum)
	}
}

func signalOf(p *profile.Profile, name string) *profile.Signal {
	if p == nil {
		return nil
	}
	return p.Signal(name)
}

// unmatched lists the signals of the profile that the verdict has not.
func unmatched(v *record.Verdict, p *profile.Profile) []string {
	var out []string
	for _, signal := range p.Signals {
		matched := false
		for _, s := range v.Signals {
			matched = matched || s.Name.String() == signal.Name
		}
		if !matched {
			out = append(out, signal.Name)
		}
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// anchors lists ids as they stand in the transcript. An id that is no plain
// text stays a JSON value, which has no line breaks and no control characters.
func anchors(ids []record.Anchor) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Key()
		if plain := strings.Trim(out[i], `"`); len(plain) == len(out[i])-2 && !strings.Contains(plain, `\`) {
			out[i] = plain
		}
	}
	return strings.Join(out, ", ")
}

// oneLine keeps a remark from making lines of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
