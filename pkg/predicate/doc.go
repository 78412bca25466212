// Package predicate answers, once for everybody, what a tool call is: a search,
// a look into the code graph, an edit of a source file or of a generated one,
// the addition of a dependency, a commit, a review. The detectors ask it about
// the calls of a transcript and the rule hooks about the call that is about to
// be made, so the two cannot come to differ.
//
// # Vocabulary
//
// A [Call] is a tool call in the few fields that the questions need. A
// [Project] is what is known of the project besides the call: its root, what
// stands there for a code graph and for OpenSpec ([Settings]), and, when it was
// given one, its file system. Paths are relative to the root with forward
// slashes; everything outside is [record.External].
//
// # Promises
//
// A predicate accuses only where it is sure. A word inside quotes, a
// here-document or a search pattern is no command. What is known only at run
// time (`npm install "$PKG"`) and what could not be parsed counts for nobody's
// fault, but an exemption (the code graph was looked at, a proposal was
// touched, a review ran) is granted on weaker evidence. The same call gives the
// same answer; only the questions that take a file system read one.
package predicate
