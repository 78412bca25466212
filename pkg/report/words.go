package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"retro/pkg/record"
)

// enough is the least number of cases of which the report tells a percentage
// as a finding; below it the counts stand alone.
const enough = 5

// spaced is a number with a space between thousands: 90 000.
func spaced(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var out []byte
	for i, d := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ' ')
		}
		out = append(out, d)
	}
	return sign + string(out)
}

// percent is a rate as a whole percentage, rounded; n/a of nothing.
func percent(r record.Rate) string {
	if r.N <= 0 {
		return "n/a"
	}
	return wholePercent(float64(r.Count) / float64(r.N))
}

func wholePercent(share float64) string { return strconv.Itoa(int(math.Round(100*share))) + "%" }

// interval is the uncertainty of a rate, `95% interval 9% to 53%`; "" below the
// number of cases of which a percentage is told.
func interval(r record.Rate) string {
	if r.N < enough || r.Low == nil || r.High == nil {
		return ""
	}
	return "95% interval " + wholePercent(*r.Low) + " to " + wholePercent(*r.High)
}

// share tells a rate with all that it stands on: `3 of 12 (25%, 95% interval 9%
// to 53%)`, and of too few cases the counts alone.
func share(r record.Rate) string {
	out := fmt.Sprintf("%s of %s", spaced(int64(r.Count)), spaced(int64(r.N)))
	if i := interval(r); i != "" {
		out += " (" + percent(r) + ", " + i + ")"
	}
	return out
}

// count is a number with its noun, which takes an s when it is not one.
func count(n int, noun string) string { return counted(n, noun, noun+"s") }

// counted is count for a noun with a plural of its own.
func counted(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return spaced(int64(n)) + " " + plural
}

// plainNumber prints a number with the fewest digits that it needs, three at most.
func plainNumber(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}

// names lists ids, each as [name] prints it.
func names(ids []string) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = name(id)
	}
	return strings.Join(out, ", ")
}
