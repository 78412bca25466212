package score

import (
	"math"

	"retro/pkg/record"
)

// Fitting looks for weights in steps of a half: finer ones would only repeat
// the labels. It begins with the profile's own and takes a step only if it
// makes the F-measure better in which precision counts twice, since a false
// alarm is worse than a miss.
const (
	step      = 0.5
	maxWeight = 5
	rounds    = 4
	beta      = 0.5
)

// fitThresholds chooses the two thresholds alone.
func fitThresholds(samples []*sample, t tuning) tuning {
	t = t.clone()
	sessions := func() float64 { m := sessionsOf(samples, &t); return m.f(beta) }
	prompts := func() float64 { m := promptsOf(samples, &t); return m.f(beta) }
	climb(&t.threshold, math.Max(step, t.threshold-2), t.threshold+2, sessions)
	if t.pushback > 0 {
		climb(&t.pushback, math.Max(step, t.pushback-1.5), t.pushback+1.5, prompts)
	}
	return t
}

// fitWeights chooses the weights, with the thresholds left where they are:
// raising all weights is lowering the threshold.
func fitWeights(samples []*sample, t tuning) tuning {
	t = t.clone()
	sessions := func() float64 { m := sessionsOf(samples, &t); return m.f(beta) }
	prompts := func() float64 { m := promptsOf(samples, &t); return m.f(beta) }
	for range rounds {
		moved := false
		for i := range t.signals {
			w := &t.signals[i].Weight
			moved = climb(w, math.Max(0, *w-step), math.Min(maxWeight, *w+step), sessions) || moved
		}
		if t.pushback > 0 {
			for i := range t.features {
				w := &t.features[i].Weight
				moved = climb(w, math.Max(-maxWeight, *w-step), math.Min(maxWeight, *w+step), prompts) || moved
			}
		}
		if !moved {
			break
		}
	}
	return t
}

// climb sets the value between low and high that is best; of equal ones the
// present. It tells whether it moved.
func climb(value *float64, low, high float64, good func() float64) bool {
	was, best, most := *value, *value, good()
	for v := low; v <= high; v += step {
		if *value = v; v != was {
			if got := good(); got > most+1e-9 {
				best, most = v, got
			}
		}
	}
	*value = best
	return best != was
}

// crossValidate measures each fold with what was fitted on the others.
func (c *Calibration) crossValidate(own tuning, fit func([]*sample, tuning) tuning) (sessions, prompts []matrix) {
	for _, fold := range c.folds() {
		var in, out []*sample
		for _, s := range c.done {
			if s.fold == fold {
				in = append(in, s)
			} else {
				out = append(out, s)
			}
		}
		t := fit(out, own)
		sessions = append(sessions, parts(in, sessionsOf, &t)...)
		prompts = append(prompts, parts(in, promptsOf, &t)...)
	}
	return sessions, prompts
}

// changes lists the weights in which b differs from a.
func changes(a, b tuning) (out []record.ProposedWeight) {
	for i, s := range b.signals {
		if was := a.signals[i].Weight; was != s.Weight {
			out = append(out, record.ProposedWeight{Signal: record.NewName(s.Name), Weight: record.Score(s.Weight), Was: record.Score(was)})
		}
	}
	for i, f := range b.features {
		if was := a.features[i].Weight; was != f.Weight {
			out = append(out, record.ProposedWeight{Signal: record.NewName(f.Signal), Feature: record.NewName(f.Name),
				Weight: record.Score(f.Weight), Was: record.Score(was)})
		}
	}
	return out
}
