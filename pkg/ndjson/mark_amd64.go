package ndjson

import "sync"

// canMark tells whether this processor and system have the instructions of
// markBlocks: all since 2015 or so. It asks when the first text is marked: on a
// virtual machine each question takes 0.1 ms, and hooks, which mark nothing, are
// processes of a few ms. (golang.org/x/sys/cpu asks a dozen at every start.)
var canMark = sync.OnceValue(hasAVX2)

// hasAVX2 asks the processor for AVX2, and the system for the registers.
func hasAVX2() bool

// markBlocks looks at blocks of 64 bytes from p on, up to the first byte below
// 0x20: done is how many blocks are before its own, control its place in that, -1 when
// there is none. For each block it writes to ends a word with a bit for every quote
// that no backslash escapes, and to unicode one for every escaped u; of the block
// that holds the control character only what is before it counts. carry is 1 when
// the first byte is escaped; carried tells the same of the byte behind the last
// block. faulty is not 0 when there is an escape that JSON has not, escapes when
// there is an escaped u.
//
//go:noescape
func markBlocks(p *byte, blocks int, ends, unicode *uint64, carry uint64) (done, control int, carried, faulty, escapes uint64)
