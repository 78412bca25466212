package transcript

import "bytes"

// head holds back the first records of a file as long as they carry a session
// id that is not the file's own: after "accept the plan and clear the context"
// a new file begins with a record of the old session. When the file's own id
// comes, what was held is dropped as a copy; when it does not come soon, the
// records were the file's after all (it was renamed, or resumed).
type head struct {
	own    string // the session id that the file's name gives; "" turns the check off
	done   bool
	held   [][]byte
	at     []int // line numbers of the held records
	bytes  int
	replay bool
}

// The bounds of what is held back.
const (
	maxHeldRecords = 32
	maxHeldBytes   = 1 << 20
)

// holds tells whether the record waits.
func (h *head) holds(c *claude, text []byte) bool {
	if h.done || h.replay {
		return false
	}
	id := c.rec.sessionID.String()
	switch {
	case h.own == "" || id == h.own:
		h.done = true
		for range h.held {
			c.a.drop("foreign")
		}
		h.held = nil
		return false
	case id == "":
		if len(h.held) == 0 {
			return false
		}
	}
	h.held = append(h.held, bytes.Clone(text))
	h.at = append(h.at, c.a.line)
	if h.bytes += len(text); len(h.held) >= maxHeldRecords || h.bytes >= maxHeldBytes {
		h.release(c)
	}
	return true
}

// release delivers what was held as the file's own.
func (h *head) release(c *claude) {
	h.replay, h.done = true, true
	line := c.a.line
	c.rec = &c.own
	for i, text := range h.held {
		c.a.line = h.at[i]
		if c.rec.parse(&c.walker, text) {
			c.take()
		}
	}
	h.held = nil
	c.a.line = line
}
