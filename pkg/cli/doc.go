// Package cli is what the five filters share: the environment of a command, its
// diagnostics and its exit codes. The commands themselves live one folder
// below, a folder a binary and a file a command; together they are the only
// importers of the flag library.
//
// # The rules of a filter
//
// Every binary keeps these:
//
//  1. It reads NDJSON on stdin, or files given as arguments (`-` is stdin), and
//     writes NDJSON on stdout (retro-render writes Markdown). Diagnostics go to
//     stderr only, as `retro-scan: FILE:LINE: message`, lower case, no final
//     period, never a quote of the input, which holds secrets. With stdin a
//     terminal and no arguments it prints a short help and exits 2.
//  2. A path, --project or any other selector turns stdin off: cron and ssh
//     leave it open. A bad line is counted, named on stderr (bounded: after ten
//     of one kind, a count) and skipped; the rest is never lost. Lines have no
//     length limit and memory does not grow with the file.
//  3. Exit codes: 0 done; 1 a file or directory could not be read, and what
//     could be is complete on stdout (malformed lines are no failure unless
//     --strict); 2 bad usage. --exit-code adds 3: the thing looked for was
//     found. Hook mode always exits 0 unless it means to block, which is 2. An
//     error about one session also travels in the stream, so that a later stage
//     never takes "could not tell" for "calm".
//  4. A filter writes a record only for the kinds it makes. --tee also copies
//     every input line through, byte for byte. Unknown kinds are ignored.
//  5. Same input, same bytes out: order is file order, then position; nothing
//     reads the clock, the zone, the environment or home below this package;
//     times are RFC 3339 UTC, days YYYY-MM-DD in one zone that the records carry.
//  6. A closed pipe ends it quietly. SIGINT leaves no temporary file and no
//     lock. Progress goes to stderr and only on a terminal. NO_COLOR is
//     honoured. --help is a page, --version tells the build, --schema prints
//     the JSON Schema of what it writes.
//  7. Only the commands and flags named as writers touch the disk, always by
//     temporary file, fsync and rename or by locked append. Instruction files
//     are never edited. The one thing that uses a network is the webhook of the
//     scheduled report, and only when its variable is set.
package cli
