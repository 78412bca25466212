package transcript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow caps the memory that a compressed file can ask for, in bytes.
const maxZstdWindow = 32 << 20

// The errors of a compressed file that cannot be read, or not to its end.
var (
	ErrCompressed = errors.New("damaged gzip or zstd data")
	ErrWindow     = errors.New("zstd window of more than 32 MiB")
)

// openPath opens a transcript; gzip and zstd are told by their magic bytes,
// whatever the file is called.
func openPath(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := decompress(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// decompress returns a reader of the text behind r; closing it closes r.
func decompress(r io.ReadCloser) (io.ReadCloser, error) {
	var magic [4]byte
	n, err := io.ReadFull(r, magic[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	whole := io.MultiReader(bytes.NewReader(magic[:n]), r)
	switch {
	case n >= 2 && magic[0] == 0x1F && magic[1] == 0x8B:
		z, err := gzip.NewReader(bufio.NewReaderSize(whole, 64<<10))
		if err != nil {
			return nil, compressed(err)
		}
		return stacked{unpacker{z}, r}, nil
	case n == 4 && bytes.Equal(magic[:], []byte{0x28, 0xB5, 0x2F, 0xFD}):
		z, err := zstd.NewReader(whole, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, compressed(err)
		}
		return stacked{unpacker{z.IOReadCloser()}, r}, nil
	}
	return stacked{io.NopCloser(whole), r}, nil
}

// unpacker is a decompressing reader whose errors say what they are.
type unpacker struct{ io.ReadCloser }

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	return n, compressed(err)
}

// compressed is the error of a decompressor in words of this program; what the
// system says of the file stays.
func compressed(err error) error {
	var system syscall.Errno
	switch {
	case err == nil, err == io.EOF, errors.As(err, &system):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return ErrWindow
	}
	return ErrCompressed
}

// stacked closes the file under a reader with it.
type stacked struct {
	io.ReadCloser
	under io.Closer
}

func (s stacked) Close() error {
	s.ReadCloser.Close()
	return s.under.Close()
}
