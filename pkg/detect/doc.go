// Package detect sees friction and broken rules in sessions. A detector
// observes and never judges: what a hit is worth is the business of the score
// and rules packages.
//
// # Process
//
// [Session] makes one observer of every detector that is on, reads the session
// once and hands each block, turn and raw line to all of them. An observer's
// state is the local variables of the function that made it. What it reports
// becomes a signal; the signals of a session come out in the order of their
// place in it, and the session record after them, always, also for a smooth
// session and for one that could not be read.
//
// One file, one script, one registration a detector.
package detect
