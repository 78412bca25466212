// Package rules is the registry: which rules a project measures, how loudly each
// is enforced, and the thresholds that its figures are held against.
//
// # Vocabulary
//
// A rule is a line of an instruction file that a detector can see broken. Its
// enforcement is a rung of the ladder: prose (the line alone), hook-warn (a
// hook says so at the moment of the call), hook-block (the hook refuses the
// call). A rule is hard when the project cannot do without it; a hard rule is
// never proposed for removal. An episode is one session on one day.
//
// The registry is the project's own file, committed at [Path]. Where there is
// none, nothing is measured and nothing is written; a registry that cannot be
// used is told apart from one that is not there ([Invalid], [Malformed], the
// file system's own error), because a broken file must not look like a project
// that never switched measurement on.
//
// # Process
//
//  1. [Read] decodes and checks a registry; the first fault in a fixed order is
//     reported with the path of its field, and nothing is taken from a file
//     with a fault.
//  2. [MergeSeed] adds what a newer seed brings and touches nothing that is
//     there; [MarkRetro] notes that a retrospective was held. Both keep the
//     file's own keys and their order, check what they made before they write
//     it, and replace the file in one step.
//  3. [Thresholds.Status] says where a rule stands and [Thresholds.Climb]
//     whether it may be enforced more loudly. Both are pure functions of
//     counts; pkg/episode makes the counts.
package rules
