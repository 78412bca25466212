package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"retro/pkg/record"
)

// Comparison holds the figures of a period against those of an earlier one.
type Comparison struct {
	Now    *record.Metrics
	Before *record.Metrics // nil: there is nothing to compare with
	Rows   []ComparedMetric
}

// ComparedMetric is a metric now and before.
type ComparedMetric struct {
	Key         string
	Now, Before string // as numbers, "" for not counted
	Change      string // absolute, "" when there is none to tell
	Percent     string
	Note        string
}

// Compare joins the two on the keys of their metrics: those of now in their
// order, then those that are gone.
func Compare(now, before *record.Metrics) *Comparison {
	c := &Comparison{Now: now, Before: before}
	if before == nil {
		before = new(record.Metrics)
	}
	for _, m := range now.Metrics {
		old, known := before.Metrics.Find(m.Key)
		c.Rows = append(c.Rows, c.compare(m, old, known))
	}
	for _, old := range before.Metrics {
		if _, known := now.Metrics.Find(old.Key); !known {
			c.Rows = append(c.Rows, c.gone(old))
		}
	}
	return c
}

// countedByName tells whether the list counts by name what the key belongs to:
// a name that does not occur there has the count 0.
func countedByName(list record.MetricList, key string) bool {
	head, _, named := strings.Cut(key, ".")
	return named && slices.ContainsFunc(list, func(m record.Metric) bool {
		return m.Retired == "" && (m.Key == head || strings.HasPrefix(m.Key, head+"."))
	})
}

func (c *Comparison) compare(now, old record.Metric, known bool) ComparedMetric {
	row := ComparedMetric{Key: now.Key, Now: shown(now)}
	if c.Before != nil && !known && countedByName(c.Before.Metrics, now.Key) {
		old, known = record.Metric{Key: now.Key}, true
	}
	if known {
		row.Before = shown(old)
	}
	switch {
	case now.Retired != "":
		row.Note = "retired: " + now.Retired
	case old.Retired != "":
		row.Note = "was retired: " + old.Retired
	case old.Incomparable != "":
		row.Note = "not comparable: " + old.Incomparable
	case now.Incomparable != "":
		row.Note = "not comparable: " + now.Incomparable
	case known:
		row.Change, row.Percent = change(now.Value, old.Value)
	case c.Before != nil:
		row.Note = "not counted before"
	}
	return row
}

// gone is a metric of the earlier file alone.
func (c *Comparison) gone(old record.Metric) ComparedMetric {
	if old.Retired == "" && countedByName(c.Now.Metrics, old.Key) {
		return c.compare(record.Metric{Key: old.Key, Incomparable: old.Incomparable}, old, true)
	}
	row := ComparedMetric{Key: old.Key, Before: shown(old), Note: "not among the new figures"}
	if old.Retired != "" {
		row.Note = "retired: " + old.Retired
	}
	return row
}

// shown is a value as people read it: whole, or with one decimal.
func shown(m record.Metric) string {
	if m.Retired != "" {
		return ""
	}
	return number(m.Value)
}

func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

func change(now, old float64) (absolute, percent string) {
	diff := now - old
	if absolute = number(diff); diff > 0 {
		absolute = "+" + absolute
	}
	switch {
	case diff == 0:
		return "0", ""
	case old == 0:
		return absolute, ""
	}
	return absolute, fmt.Sprintf("%+.1f %%", 100*diff/old)
}

// WriteMarkdown prints the table.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## Metrics of %s\n\n", code(c.Now.Project.String()))
	c.write(out)
	return out.Flush()
}

func (c *Comparison) write(out *bufio.Writer) {
	fmt.Fprintf(out, "Now: %s.\n", sliceText(c.Now))
	if c.Before != nil {
		fmt.Fprintf(out, "Before: %s.\n", sliceText(c.Before))
		if c.Before.Period.Zone != c.Now.Period.Zone {
			out.WriteString("The days of the two are of different zones.\n")
		}
	}
	out.WriteByte('\n')
	t := &table{columns: []column{{name: "metric"}, {name: "now", numbers: true}}}
	if c.Before != nil {
		t.columns = []column{{name: "metric"}, {name: "before", numbers: true}, {name: "now", numbers: true}, {name: "change", numbers: true}, {name: "%", numbers: true}, {name: "notes"}}
	}
	for _, r := range c.Rows {
		switch {
		case c.Before != nil:
			t.row(code(r.Key), r.Before, r.Now, r.Change, r.Percent, text(r.Note))
		case r.Now != "":
			t.row(code(r.Key), r.Now)
		}
	}
	t.write(out)
}

// sliceText says what figures were made of: the period and how much there was.
func sliceText(m *record.Metrics) string {
	s := &m.Sources
	out := fmt.Sprintf("%s, %s", periodText(m.Period), count(s.Sessions, "session"))
	if s.Automated > 0 {
		out += fmt.Sprintf(" (%d driven by a program)", s.Automated)
	}
	if s.Unreadable > 0 {
		out += fmt.Sprintf(", %d of them unreadable and in no figure", s.Unreadable)
	}
	if !s.First.IsZero() {
		out += fmt.Sprintf(", records from %s to %s", minute(s.First), minute(s.Last))
	}
	return out
}

func periodText(p record.MetricsPeriod) string {
	switch {
	case p.Since.IsZero() && p.Until.IsZero():
		return "all time"
	case p.Until.IsZero():
		return "since " + minute(p.Since)
	case p.Since.IsZero():
		return "before " + minute(p.Until)
	}
	return minute(p.Since) + " to " + minute(p.Until)
}
