// Package repo reads git repositories, and never changes one: what it knows
// about branches, worktrees and commits comes from the git program, run in a
// clean environment.
//
// # Vocabulary
//
// A repository is what one common git directory holds. It has one main
// worktree (none when bare) and any number of linked worktrees. The base is the
// commit that finished work ends up in, as a rule the branch that origin/HEAD
// points to. A branch is merged when its tip is an ancestor of the base, and
// merged by content when the base holds its changes under other commits, as
// after a squash or a rebase. A fact is something read off the repository; a
// leftover is a fact about work that is over.
//
// # How git is run
//
// [Git] gives each call an environment of its own: of the caller's variables
// only a short list is passed on, so no GIT_* variable redirects it; messages
// are in one language; nothing prompts, pages, takes optional locks, runs a
// hook or a file system monitor, verifies a signature or fetches an object
// that is missing. Every call has a time limit. Names are separated by NUL
// bytes, because a path may hold a line end and a ref may hold anything else.
//
// Commands that have to write objects (a trial merge writes its tree) run in a
// quarantine: a bare repository of our own in a temporary directory that
// borrows the objects. It has no configuration of the repository, so no merge
// driver or filter named there is ever run.
package repo
