// Package transcript turns the files of coding agents into turns. Nothing above
// it knows a file format.
//
// # Vocabulary
//
// A transcript is one file. A session is one conversation of a person with an
// agent: its main transcript and those of its sub-agents. A turn is one answer
// of the model, whatever number of lines it is stored in. A block is the
// smallest thing that is said or done: a piece of the agent's text, a tool
// call, a tool result, a person's prompt, a notice of the harness. A tool
// result is joined to its tool call. A prompt is what a person typed; harness
// text on the same channel is a notice of a known kind.
//
// # Process
//
//  1. [Find] lists the sessions that arguments, directories or a project name.
//  2. [Session.Read] opens each file of a session, takes the first adapter that
//     claims it, and feeds the adapter line by line.
//  3. The adapter decides who spoke, what a turn is, what is joined and what is
//     a copy, and delivers blocks in file order, each with its turn number, and
//     every turn when it has ended. A line that belongs to an ended turn is
//     delivered as a late block of it.
//
// Reading streams: blocks and turns are valid during the call only, and so is
// every byte slice in them. Memory is bounded by the number of distinct calls
// and turns, never by text.
//
// # Performance
//
// The limit is finding the ends of lines: 4.0 GB/s on one core of the machine
// the figures were taken on (2.8 GHz, 312 MB of synthetic transcripts, `make
// bench`). Reading to blocks and turns does 470 MB/s, 8.5 times the limit; a
// scan with all detectors 280 MB/s under the guarded profile and 300 under the
// classic one, 14 and 13 times. One file of 500 MB takes 2.7 s on one core and
// 1.3 s on two, and 53 MiB at its peak; a line of 200 MB takes 21 MiB.
//
// A third of a scan goes into stepping over strings (two searches a string: the
// quote and the escapes before it), a tenth into line ends, a seventh into the
// parser of shell commands, which the counters need, and a sixth into the words
// of prompts and answers. What allocates most is that parser. The next limit is
// the search for quotes and backslashes, which one pass over the line that
// marks both would halve.
package transcript
