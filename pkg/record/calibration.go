package record

// KindCalibration is the kind of a Calibration.
const KindCalibration Kind = "calibration"

// Calibration is one line of what labels say about a profile: how well it does
// as it is, cross-validated, at other thresholds, without a signal, or what to
// change in it.
type Calibration struct {
	V       int  `json:"v"`
	Kind    Kind `json:"kind"` // KindCalibration
	Profile Name `json:"profile"`
	Config  Hash `json:"config_hash"`
	Measure Name `json:"measure"` // what was measured, such as `threshold`
	// Name is the signal, the feature or the way of cross-validation; empty
	// where Measure says all.
	Name      Name      `json:"name,omitempty"`
	Threshold Score     `json:"threshold"`
	Pushback  Score     `json:"pushback"`
	Sessions  *Accuracy `json:"sessions,omitempty"`
	Prompts   *Accuracy `json:"prompts,omitempty"`
	// Weights are proposed weights that differ from the profile's.
	Weights []ProposedWeight `json:"weights,omitempty"`
}

// Accuracy is how verdicts agree with labels. The rates have Wilson intervals.
type Accuracy struct {
	Precision     Rate `json:"precision"`
	Recall        Rate `json:"recall"`
	FalsePositive Rate `json:"false_positive"` // of what should not be flagged
	// Unclear is how much of what the labels leave open is flagged.
	Unclear Rate `json:"unclear"`
	F1      *F1  `json:"f1,omitempty"`
}

// F1 is the harmonic mean of precision and recall with a 95 % bootstrap
// interval over sessions.
type F1 struct {
	Value Score `json:"value"`
	Low   Score `json:"low"`
	High  Score `json:"high"`
}

// ProposedWeight is a weight that labels speak for.
type ProposedWeight struct {
	Signal  Name  `json:"signal"`
	Feature Name  `json:"feature,omitempty"` // of the signal; empty for its own weight
	Weight  Score `json:"weight"`
	Was     Score `json:"was"`
}
