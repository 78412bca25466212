package record

// ruleEvidence makes an empty evidence value for a rule detector.
func ruleEvidence(kind Kind, detector string) Evidence { return nil }
