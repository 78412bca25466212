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
// figures were taken on (2 cores, 2.8 GHz; 1 GB of synthetic transcripts in 228,000
// lines, `make bench`) that is 5.4 GB a CPU second. Reading to blocks and turns
// does 1.0 GB/s, with 0.02 allocations a line. A scan as a process does 550 MB/s
// under the guarded profile, 720 under the classic one and 460 with rules
// measured (10, 7.6 and 12 times the limit, 1.2, 1.1 and 3 allocations a line), in
// 35 MiB; two cores take 0.51 of the time of one. One file of 500 MB takes
// 0.9 s on one core, 0.6 s on two, and 52 MiB at its peak; a line of 200 MB
// takes 30 MiB.
//
// What made the difference, measured where it stands: the ends of strings are
// marked in one pass over a line (ndjson, marks; 470 to 720 MB/s for reading),
// every byte is walked once and buffers are kept from session to session (720 to
// 1000), shell lines are looked at before they are parsed (predicate, CodeReads
// and installers; a scan went from 300 to 590 MB/s), and a text is searched for
// words only when the rarest word of a pattern is in it (wording, needles).
//
// Of a guarded scan a fifth now goes into reading files and finding line ends, a
// quarter into walking lines, and a third into detectors: a sixth of the whole
// into the words of prompts, a tenth into those of the agent. The next limits are
// cleaning and searching prompts (50 us each), and the strings that are made of
// calls, edits and failures, which are most of the allocations.
package transcript
