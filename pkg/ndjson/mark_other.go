//go:build !amd64

package ndjson

// canMark tells that marks are made by vector instructions only: elsewhere the
// walker searches for the end of each string, which the standard library does
// with such instructions on all common processors.
func canMark() bool { return false }

func markBlocks(*byte, int, *uint64, *uint64, uint64) (done, control int, carried, faulty, escapes uint64) {
	panic("not on this processor")
}
