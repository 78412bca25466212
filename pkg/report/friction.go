package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"retro/pkg/record"
)

// writeFriction prints the gate over all sessions: how many passed, how the
// score went day by day, and which signals made it.
func (f *Figures) writeFriction(w *bufio.Writer) {
	g := f.Friction
	if g == nil || g.Passed.N == 0 && len(g.Signals) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Friction\n\n")
	if g.Passed.N > 0 {
		fmt.Fprintf(w, "%s judged sessions were rough: their score passed the gate%s.\n", share(g.Passed), scores(g))
	} else {
		fmt.Fprint(w, "No session was judged: there are hits and no verdicts.\n")
	}
	days := datedDays(g.Days)
	writeSparkline(w, days)
	writeFrictionDays(w, days)
	if len(g.Signals) > 0 {
		fmt.Fprint(w, "\n")
		t := table{columns: []column{{"signal", false}, {"hits", true}, {"sessions", true}}}
		for _, s := range g.Signals {
			t.row(nameCell(s.Name.String()), strconv.Itoa(s.Hits), strconv.Itoa(s.Sessions))
		}
		t.write(w)
	}
}

// scores tells the scores in half a sentence.
func scores(g *record.FrictionBucket) string {
	if g.Mean == nil || g.Median == nil || g.Max == nil {
		return ""
	}
	out := fmt.Sprintf("; scores: mean %s, median %s, highest %s", plainNumber(*g.Mean), plainNumber(*g.Median), plainNumber(*g.Max))
	var thresholds, profiles []string
	for _, t := range g.Thresholds {
		thresholds = append(thresholds, t.String())
	}
	for _, p := range g.Profiles {
		profiles = append(profiles, span(p.String()))
	}
	if len(thresholds) > 0 {
		out += ", threshold " + strings.Join(thresholds, " and ")
	}
	if len(profiles) > 0 {
		out += ", profile " + strings.Join(profiles, " and ")
	}
	return out
}

// datedDays leaves the hits out of which nobody knows the day.
func datedDays(days []record.FrictionDay) []record.FrictionDay {
	if len(days) > 0 && days[0].Day.IsZero() {
		return days[1:]
	}
	return days
}

// blocks are the levels of a sparkline; a day without a judged session is a
// middle dot and not a low one.
const (
	blocks    = "▁▂▃▄▅▆▇█"
	noVerdict = '·'
)

// writeSparkline draws the mean score by day.
func writeSparkline(w *bufio.Writer, days []record.FrictionDay) {
	points := make([]point, 0, len(days))
	for _, d := range days {
		if d.Judged > 0 {
			points = append(points, point{d.Day.String(), float64(d.Sum), d.Judged})
		}
	}
	if len(points) < 2 {
		return
	}
	s := makeSeries(points, points[0].day, points[len(points)-1].day, true)
	highest := s.highest()
	var line strings.Builder
	levels := []rune(blocks)
	for i, v := range s.values {
		switch {
		case s.counts[i] == 0:
			line.WriteRune(noVerdict)
		case highest == 0:
			line.WriteRune(levels[0])
		default:
			line.WriteRune(levels[min(len(levels)-1, int(v/highest*float64(len(levels))))])
		}
	}
	fmt.Fprintf(w, "\nMean score by %s, %s to %s: `%s` (highest %s; %c no session judged)\n",
		s.unit, points[0].day, points[len(points)-1].day, line.String(), plainNumber(highest), noVerdict)
}

// shownDays is how many days the table has: a month.
const shownDays = 31

func writeFrictionDays(w *bufio.Writer, days []record.FrictionDay) {
	if len(days) == 0 {
		return
	}
	fmt.Fprint(w, "\n")
	t := table{columns: []column{{"day", false}, {"judged", true}, {"passed", true}, {"mean score", true}, {"highest score", true}, {"hits", true}}}
	for _, d := range days[max(0, len(days)-shownDays):] {
		mean, highest := "", ""
		if d.Judged > 0 {
			mean, highest = plainNumber(float64(d.Sum)/float64(d.Judged)), plainNumber(float64(d.Max))
		}
		t.row(d.Day.String(), strconv.Itoa(d.Judged), strconv.Itoa(d.Passed), mean, highest, strconv.Itoa(d.Hits))
	}
	t.write(w)
	if n := len(days) - shownDays; n > 0 {
		fmt.Fprintf(w, "\n%s before these are not shown.\n", count(n, "day"))
	}
}
