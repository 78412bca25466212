package transcript

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"retro/pkg/ndjson"
)

// benchData is a set of transcripts, all in memory: that of RETRO_BENCH (made
// by `make bench-go`), else the samples of the repository.
func benchData(b *testing.B) (files [][]byte, size int64) {
	b.Helper()
	root := os.Getenv("RETRO_BENCH")
	if root == "" {
		root = "../../testdata/transcripts"
	}
	for _, s := range NewFinder(true).Path(root) {
		for _, f := range append([]File{s.Main}, s.Subagents...) {
			data, err := os.ReadFile(f.Path)
			if err != nil {
				b.Fatal(err)
			}
			files, size = append(files, data), size+int64(len(data))
		}
	}
	if size == 0 {
		b.Skip("no transcripts at " + filepath.Clean(root))
	}
	return files, size
}

// BenchmarkNewlines is the limit: finding the ends of lines and nothing else.
func BenchmarkNewlines(b *testing.B) {
	files, size := benchData(b)
	b.SetBytes(size)
	b.ReportAllocs()
	lines := ndjson.NewLines(nil)
	for b.Loop() {
		for _, data := range files {
			lines.Reset(bytes.NewReader(data))
			for lines.Next() {
			}
		}
	}
}

// BenchmarkRead is the reading path without detectors: blocks, turns, joined
// calls.
func BenchmarkRead(b *testing.B) {
	files, size := benchData(b)
	b.SetBytes(size)
	b.ReportAllocs()
	blocks := 0
	h := Handler{Block: func(*Block) { blocks++ }, Turn: func(*Turn) {}}
	var buffers Buffers
	for b.Loop() {
		for _, data := range files {
			s := Session{Main: File{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}}
			if _, err := s.ReadWith(&buffers, h); err != nil {
				b.Fatal(err)
			}
		}
	}
}
