// Package store keeps the little state that retro has between two processes:
// the ledger of the friction gate and the signals store.
//
// # Vocabulary
//
// A project is a working tree; its state lives in `.claude/retro/` under the
// root of the repository's main working tree, so that linked working trees
// share it. [Project] resolves every path. The ledger is a log of failed calls
// that hooks append to, one row an event. The signals store holds the signals
// of finished and running sessions: those of origin transcript are replaced as
// one whole whenever the session is captured again, those of origin hook are
// appended once and stay.
//
// # What holds
//
// Many processes write at once and any of them may be killed at any moment:
//
//   - A writer locks the data file itself with the kernel's flock, so a lock
//     dies with its process, nobody steals it by age, and no lock file is left.
//     After a rewrite the name belongs to another inode; whoever waited on the
//     old one sees that and opens the new one. Waiting ends with the context.
//   - An append is one write at the end of the file. A last line that an
//     earlier crash tore is closed first, so it damages nothing but itself; a
//     write that the disk refuses half-way is taken back.
//   - A rewrite is a temporary file in the same folder, fsync, rename, fsync of
//     the folder. The temporary file has one fixed name and is written under
//     the lock; the next writer removes what a killed one left.
//   - Files have mode 0600 and the folder 0700. A symbolic link, a folder or a
//     device in the place of a file is refused.
//
// Note: flock is not safe on every network file system, and neither is rename.
package store
