package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Scheduled is the report of a scheduled run. Its form is the original
// helper's, to the byte.
type Scheduled struct {
	At time.Time
	// Scanned counts the sessions that were judged, Skipped those left out,
	// Gated those that passed the gate, DeepRead those that a model read.
	Scanned, Skipped, Gated, DeepRead int
	// Note says that there is nothing to say, and why.
	Note string
	// Applied are lines of target, action and text, with tabs between;
	// Followup and Observations are lines of text.
	Applied, Followup, Observations []string
	// Duplicates is text that is printed as it is.
	Duplicates string
	// Summary takes the place of the counts when it is not empty.
	Summary string
	// AppliedCount and FollowupCount go into the counts.
	AppliedCount, FollowupCount int
}

// ScheduledBuilder collects the records of a scheduled run.
type ScheduledBuilder struct {
	verdicts map[record.SessionID]*record.Verdict
	trials   []*record.Trial
	skipped  int
	any      bool // a record of a kind that a scan writes came in
}

// Add takes a line that holds a record of the kind. Of two verdicts on one
// session the last stands.
func (b *ScheduledBuilder) Add(kind record.Kind, line []byte) error {
	switch kind {
	case record.KindVerdict:
		v := new(record.Verdict)
		if ndjson.Unmarshal(line, v) != nil || v.SessionID.IsZero() {
			return errRecord
		}
		if b.verdicts == nil {
			b.verdicts = make(map[record.SessionID]*record.Verdict)
		}
		b.verdicts[v.SessionID] = v
	case record.KindSelection:
		var s record.Selection
		if ndjson.Unmarshal(line, &s) != nil {
			return errRecord
		}
		for _, c := range s.LeftOut {
			b.skipped += c.Count
		}
	case record.KindTrial:
		t := new(record.Trial)
		if ndjson.Unmarshal(line, t) != nil {
			return errRecord
		}
		b.trials = append(b.trials, t)
	}
	b.any = true
	return nil
}

// maxRough is how many rough sessions are named.
const maxRough = 20

// Scheduled arranges what was collected, as of a moment. When nothing came of
// the run the note says which kind of nothing it was: no records is not the
// same as no sessions, and neither is the same as smooth ones.
func (b *ScheduledBuilder) Scheduled(at time.Time) *Scheduled {
	s := &Scheduled{At: at, Scanned: len(b.verdicts), Skipped: b.skipped}
	b.sessions(s)
	for _, t := range b.trials {
		switch t.Decision {
		case record.Keep, record.Revert:
			s.Followup = append(s.Followup, trialLine(t))
		case record.Undecided:
			if len(t.Measures) > 0 {
				s.Observations = append(s.Observations, trialLine(t))
			}
		}
	}
	switch {
	case len(s.Followup)+len(s.Observations) > 0:
	case !b.any:
		s.Note = "No records came in."
		s.Summary = "Applied: 0 | no records"
	case len(b.verdicts) == 0:
		s.Note = "No sessions to retro."
		s.Summary = "Applied: 0 | empty candidate set"
	default:
		s.Note = "No friction detected — nothing to retro (all smooth)."
		s.Summary = fmt.Sprintf("Applied: 0 | all-smooth | scanned=%d gated=0", s.Scanned)
	}
	return s
}

// sessions observes the rough sessions, the roughest first, and those that
// could not be judged.
func (b *ScheduledBuilder) sessions(s *Scheduled) {
	var rough, unread []*record.Verdict
	for _, v := range b.verdicts {
		switch {
		case v.Error != "":
			unread = append(unread, v)
		case v.Passed:
			rough = append(rough, v)
		}
	}
	order := func(a, b *record.Verdict) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.SessionID.String(), b.SessionID.String()))
	}
	slices.SortFunc(rough, order)
	slices.SortFunc(unread, order)
	s.Gated = len(rough)
	for i, v := range rough {
		if i == maxRough {
			s.Observations = append(s.Observations, fmt.Sprintf("%d more sessions passed the gate", len(rough)-maxRough))
			break
		}
		s.Observations = append(s.Observations, roughLine(v))
	}
	for _, v := range unread {
		s.Observations = append(s.Observations, "session "+code(v.SessionID.String())+" could not be read")
	}
}

