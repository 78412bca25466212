// Package record holds the types that cross a pipe or a file: one JSON object a
// line, snake_case keys, fixed key order, schema version and kind in each. A
// type is here if, and only if, it is written or read outside the process.
//
// # Kinds
//
// A signal is something seen in a session: friction (one hit of a gate
// signal), candidate (a hit that a guard held back), violation, event,
// decision, outcome (the rules), and session, which comes once for every
// session after its signals and is the denominator of every rate. A verdict is
// what a session's friction is worth. A bucket is what many of them come to; the
// bucket named episode, one session on one day, merges with others of its kind.
// The later stages add their own kinds.
//
// # No free text
//
// A record holds no text of a transcript. Evidence is typed: every field of it
// is a number, a word of a closed list, or one of the opaque types of this
// package ([Path], [Name], [Identifier], [Hash], [Anchor], [Timestamp]) that
// only their constructors make, so a plain string does not compile into a
// record. Counts by name are lists of [Count], never objects with changing
// keys. A [Leftover] is about repositories and not about transcripts: it holds
// names of refs and places on disk, and a [Command] made of them.
//
// Fields are added, never renamed or given a new meaning. Absent and null mean
// the same only where a field says so.
package record
