package scan

// promise is what comes of a session: the pieces of its records as they are
// written, and behind the last one all else.
type promise struct {
	pieces chan []byte
	done   *scanned // once pieces is closed
}

const (
	// pieceSize is how many bytes of records are handed on at a time.
	pieceSize = 32 << 10
	// piecesAhead is how many pieces a session has ready before its turn. One with
	// more to say, a thousand signals, waits with its worker, so that what is kept of
	// those that were read ahead is bounded.
	piecesAhead = 8
)

func newPromise() *promise { return &promise{pieces: make(chan []byte, piecesAhead)} }

// output is the writer that keeps a promise. Closing stop makes it drop
// everything.
type output struct {
	to    chan<- []byte
	stop  <-chan struct{}
	piece []byte
}

// Write takes records and hands them on when they are enough.
func (o *output) Write(b []byte) (int, error) {
	if o.piece = append(o.piece, b...); len(o.piece) >= pieceSize {
		o.flush()
		o.piece = make([]byte, 0, pieceSize+pieceSize/4)
	}
	return len(b), nil
}

// flush hands on what there is.
func (o *output) flush() {
	if len(o.piece) > 0 {
		o.send(o.piece)
		o.piece = nil
	}
}

// send hands text on as it is.
func (o *output) send(text []byte) {
	select {
	case o.to <- text:
	case <-o.stop:
	}
}
