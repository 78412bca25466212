package ndjson

import "golang.org/x/sys/cpu"

// canMark tells whether this processor has the instructions of markBlocks:
// all made since 2015 or so.
func canMark() bool { return cpu.X86.HasAVX2 }

// markBlocks looks at blocks of 64 bytes from p on. For each it writes to ends
// a word with a bit for every quote that no backslash escapes, and to unicode
// one for every escaped u. carry is 1 when the first byte is escaped; carried
// tells the same of the byte behind the last block. faulty is not 0 when there is a
// byte below 0x20 or an escape that JSON has not, escapes when there is an
// escaped u.
//
//go:noescape
func markBlocks(p *byte, blocks int, ends, unicode *uint64, carry uint64) (carried, faulty, escapes uint64)
