package record

// Episode is everything that is known of one session on one day, as counts,
// sums and sorted lists and never as means, so that it merges: of two records
// for one session and day the one with more source bytes stands, and they are
// never added.
type Episode struct {
	BucketHead
	SessionID SessionID `json:"session_id"`
	Day       Day       `json:"day"`  // null when no record of the session tells the time
	Zone      Name      `json:"zone"` // of the day
	// ConfigHash is empty when nothing but a hook saw the session.
	ConfigHash  Hash  `json:"config_hash"`
	SourceBytes int64 `json:"source_bytes"`
	Tool        Tool  `json:"tool"`
	// Transcript holds what was read off the transcript, Hook what hooks wrote
	// at the time. They come from different files and stand or fall apart.
	Transcript EpisodeFacts `json:"transcript"`
	Hook       EpisodeFacts `json:"hook"`
	// Session holds the counters of the whole session; null on every day but
	// its last.
	Session *EpisodeSession `json:"session"`
	// Verdict is what retro-score made of the session; null on every day but
	// its last, and when no verdict was in the stream.
	Verdict *EpisodeVerdict `json:"verdict"`
}

// EpisodeFacts are the signals of one origin, counted. Lists are sorted by
// their first fields.
type EpisodeFacts struct {
	Signals    int              `json:"signals"`
	First      Timestamp        `json:"first"`
	Last       Timestamp        `json:"last"`
	Friction   []Count          `json:"friction,omitempty"` // hits by signal name
	Violations []RuleViolations `json:"violations,omitempty"`
	Retries    []Retry          `json:"retries,omitempty"`
	Decisions  []RuleDecisions  `json:"decisions,omitempty"`
	Outcomes   []RuleOutcomes   `json:"outcomes,omitempty"`
	Gotchas    []Count          `json:"gotchas,omitempty"` // times shown, by id of the entry
}

// RuleViolations counts the violations of a rule that one detector saw.
type RuleViolations struct {
	Rule          Name `json:"rule"`
	Detector      Name `json:"detector"`
	Events        int  `json:"events"`
	Deterministic int  `json:"deterministic"`
	// Turns are the turns of the session at which it happened, as far as known.
	Turns    []int         `json:"turns,omitempty"`
	Clusters []PathsInside `json:"clusters,omitempty"`
	IDs      []Hash        `json:"ids,omitempty"`
}

// PathsInside counts what was touched under a directory.
type PathsInside struct {
	Pattern    Path `json:"pattern"` // at most three components and a slash
	Files      int  `json:"files"`
	Violations int  `json:"violations"`
}

// Retry is one command that was run three times or more with two errors or
// more.
type Retry struct {
	Hash    Hash    `json:"hash"`
	Program Program `json:"program"`
	Runs    int     `json:"runs"`
	Errors  int     `json:"errors"`
	Gotchas []Name  `json:"gotchas,omitempty"` // entries that warn of this command
}

// RuleDecisions counts what a rule's hook did.
type RuleDecisions struct {
	Rule       Name `json:"rule"`
	Warned     int  `json:"warned"`
	Blocked    int  `json:"blocked"`
	Suppressed int  `json:"suppressed"`
	Surfaced   int  `json:"surfaced"`
}

// Add adds other to d.
func (d *RuleDecisions) Add(other RuleDecisions) {
	d.Warned += other.Warned
	d.Blocked += other.Blocked
	d.Suppressed += other.Suppressed
	d.Surfaced += other.Surfaced
}

// RuleOutcomes counts what came of a rule's decisions. The counts behind N are
// of those N; what was held back or never arrived is not in them.
type RuleOutcomes struct {
	Rule     Name `json:"rule"`
	Recorded int  `json:"recorded"` // all of them
	// Undelivered counts warnings that provably never reached the model.
	Undelivered int `json:"undelivered"`
	// N counts the warnings and blocks that reached the model, or of which the
	// transcript does not tell.
	N            int `json:"n"`
	Proceeded    int `json:"proceeded"`
	Corrected    int `json:"corrected"`
	Reconcilable int `json:"reconcilable"` // those that could be made good
	Reconciled   int `json:"reconciled"`
	Ignored      int `json:"ignored"` // fired again later and was not made good
}

// Add adds other to o.
func (o *RuleOutcomes) Add(other RuleOutcomes) {
	o.Recorded += other.Recorded
	o.Undelivered += other.Undelivered
	o.N += other.N
	o.Proceeded += other.Proceeded
	o.Corrected += other.Corrected
	o.Reconcilable += other.Reconcilable
	o.Reconciled += other.Reconciled
	o.Ignored += other.Ignored
}

// EpisodeSession is the session record as it came.
type EpisodeSession struct {
	TS Timestamp `json:"ts"`
	// Error says why the session could not be read.
	Error string `json:"error,omitempty"`
	// Automated tells that a program drove the session; such sessions are kept
	// out of the rates of friction.
	Automated bool             `json:"automated,omitempty"`
	Evidence  *SessionEvidence `json:"evidence"`
}

// EpisodeVerdict is what retro-score made of the session.
type EpisodeVerdict struct {
	Score     Score   `json:"score"`
	Passed    bool    `json:"passed"`
	Threshold Score   `json:"threshold"`
	Profile   Name    `json:"profile"`
	Signals   []Count `json:"signals"` // as in the verdict: after caps
	Error     string  `json:"error,omitempty"`
}
