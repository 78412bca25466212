// Package shell tells which simple commands a shell line runs. It reads the
// line and never runs it, and it knows no variables, no files and no aliases.
//
// # Vocabulary
//
// A line is the text of one shell tool call, any number of physical lines long.
// A simple [Command] is a program with its arguments, as the shell would start
// it: quotes are taken off; `&&`, `||`, `;`, `|`, `&`, line ends and
// parentheses part commands; the target of a redirect is no argument; the body
// of a here-document is no command unless a shell reads it. Bodies of loops,
// conditions and functions, `$(...)`, and backquotes are looked into. A
// [Word] is static when its value stands in the line, and dynamic when a part
// of it is known only at run time.
//
// A wrapper runs another command. One that only changes how the command runs
// (sudo, env, time, nohup, timeout ...) is taken off; one that is a program in
// its own right (`bash -c`, xargs, `find -exec`, eval) is given first, and then
// what it runs, a bounded number of levels deep.
//
// # Process
//
// A line is parsed as Bash. An unfinished line (clipped, unclosed quote or
// here-document) gives the commands that can be seen in it. What cannot be
// parsed at all is split on white space; those commands are marked [Command.Guessed],
// and whoever accuses somebody should leave them out.
package shell
