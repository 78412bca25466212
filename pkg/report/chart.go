package report

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"retro/pkg/record"
)

// point is a sum over some cases on a day.
type point struct {
	day string
	sum float64
	n   int
}

// series is one value a day or a week, without gaps.
type series struct {
	unit   string // day or week
	labels []string
	values []float64
	counts []int // cases behind each value
}

// longSeries is the number of days above which a series goes by weeks: more
// labels do not fit under a chart.
const longSeries = 28

// makeSeries lays points out from the first to the last day; the value is their
// sum, or their mean.
func makeSeries(points []point, first, last string, mean bool) series {
	from, err1 := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	if err1 != nil || err2 != nil || to.Before(from) {
		return series{unit: "day"}
	}
	s, step := series{unit: "day"}, 1
	if to.Sub(from) > longSeries*24*time.Hour {
		s.unit, step = "week", 7
		from = from.AddDate(0, 0, -(int(from.Weekday())+6)%7) // back to Monday
	}
	n := int(to.Sub(from).Hours()/24)/step + 1
	s.labels, s.values, s.counts = make([]string, n), make([]float64, n), make([]int, n)
	for i := range s.labels {
		s.labels[i] = from.AddDate(0, 0, i*step).Format("01-02")
	}
	for _, p := range points {
		day, err := time.Parse(time.DateOnly, p.day)
		if err != nil || day.Before(from) || day.After(to) {
			continue
		}
		i := int(day.Sub(from).Hours()/24) / step
		s.values[i] += p.sum
		s.counts[i] += p.n
	}
	for i := range s.values {
		if mean && s.counts[i] > 0 {
			s.values[i] /= float64(s.counts[i])
		}
	}
	return s
}

func (s series) highest() float64 {
	if len(s.values) == 0 {
		return 0
	}
	return slices.Max(s.values)
}

// writeBars draws a series as a Mermaid chart, which GitHub renders. Nothing
// from outside gets into it but a title of letters, digits and `-.`.
func (s series) writeBars(w *bufio.Writer, title, unit string) {
	labels, values := make([]string, len(s.labels)), make([]string, len(s.values))
	for i := range s.labels {
		labels[i] = strconv.Quote(s.labels[i])
		values[i] = strconv.FormatFloat(math.Round(10*s.values[i])/10, 'f', -1, 64)
	}
	fmt.Fprintf(w, "\n```mermaid\nxychart-beta\n    title %q\n    x-axis [%s]\n    y-axis %q 0 --> %s\n    bar [%s]\n```\n",
		title, strings.Join(labels, ", "), unit, strconv.FormatFloat(math.Ceil(max(1, s.highest())), 'f', -1, 64), strings.Join(values, ", "))
}

// chartedRules is how many rules get a chart: those with the most violations.
const chartedRules = 3

// writeRuleCharts draws the violations over time of the rules broken most.
func (f *Figures) writeRuleCharts(w *bufio.Writer) {
	first, last := f.span()
	broken := slices.DeleteFunc(slices.Clone(f.Rules), func(r *record.RuleBucket) bool { return r.Events == 0 })
	slices.SortStableFunc(broken, func(a, b *record.RuleBucket) int { return cmp.Compare(b.Events, a.Events) })
	for _, r := range broken[:min(chartedRules, len(broken))] {
		var points []point
		for _, d := range r.Days {
			points = append(points, point{d.Day.String(), float64(d.Events), d.Sessions})
		}
		if s := makeSeries(points, first, last, false); len(s.values) > 1 {
			s.writeBars(w, chartName(r.Rule)+": violations by "+s.unit, "violations")
		}
	}
}

// chartName is an id as a chart's title can hold it.
func chartName(id string) string {
	if !isPlain(id) {
		return "rule"
	}
	return id
}

// writeTokenChart draws the mean tokens of the sessions that ended on a day.
func (f *Figures) writeTokenChart(w *bufio.Writer) {
	var points []point
	for _, d := range f.Tokens.Days {
		if !d.Day.IsZero() {
			points = append(points, point{d.Day.String(), float64(d.Total), d.Sessions})
		}
	}
	if len(points) < 2 {
		return
	}
	s := makeSeries(points, points[0].day, points[len(points)-1].day, true)
	for i := range s.values {
		s.values[i] = math.Round(s.values[i])
	}
	s.writeBars(w, "Tokens per session by "+s.unit+" of its end", "tokens")
}

// span is the first and the last day of which anything is known.
func (f *Figures) span() (first, last string) {
	see := func(d record.Day) {
		if day := d.String(); day != "" {
			if first == "" || day < first {
				first = day
			}
			last = max(last, day)
		}
	}
	for _, r := range f.Rules {
		see(r.First)
		see(r.Last)
	}
	if f.Friction != nil {
		for _, d := range f.Friction.Days {
			see(d.Day)
		}
	}
	if f.Tokens != nil {
		for _, d := range f.Tokens.Days {
			see(d.Day)
		}
	}
	return first, last
}
