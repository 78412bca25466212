// Package corpus turns blocked tool calls into regression cases for the hooks
// that blocked them, and runs those cases.
//
// # Vocabulary
//
// A hook is a command that is given a tool call as JSON on stdin and answers
// allow or block. A block is a call that a hook blocked in a real session. A
// label is a person's word about a block: what the hook should have answered
// and why, or why it cannot be run again. A case is a block with its label. A
// segment is the cases that were added together, under a head that says in what
// surroundings they are run: home directory and layout.
//
// # Process
//
//  1. Build joins an export of blocks with its labels. Every block needs a
//     label and every label a block: a review does not leave with unlabelled
//     blocks. The new segment goes to the end of the corpus, whose earlier
//     segments stay byte for byte.
//  2. Run makes a sandbox for every segment, a directory with the layout in it
//     (directories, files, real git repositories and worktrees), moves the
//     paths of each case there and compares the hook's answer.
//
// A case may be marked as a known error of the hook. It then must fail: a known
// error that no longer shows is reported as fixed, and fails the run until the
// mark is taken off, because a mark left behind hides the error's return.
//
// A hook runs with a clean environment, its home in the sandbox and a time
// limit. Exit code 2 or a JSON decision to deny is a block, exit code 0 allows;
// a hook that hangs, crashes or cannot be started has given no answer, and that
// is a failure of its own name whatever was expected.
package corpus
