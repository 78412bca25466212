package scan

import (
	"bytes"
	"testing"
)

// TestOutputComesInPieces checks that a session with much to say waits for its
// turn, and that nothing waits for a reader that has gone.
func TestOutputComesInPieces(t *testing.T) {
	p, stop := newPromise(), make(chan struct{})
	var want []byte
	go func() {
		out := &output{to: p.pieces, stop: stop}
		for i := range 5000 {
			line := bytes.Repeat([]byte{byte('a' + i%26)}, 100)
			want = append(want, line...)
			out.Write(line)
		}
		out.flush()
		close(p.pieces)
	}()
	var got []byte
	for piece := range p.pieces {
		if len(piece) > 2*pieceSize {
			t.Errorf("a piece of %d bytes", len(piece))
		}
		got = append(got, piece...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes came, want %d", len(got), len(want))
	}
	close(stop)
	out := &output{to: make(chan []byte), stop: stop}
	out.Write(want)
	out.flush()
}
