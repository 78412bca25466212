package score

import (
	"math"
	"math/rand/v2"
	"slices"

	"retro/pkg/profile"
	"retro/pkg/record"
)

// tuning is all that calibration may change in a profile.
type tuning struct {
	threshold float64
	pushback  float64
	signals   []profile.Signal
	features  []profile.Feature // of the pushback signal
}

func tuningOf(p *profile.Profile) tuning {
	t := tuning{threshold: p.Threshold, pushback: p.Limits.Pushback, signals: slices.Clone(p.Signals)}
	for _, f := range p.Features {
		if f.Signal == pushbackSignal {
			t.features = append(t.features, f)
		}
	}
	return t
}

func (t tuning) clone() tuning {
	t.signals, t.features = slices.Clone(t.signals), slices.Clone(t.features)
	return t
}

// flags tells whether the session passes the gate.
func (t *tuning) flags(s *sample) bool {
	score := 0.0
	for i := range t.signals {
		if n := s.counts[t.signals[i].Name]; n > 0 {
			score += t.signals[i].Worth(t.signals[i].Counted(n), s.turns)
		}
	}
	return math.Round(score*100)/100 >= t.threshold
}

// pushes tells whether one of the prompts is pushback. Without features, as in
// the original gate, it is what the scan says.
func (t *tuning) pushes(all []*told) bool {
	for _, one := range all {
		if len(one.features) == 0 || len(t.features) == 0 {
			if one.pushback {
				return true
			}
			continue
		}
		if one.held {
			continue
		}
		sum := 0.0
		for _, name := range one.features {
			sum += t.weight(name)
		}
		if sum >= t.pushback && (one.pushback || one.hasCue()) {
			return true
		}
	}
	return false
}

func (t *tuning) weight(feature string) float64 {
	for i := range t.features {
		if t.features[i].Name == feature {
			return t.features[i].Weight
		}
	}
	return 0
}

// silent are the features that say nothing alone: what was before and what
// comes after. A prompt that has no other is never pushback.
var silent = []string{"after-change", "interrupted", "refused-edit", "concedes-weakly", "redo", "reverts", "nothing-changed", "approval", "praise",
	"answer", "new-request", "question", "self-correction", "planning", "impersonal", "long"}

func (t *told) hasCue() bool {
	return slices.ContainsFunc(t.features, func(f string) bool { return !slices.Contains(silent, f) })
}

// matrix counts how verdicts agree with labels.
type matrix struct{ hit, missed, alarm, quiet, unclear, open int }

func (m *matrix) add(truth Truth, flagged bool) {
	switch {
	case truth == Rough && flagged:
		m.hit++
	case truth == Rough:
		m.missed++
	case truth == Smooth && flagged:
		m.alarm++
	case truth == Smooth:
		m.quiet++
	default:
		m.open++
		if flagged {
			m.unclear++
		}
	}
}

func (m *matrix) sum(o matrix) {
	m.hit += o.hit
	m.missed += o.missed
	m.alarm += o.alarm
	m.quiet += o.quiet
	m.unclear += o.unclear
	m.open += o.open
}

// f is the F-measure in which precision weighs as much as beta says: with 1
// both are equal, with 0.5 precision counts twice.
func (m *matrix) f(beta float64) float64 {
	b := beta * beta
	if below := (1+b)*float64(m.hit) + b*float64(m.missed) + float64(m.alarm); below > 0 {
		return (1 + b) * float64(m.hit) / below
	}
	return 0
}

func (m *matrix) accuracy() *record.Accuracy {
	return &record.Accuracy{Precision: record.NewRate(m.hit, m.hit+m.alarm), Recall: record.NewRate(m.hit, m.hit+m.missed),
		FalsePositive: record.NewRate(m.alarm, m.alarm+m.quiet), Unclear: record.NewRate(m.unclear, m.open)}
}

func sessionsOf(samples []*sample, t *tuning) (m matrix) {
	for _, s := range samples {
		m.add(s.label.Truth, t.flags(s))
	}
	return m
}

func promptsOf(samples []*sample, t *tuning) (m matrix) {
	for _, s := range samples {
		for i := range s.prompts {
			m.add(s.prompts[i].truth, t.pushes(s.prompts[i].own))
		}
	}
	return m
}

func windowsOf(samples []*sample, t *tuning) (m matrix) {
	for _, s := range samples {
		for i := range s.prompts {
			m.add(s.prompts[i].truth, t.pushes(s.prompts[i].window))
		}
	}
	return m
}

// resamples is how often the bootstrap draws.
const resamples = 2000

// bootstrap is the F1 of the parts and its 95 % interval. Sessions are drawn,
// not prompts, because the prompts of one session are not independent. The
// generator's seed is fixed: the same labels give the same interval.
func bootstrap(parts []matrix) *record.F1 {
	var all matrix
	for _, m := range parts {
		all.sum(m)
	}
	if len(parts) == 0 || all.hit+all.missed == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, resamples)
	for i := range values {
		var m matrix
		for range parts {
			m.sum(parts[random.IntN(len(parts))])
		}
		values[i] = m.f(1)
	}
	slices.Sort(values)
	return &record.F1{Value: hundredths(all.f(1)), Low: hundredths(values[resamples/40]), High: hundredths(values[resamples-1-resamples/40])}
}

func hundredths(x float64) record.Score { return record.Score(math.Round(x*100) / 100) }

// parts measures each session for itself.
func parts(samples []*sample, measure func([]*sample, *tuning) matrix, t *tuning) (out []matrix) {
	for i := range samples {
		out = append(out, measure(samples[i:i+1], t))
	}
	return out
}
