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
// The limit is finding the ends of lines and nothing else. On the machine the
// figures were taken on (2 cores of an AMD EPYC; 1 GB of synthetic transcripts in
// 231,000 lines, `make bench`, medians) that is 7.3 GB a CPU second. Reading to blocks
// and turns does 1.3 GB/s, with 0.02 allocations a line. A scan as a process does
// 700 MB/s under the guarded profile, 800 under the classic one and 490 with rules
// measured (10, 9 and 15 times the limit, 0.8, 0.7 and 2.7 allocations a line), in
// 36 MiB; two cores take 0.55 to 0.6 of the time of one, in 42 MiB. Real sessions
// have lines of 1 kB instead of 4, and cost 3.5 us a line, 280 MB/s. One file of
// 500 MB takes 0.7 s on one core, 0.55 s on two, and 48 MiB at its peak; a line of
// 200 MB takes 30 MiB.
//
// What made the difference, measured where it stands: one pass finds the end of a
// line and marks the ends of its strings (ndjson, marks), every byte is walked once,
// buffers are kept from session to session (here, and detect, Buffers), the
// collector has little to do (cli/scan, ballastSize), shell lines are looked at
// before they are parsed (predicate: CodeReads, MayBenignExit, installers), and a
// text is searched for words only when a pair of words of a pattern is in it
// (wording, needles), by tables instead of functions for all of Unicode.
//
// Of a guarded scan a fifth now goes into reading files and finding line ends, a
// third into walking lines, and a third into detectors: an eighth of the whole into
// the words of prompts, a tenth into those of the agent. The next limit is the walk:
// 1.5 us a line, of some 25 members.
package transcript
