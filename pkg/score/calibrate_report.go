package score

import (
	"math"

	"retro/pkg/record"
)

// Measures of a calibration, in the order in which they come.
const (
	measureAll       = "all"             // every labelled session
	measureWindow    = "window"          // prompts, with the unjudged ones before each judged one
	measureValidated = "cross-validated" // with what was fitted on the other folds
	measureThreshold = "threshold"       // sessions at another threshold
	measurePushback  = "pushback"        // prompts at another limit
	measureWithout   = "without"         // sessions without a signal
	measureFeature   = "without-feature" // prompts without a feature
	measureProposal  = "proposal"        // fitted on all labels
)

// Size tells what stands behind a calibration.
type Size struct{ Rough, Smooth, Unclear, Prompts, Pushback, Open, Folds int }

// Size counts the labelled sessions of the stream and their judged prompts.
func (c *Calibration) Size() (n Size) {
	for _, s := range c.done {
		n.count(s)
	}
	n.Folds = len(c.folds())
	return n
}

func (n *Size) count(s *sample) {
	switch s.label.Truth {
	case Rough:
		n.Rough++
	case Smooth:
		n.Smooth++
	default:
		n.Unclear++
	}
	n.Prompts += len(s.prompts)
	for _, p := range s.prompts {
		switch p.truth {
		case Rough:
			n.Pushback++
		case Unclear:
			n.Open++
		}
	}
}

// Rows measures. The stream must have ended.
func (c *Calibration) Rows() []record.Calibration {
	c.finish()
	own := tuningOf(c.profile)
	rows := []record.Calibration{c.both(measureAll, "", own, parts(c.done, sessionsOf, &own), parts(c.done, promptsOf, &own))}
	rows = append(rows, c.both(measureWindow, "", own, nil, parts(c.done, windowsOf, &own)))
	s, p := c.crossValidate(own, fitThresholds)
	rows = append(rows, c.both(measureValidated, "thresholds", own, s, p))
	s, p = c.crossValidate(own, fitWeights)
	rows = append(rows, c.both(measureValidated, "weights", own, s, p))
	rows = append(rows, c.curves(own)...)
	rows = append(rows, c.without(own)...)
	fitted := fitWeights(c.done, own)
	proposal := c.both(measureProposal, "", fitted, parts(c.done, sessionsOf, &fitted), parts(c.done, promptsOf, &fitted))
	proposal.Weights = changes(own, fitted)
	return append(rows, proposal)
}

// both makes the row of what was measured session by session; nil parts make
// no figures.
func (c *Calibration) both(measure, name string, t tuning, sessions, prompts []matrix) record.Calibration {
	row := c.row(measure, name, t)
	row.Sessions, row.Prompts = accuracyOf(sessions), accuracyOf(prompts)
	return row
}

func (c *Calibration) row(measure, name string, t tuning) record.Calibration {
	return record.Calibration{V: record.Version, Kind: record.KindCalibration, Profile: record.NewName(c.profile.Name), Config: c.hash,
		Measure: record.NewName(measure), Name: record.NewName(name), Threshold: record.Score(t.threshold), Pushback: record.Score(t.pushback)}
}

func accuracyOf(parts []matrix) *record.Accuracy {
	if parts == nil {
		return nil
	}
	var all matrix
	for _, m := range parts {
		all.sum(m)
	}
	a := all.accuracy()
	a.F1 = bootstrap(parts)
	return a
}

// curves measures at thresholds around the profile's.
func (c *Calibration) curves(own tuning) (rows []record.Calibration) {
	for v := math.Max(step, own.threshold-2); v <= own.threshold+3; v += step {
		t := own
		t.threshold = v
		row, m := c.row(measureThreshold, "", t), sessionsOf(c.done, &t)
		row.Sessions = m.accuracy()
		rows = append(rows, row)
	}
	if own.pushback == 0 {
		return rows
	}
	for v := math.Max(step, own.pushback-1.5); v <= own.pushback+2; v += step {
		t := own
		t.pushback = v
		row, m := c.row(measurePushback, "", t), promptsOf(c.done, &t)
		row.Prompts = m.accuracy()
		rows = append(rows, row)
	}
	return rows
}

// without leaves each signal and each feature out.
func (c *Calibration) without(own tuning) (rows []record.Calibration) {
	for i, s := range own.signals {
		t := own.clone()
		t.signals[i].Weight = 0
		row, m := c.row(measureWithout, s.Name, t), sessionsOf(c.done, &t)
		row.Sessions = m.accuracy()
		rows = append(rows, row)
	}
	for i, f := range own.features {
		t := own.clone()
		t.features[i].Weight = 0
		row, m := c.row(measureFeature, f.Name, t), promptsOf(c.done, &t)
		row.Prompts = m.accuracy()
		rows = append(rows, row)
	}
	return rows
}
