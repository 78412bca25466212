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
package transcript
