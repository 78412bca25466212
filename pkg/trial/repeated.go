package trial

import (
	"slices"
	"time"

	"retro/pkg/record"
)

// lookBack makes a repeated review one that looks only when the window has
// passed once, twice, four times, and so on: it takes the in-trial sessions of
// the last such moment, whatever came since, and returns the alpha of that
// look. Each look has a quarter of the alpha of the one before, so all of them
// together decide by chance at most a third more often than a single one.
func (s *sides) lookBack(d Directive, opt Options) (alpha float64) {
	slices.SortStableFunc(s.inTrial, func(a, b Session) int { return moment(a, s.rule).Compare(moment(b, s.rule)) })
	window := d.ReviewAfter
	passed := len(s.inTrial)
	if window.Days {
		passed = daysBetween(d.Start.moment, opt.Today)
	} else {
		window.N = max(window.N, minimum(opt)) // a look at fewer decides nothing
	}
	alpha = opt.Alpha
	for ; passed >= 2*window.N; window.N *= 2 {
		alpha /= 4
	}
	kept := min(window.N, len(s.inTrial))
	if window.Days {
		end := d.Start.moment.Truncate(day).AddDate(0, 0, window.N)
		kept = len(s.inTrial)
		for kept > 0 && !moment(s.inTrial[kept-1], s.rule).Before(end) {
			kept--
		}
	}
	if later := len(s.inTrial) - kept; later > 0 {
		s.leftOut = append([]record.Count{{Name: record.NewName("after-look"), Count: later}}, s.leftOut...)
	}
	s.inTrial = s.inTrial[:kept]
	return alpha
}

const day = 24 * time.Hour

// daysBetween counts whole UTC days.
func daysBetween(from, to time.Time) int {
	return int(to.UTC().Truncate(day).Sub(from.Truncate(day)) / day)
}
