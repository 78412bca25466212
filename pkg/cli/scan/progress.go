package scan

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/transcript"
)

const (
	// progressAfter is how long a scan runs before it shows how far it is: most
	// are over by then.
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	// recently is the time whose rate tells what is left.
	recently = 10 * time.Second
	// A later stage may print to the same terminal what it is given: the line is
	// away while it does, for outputPause, but comes back once a progressAfter.
	outputPause = 100 * time.Millisecond
)

// progress is the line that tells on a terminal how far a long scan is. It is
// one line of our own: a library for it costs every start of the program, and
// so every hook, its initialisation.
//
// A nil progress shows nothing.
type progress struct {
	now      func() time.Time
	start    time.Time
	sessions int
	bytes    int64

	finished  atomic.Int64 // sessions
	readBytes atomic.Int64

	samples []sample // of the last while, oldest first; of the goroutine that draws

	mu    sync.Mutex // of the terminal
	w     io.Writer
	shown bool
	apart bool      // standard output is a pipe
	wrote time.Time // when something was written to it
	drawn time.Time

	end     chan struct{}
	ended   sync.WaitGroup
	restore func()
}

// sample is how much was read at a time.
type sample struct {
	at   time.Time
	read int64
}

// startProgress begins to show how far the scan of the sessions is; nil when
// there is no terminal for it.
func (c *scanCommand) startProgress(env *cli.Env, sessions []*transcript.Session) *progress {
	if !c.Progress || !env.StderrTerminal || env.StdoutTerminal || env.Getenv("TERM") == "dumb" || env.Getenv("TERM") == "" {
		return nil
	}
	p := &progress{now: env.Now, start: env.Now(), sessions: len(sessions), w: env.Stderr, apart: env.StdoutPipe, end: make(chan struct{})}
	for _, s := range sessions {
		p.watch(&s.Main)
		for i := range s.Subagents {
			p.watch(&s.Subagents[i])
		}
	}
	p.restore = env.Diagnostics().Through(func(under io.Writer) io.Writer { return overProgress{p, under} })
	p.ended.Go(p.run)
	return p
}

// watch counts what is read of a file. What a compressed one holds above its
// size does not count, and one that was answered without reading counts when
// its session is done.
func (p *progress) watch(f *transcript.File) {
	p.bytes += f.Size
	open, left := f.Open, f.Size
	f.Open = func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &watched{ReadCloser: r, p: p, left: &left}, nil
	}
}

// watched is a file that is being read.
type watched struct {
	io.ReadCloser
	p    *progress
	left *int64 // of the file, however often it is opened
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	counted := min(int64(n), *w.left)
	*w.left -= counted
	w.p.readBytes.Add(counted)
	return n, err
}

// done counts a session whose result is out, and the bytes of one that need
// not be read.
func (p *progress) done(result *scanned) {
	if p == nil {
		return
	}
	p.finished.Add(1)
	if result.kept == nil {
		return
	}
	for _, f := range filesOf(result.session) {
		p.readBytes.Add(f.Size)
	}
}

// run draws the line until the scan ends. An interrupt takes it away before it
// ends the process, or the shell's prompt would stand behind it.
func (p *progress) run() {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	for {
		select {
		case <-p.end:
			return
		case s := <-interrupts:
			p.mu.Lock()
			p.clear()
			p.mu.Unlock()
			signal.Stop(interrupts)
			endBy(s)
			return
		case <-tick.C:
			now := p.now()
			p.sample(now)
			if now.Sub(p.start) >= progressAfter {
				p.show(now)
			}
		}
	}
}

// sample notes how much has been read, and forgets what was long ago.
func (p *progress) sample(now time.Time) {
	if len(p.samples) == 0 {
		p.samples = append(p.samples, sample{at: p.start})
	}
	p.samples = append(p.samples, sample{now, p.readBytes.Load()})
	for now.Sub(p.samples[1].at) >= recently {
		p.samples = p.samples[1:]
	}
}

// show draws the line. It is drawn with wrapping off, so that a terminal too
// narrow for it cuts it, and the next one stands in the same place.
func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.wrote) < outputPause && now.Sub(p.drawn) < progressAfter {
		return
	}
	p.shown, p.drawn = true, now
	fmt.Fprintf(p.w, "\r\x1b[K\x1b[?7l%s\x1b[?7h", p.line(now))
}

// line is the text.
func (p *progress) line(now time.Time) string {
	read := min(p.readBytes.Load(), p.bytes)
	text := fmt.Sprintf("%s of %s, %d of %d sessions", size(read), size(p.bytes), p.finished.Load(), p.sessions)
	before := p.samples[0]
	rate := float64(read-before.read) / now.Sub(before.at).Seconds()
	if rate <= 0 {
		return text
	}
	left := time.Duration(float64(p.bytes-read) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s, %s/s, %s left", text, size(int64(rate)), left)
}

// print writes to standard output. Through a pipe it may reach the terminal, so
// the line goes away first, and what was written does not wait in a buffer until
// it is back.
func (p *progress) print(out *bufio.Writer, text []byte) error {
	apart := p != nil && p.apart && len(text) > 0
	if apart {
		p.mu.Lock()
		p.clear()
		p.wrote = p.now()
		p.mu.Unlock()
	}
	_, err := out.Write(text)
	if err == nil && apart {
		err = out.Flush()
	}
	return err
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	}
	return fmt.Sprintf("%d kB", (n+999)/1000)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// stop takes the line away for good.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.end)
	p.ended.Wait()
	p.restore()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// overProgress writes diagnostics where the line stood; it comes back with the
// next tick.
type overProgress struct {
	p     *progress
	under io.Writer
}

func (o overProgress) Write(b []byte) (int, error) {
	o.p.mu.Lock()
	defer o.p.mu.Unlock()
	o.p.clear()
	return o.under.Write(b)
}
