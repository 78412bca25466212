package detect

import (
	"errors"
	"io/fs"
	"time"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/repo"
	"retro/pkg/rules"
	"retro/pkg/transcript"
	"retro/pkg/wording"
)

// Options say what is looked for and what is known besides the transcript. The
// zero value sees friction only, in UTC.
type Options struct {
	// Profile is the policy of the gate; nil is the default one.
	Profile *profile.Profile
	// Ledger is what the capture hook wrote; nil when there is none or it is not
	// to be looked at.
	Ledger *Ledger
	// Registry turns the rule detectors on; nil leaves them off.
	Registry *rules.Registry
	// Root is the project directory whose facts may be looked at, an absolute
	// path; "" for none.
	Root string
	// Project is the directory that the paths of the sessions are relative to,
	// by its text alone; "" takes the one that a session began in.
	Project string
	// CodePaths are the directories of code below the root of a repository; none
	// makes a directory `src` at any depth code.
	CodePaths []string
	// Facts are shared by the sessions of a run; nil reads them anew for each.
	Facts *Facts
	// Looked is filled with what the session looks at of the facts; nil when
	// nobody wants to know.
	Looked *Looked
	// Log reads the history of the repository at a directory, newest first: not
	// older than since, and from the first commit on that is not newer than until.
	// It is nil when the history must not be looked at.
	Log func(dir string, since, until time.Time) ([]repo.Commit, error)
	// Since and Until cut hits and counts by their own time: not before Since,
	// before Until. Detectors see all records all the same, so a period never
	// changes what a hit is.
	Since, Until time.Time
	// Zone is the zone of days; nil is UTC.
	Zone *time.Location
	// Now is the time of the scan, for the `live` mark; zero for none.
	Now time.Time
	// Decisions are the records of origin hook that the signals store holds of
	// the session, in its order; outcomes are derived from those of kind
	// decision. A record that this version could not read has no kind.
	Decisions []record.Signal
	// Candidates also reports hits that a guard held back.
	Candidates bool
	// Config is the config_hash of the session records, see [ConfigHash]; zero is
	// that of the profile alone.
	Config record.Hash
	// Buffers are used again from session to session, by one goroutine at a time;
	// nil takes new ones.
	Buffers *Buffers
	// Fault is told every damaged place.
	Fault func(kind, file string, line int)

	// view is how the session looks at the facts; nil without a root.
	view *view
	// rules is what the rule detectors share while one session is read; nil
	// when they are off.
	rules *ruleSession
}

// Buffers are what reading a session takes and the next one can use again: those
// of the reader, and those for the words of prompts and answers. Most sessions are
// short: half of what each of them took was for words. The zero value is ready.
type Buffers struct {
	reading transcript.Buffers
	cleaner wording.Cleaner
	lexicon *wording.Lexicon
}

// lexiconOf is a lexicon with the patterns of another one, and buffers of this.
func (b *Buffers) lexiconOf(patterns *wording.Lexicon, opt wording.Options) *wording.Lexicon {
	if b.lexicon == nil || !b.lexicon.Is(patterns, opt) {
		b.lexicon = patterns.With(opt)
	}
	return b.lexicon
}

func (o *Options) profile() *profile.Profile {
	if o.Profile != nil {
		return o.Profile
	}
	p, _ := profile.Named(profile.Default)
	return p
}

func (o *Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// cuts tells whether there is a period.
func (o *Options) cuts() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

// outside tells whether a time lies outside the period. What has no time comes
// before all that has: it is in exactly one of several periods that meet, the
// one without a Since.
func (o *Options) outside(t time.Time) bool {
	return !o.Since.IsZero() && t.Before(o.Since) || !o.Until.IsZero() && !t.IsZero() && !t.Before(o.Until)
}

// reason is an error in words of this program, without paths and quotes.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "file not found"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, transcript.ErrUnclaimed), errors.Is(err, transcript.ErrCompressed), errors.Is(err, transcript.ErrWindow):
		return err.Error()
	}
	return "read error"
}
