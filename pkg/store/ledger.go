package store

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Limits are the sizes at which the ledger is rotated.
type Limits struct {
	Lines int   // rows kept at most; 1 at least
	Bytes int64 // size kept at most; the newest row is kept in any case
}

// DefaultLimits are the original gate's: 10,000 rows, 5 MiB.
var DefaultLimits = Limits{Lines: 10_000, Bytes: 5 << 20}

// shortestRow is the size of the shortest row that can be written: a smaller
// file cannot hold so many rows, and need not be counted.
const shortestRow = 80

// Ledger is the log of failed calls.
type Ledger struct {
	path   string
	limits Limits
}

// NewLedger is the ledger at a path; nothing is opened yet.
func NewLedger(path string, limits Limits) Ledger { return Ledger{path: path, limits: limits} }

// Append adds one row and rotates the ledger when it has grown over its limits.
// It waits for the lock until the context ends; an append that has not got it
// by then is made all the same, because one write at the end of a file needs no
// lock to be whole: the lock only keeps it apart from a rotation.
func (l Ledger) Append(ctx context.Context, row record.LedgerRow) error {
	line, err := ndjson.Marshal(row)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if err := makeDir(filepath.Dir(l.path)); err != nil {
		return err
	}
	f, err := lockOpen(ctx, l.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return l.appendUnlocked(line)
	}
	defer f.Close()
	size, err := appendLine(f, line)
	if err != nil {
		return err
	}
	return l.rotate(f, size)
}

func (l Ledger) appendUnlocked(line []byte) error {
	f, err := openRegular(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(line)
	return reason(err)
}

// rotate drops the oldest rows of the locked file when it is over a limit, and
// a tenth more, so that a ledger at its limit is not rewritten at every event.
// Its time depends on the limits and not on the size of the file.
func (l Ledger) rotate(f *os.File, size int64) error {
	over := size > l.limits.Bytes
	if !over && size >= shortestRow*int64(l.limits.Lines) {
		lines, err := countLines(io.NewSectionReader(f, 0, size))
		if err != nil {
			return reason(err)
		}
		over = lines > l.limits.Lines
	}
	if !over {
		return nil
	}
	start, err := tailStart(f, size, Limits{
		Lines: max(1, l.limits.Lines*9/10),
		Bytes: l.limits.Bytes * 9 / 10,
	})
	if err != nil {
		return reason(err)
	}
	kept, err := rewrite(l.path, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, start, size-start))
		return err
	})
	if err != nil {
		return err
	}
	defer kept.Close()
	return carry(kept, f, size)
}

// carry moves rows that somebody appended without the lock to the old file
// after it was read, size bytes long, into the new one.
func carry(kept, old *os.File, size int64) error {
	info, err := old.Stat()
	if err != nil || info.Size() == size {
		return reason(err)
	}
	rows, err := io.ReadAll(io.NewSectionReader(old, size, info.Size()-size))
	if err == nil {
		_, err = kept.Write(rows)
	}
	return reason(err)
}

func countLines(r io.Reader) (lines int, err error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}

// tailStart finds where the newest rows within the limits begin, reading the
// file from its end. The last row counts in any case.
func tailStart(r io.ReaderAt, size int64, limits Limits) (int64, error) {
	buf := make([]byte, 64<<10)
	lines, start := 0, size
	// The file ends with a line feed, which begins no row: it is left out.
	for end := size - 1; end > 0; {
		chunk := buf[:min(end, int64(len(buf)))]
		base := end - int64(len(chunk))
		if _, err := r.ReadAt(chunk, base); err != nil {
			return 0, err
		}
		for {
			at := bytes.LastIndexByte(chunk, '\n')
			if at < 0 {
				break
			}
			row := base + int64(at) + 1
			if lines > 0 && size-row > limits.Bytes {
				return start, nil
			}
			start = row
			if lines++; lines >= limits.Lines {
				return start, nil
			}
			chunk = chunk[:at]
		}
		end = base
		if lines > 0 && size-end > limits.Bytes {
			return start, nil
		}
	}
	if lines == 0 || size <= limits.Bytes {
		return 0, nil
	}
	return start, nil
}
