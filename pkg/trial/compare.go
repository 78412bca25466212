package trial

import (
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Comparison is what two samples say about each other.
type Comparison struct {
	// Baseline and InTrial are the means.
	Baseline, InTrial float64
	// Difference is InTrial - Baseline, below zero when the trial went
	// better; Low and High bound it: the percentile bootstrap interval of
	// 1 - alpha.
	Difference, Low, High float64
	// P is the two-sided p of the Mann-Whitney test, which asks about ranks
	// and so is not moved by one monstrous session.
	P float64
	// Exact tells that P counts permutations; else it is the normal
	// approximation with its correction for ties.
	Exact bool
	// Flat means that all values of both samples are equal, zero against zero
	// for one: there is nothing to test.
	Flat bool
}

// Compare compares two samples, neither of them empty. The interval is drawn
// from the given number of resamples by a generator of fixed seed, so the same
// samples give the same bytes.
func Compare(baseline, inTrial []float64, alpha float64, resamples int, seed uint64) Comparison {
	c := Comparison{Baseline: mean(baseline), InTrial: mean(inTrial), P: 1}
	c.Difference = c.InTrial - c.Baseline
	c.Low, c.High = c.Difference, c.Difference
	test, err := stats.MannWhitneyUTest(inTrial, baseline, stats.LocationDiffers)
	if err != nil {
		c.Flat = true
		return c
	}
	c.P = min(test.P, 1)
	c.Exact = exactTest(baseline, inTrial)
	c.Low, c.High = bootstrap(baseline, inTrial, alpha, resamples, rand.New(rand.NewPCG(seed, 0)))
	return c
}

// Lower tells that the trial's values are lower than the baseline's beyond
// chance: by the test, and by the interval too, so that a mean and ranks that
// contradict each other decide nothing.
func (c Comparison) Lower(alpha float64) bool { return c.P <= alpha && c.High < 0 }

// Higher is the opposite of Lower.
func (c Comparison) Higher(alpha float64) bool { return c.P <= alpha && c.Low > 0 }

// exactTest repeats the test's own choice of method: the library does not say
// which it took.
func exactTest(a, b []float64) bool {
	limit := stats.MannWhitneyExactLimit
	if tied(a, b) {
		limit = stats.MannWhitneyTiesExactLimit
	}
	return len(a) <= limit && len(b) <= limit
}

func tied(a, b []float64) bool {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return len(slices.Compact(all)) < len(a)+len(b)
}

// bootstrap is the percentile interval of the difference of means.
//
// Note: the bias-corrected interval was not worth its jackknife here. The
// interval never decides alone, and the rank test holds the error rate.
func bootstrap(baseline, inTrial []float64, alpha float64, resamples int, rng *rand.Rand) (low, high float64) {
	differences := make([]float64, max(resamples, 1))
	for i := range differences {
		differences[i] = resampledMean(inTrial, rng) - resampledMean(baseline, rng)
	}
	slices.Sort(differences)
	last := float64(len(differences) - 1)
	return differences[int(alpha/2*last)], differences[int((1-alpha/2)*last+0.5)]
}

func resampledMean(xs []float64, rng *rand.Rand) float64 {
	sum := 0.0
	for range xs {
		sum += xs[rng.IntN(len(xs))]
	}
	return sum / float64(len(xs))
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	if len(xs) == 0 {
		return 0
	}
	return sum / float64(len(xs))
}
