// Package instruct weighs the instruction files of a project and finds where
// they are out of shape.
//
// # Vocabulary
//
// A tier is a sort of instruction file by when an agent reads it: always loaded
// (every session pays for it, whatever it is about), router (the AGENTS.md or
// CLAUDE.md of a directory), doc (read on demand), gotchas (entries that a hook
// shows one by one), scoped (loaded for the paths that its head names). A budget
// is the most tokens a tier should have; the always loaded files share one. A
// layout is structural when small edits cannot close it: files have to be
// divided.
//
// # Process
//
//  1. [Measure] reads the budgets from [Path], or takes the built-in ones, and
//     finds the files of each tier. What they import with `@file` is loaded with
//     them and counts once, four imports deep.
//  2. Tokens are estimated from the script of the letters ([Tokens]); the record
//     names the method.
//  3. Dated headings, repeated paragraphs, padded tables, imports and globs that
//     lead nowhere, and the entries of the gotcha files become the rest of the
//     records.
//
// Files are read and never written, and their text gets into no record.
package instruct
