// Package score says what the friction of a session is worth: signals in,
// verdicts out.
//
// It works one session at a time, in a stream in which sessions may be
// interleaved. Friction signals are counted under their session, each id once,
// since the same hit may come twice (a copy of the history, a job run twice).
// The session record is the trailer: it names the profile and the
// configuration under which the session was scanned and closes it, and the
// verdict follows. What is remembered of a closed session is its id and how
// many bytes of transcript stood behind it; a record of it that comes again is
// a second verdict only when more stood behind that one.
//
// A verdict is a sum: for each signal of the profile the hits, up to its cap,
// times its weight. Hits under a name that the profile has not weigh nothing.
// Signals of two configurations are not added up: that is an error.
package score