func roughLine(v *record.Verdict) string {
	var signals []string
	for _, signal := range v.Signals {
		signals = append(signals, fmt.Sprintf("%s x%d", signal.Name, signal.Count))
	}
	return fmt.Sprintf("session %s: score %s of %s (%s)", code(v.SessionID.String()), decimal(v.Score), decimal(v.Threshold), strings.Join(signals, ", "))
}

// trialLine tells a trial's outcome with its evidence: what to do about it is
// for a person to say.
func trialLine(t *record.Trial) string {
	line := fmt.Sprintf("trial %s %s: %s", text(string(t.Decision)), text(t.Agent), text(t.Directive))
	for _, m := range t.Measures {
		if m.Decides {
			return fmt.Sprintf("%s (%s %s before, %s after, p %s, sessions %d and %d)", line, m.Name,
				decimal(m.Baseline), decimal(m.InTrial), decimal(m.P), t.Baseline.N, t.InTrial.N)
		}
	}
	return fmt.Sprintf("%s (mean score %s before, %s after, sessions %d and %d)", line,
		decimal(t.Baseline.Mean), decimal(t.InTrial.Mean), t.Baseline.N, t.InTrial.N)
}

func decimal(s record.Score) string {
	b, _ := s.MarshalJSON()
	return string(b)
}

// WriteMarkdown prints the report.
func (s *Scheduled) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	counts := fmt.Sprintf("scanned=%d skipped=%d gated=%d deep-read=%d", s.Scanned, s.Skipped, s.Gated, s.DeepRead)
	fmt.Fprintf(out, "# Scheduled retro report\n- timestamp: %s\n- mode: --all --auto\n- sessions: %s\n\n", s.Timestamp(), counts)
	if s.Note != "" {
		fmt.Fprintf(out, "## Note\n\n%s\n\n", s.Note)
	}
	var applied []string
	for _, line := range nonEmpty(s.Applied) {
		cells := append(strings.SplitN(line, "\t", 3), "", "")
		applied = append(applied, fmt.Sprintf("target=%s action=%s: %s", cells[0], cells[1], cells[2]))
	}
	writeList(out, "Applied", applied)
	writeList(out, "Manual follow-up", nonEmpty(s.Followup))
	duplicates := s.Duplicates
	if duplicates == "" {
		duplicates = "(none)"
	}
	fmt.Fprintf(out, "## Duplicates (advisory)\n%s\n\n", strings.TrimSuffix(duplicates, "\n"))
	writeList(out, "Observations", nonEmpty(s.Observations))
	summary := s.Summary
	if summary == "" {
		summary = fmt.Sprintf("Applied: %d | Manual follow-up: %d | %s", s.AppliedCount, s.FollowupCount, counts)
	}
	fmt.Fprintf(out, "## Summary\n%s\n\n", summary)
	return out.Flush()
}

// Timestamp is the moment of the report, in seconds.
func (s *Scheduled) Timestamp() string { return s.At.UTC().Format("2006-01-02T15:04:05Z") }

// Stamp is the moment in the form that the name of the report's file has.
func (s *Scheduled) Stamp() string { return s.At.UTC().Format("2006-01-02T150405Z") }

func writeList(w *bufio.Writer, title string, lines []string) {
	fmt.Fprintf(w, "## %s\n", title)
	for _, line := range lines {
		fmt.Fprintf(w, "- %s\n", line)
	}
	if len(lines) == 0 {
		w.WriteString("(none)\n")
	}
	w.WriteByte('\n')
}

func nonEmpty(lines []string) (out []string) {
	for _, line := range lines {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}
