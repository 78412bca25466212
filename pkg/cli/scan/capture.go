package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/store"
	"retro/pkg/transcript"
)

// errNoRegistry means that the project has not turned rule measurement on:
// nothing but the ledger is written.
var errNoRegistry = errors.New("no registry")

// errNoMessages means that a file could be read and is no transcript.
var errNoMessages = errors.New("transcript: no messages")

// capturer puts sessions into the signals store.
type capturer struct {
	signals store.Signals
	finder  *transcript.Finder
	options detect.Options
	known   map[string]*store.Known
	// force also takes sessions that are in the store already.
	force bool
	// belongs tells whether a session that began in a directory is one of the
	// project; nil takes all.
	belongs func(firstDir string) bool

	captured, skipped, failed int
}

// newCapturer opens the store of a project; errNoRegistry when it has no
// registry.
func newCapturer(env *cli.Env, project store.Project) (*capturer, error) {
	registry, err := rules.Read(project.Registry())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoRegistry
	case err != nil:
		return nil, errors.New("rules.json: " + registryFault(err))
	}
	c := &capturer{
		signals: store.NewSignals(project.Signals(), store.Retention{
			Sessions: registry.MaxSessions, IgnorePrefixes: registry.IgnorePrefixes,
		}),
		finder: transcript.NewFinder(true),
		options: detect.Options{ // no Config: the store outlives the registries that its sessions were measured by
			Registry:  registry,
			Root:      project.Root(),
			Project:   project.Root(),
			CodePaths: codePaths(project.Root()),
			Log:       gitLog(env),
			Fault:     func(string, string, int) {}, // counted in the session record
		},
	}
	if c.known, err = c.signals.Known(); err != nil {
		return nil, errors.New("signals store: " + err.Error())
	}
	return c, nil
}

func registryFault(err error) string {
	var invalid *rules.Invalid
	if errors.As(err, &invalid) || errors.Is(err, rules.ErrMalformed) {
		return err.Error()
	}
	return "cannot be read"
}

// attempts is how often a session is scanned again because hooks wrote about
// it meanwhile.
const attempts = 3

// take captures one session, unless the store has it. A session that only has
// sub-agent records is a sub-agent's transcript under an older name: it belongs
// to its parent and is passed over.
func (c *capturer) take(path string) error {
	for _, session := range c.finder.Path(path) {
		if err := c.takeSession(session); err != nil {
			c.failed++
			return err
		}
	}
	return nil
}

func (c *capturer) takeSession(session *transcript.Session) error {
	known := c.known[record.NewSessionID(session.ID).String()]
	if !c.force && known != nil && (known.Captured || known.Retired) && known.SourceBytes == sourceBytes(session) {
		c.skipped++
		return nil
	}
	if c.belongs != nil && !c.belongs(session.FirstDir()) {
		return nil
	}
	for range attempts {
		capture, evidence, err := c.scan(session, known)
		switch {
		case err != nil:
			return err
		case evidence.Turns == 0 && evidence.Prompts == 0 && evidence.SubagentTurns > 0:
			return nil
		case !c.force && isSame(known, evidence):
			c.skipped++
			return nil
		}
		stale, err := c.replace(capture)
		if err != nil {
			return err
		}
		if len(stale) == 0 {
			c.captured++
			return nil
		}
		if c.known, err = c.signals.Known(); err != nil {
			return errors.New("signals store: " + err.Error())
		}
		known = c.known[capture.Session.String()]
	}
	return errors.New("signals store: hooks keep writing about the session")
}

// scan reads the session. One that cannot be read, or holds no message, is an
// error and leaves the store as it is.
func (c *capturer) scan(session *transcript.Session, known *store.Known) (store.Capture, *record.SessionEvidence, error) {
	capture := store.Capture{Session: record.NewSessionID(session.ID)}
	opt := c.options
	if known != nil {
		capture.Hooks = len(known.Hooks)
		opt.Decisions = known.Hooks
	}
	var evidence *record.SessionEvidence
	err := detect.Session(session, &opt, func(s *record.Signal) {
		if e, ok := s.Evidence.(*record.SessionEvidence); ok {
			evidence = e
		}
		capture.Signals = append(capture.Signals, *s)
	})
	if errors.Is(err, transcript.ErrUnclaimed) {
		err = nil // a file without messages, which the caller tells
	}
	if err != nil {
		return capture, nil, errors.New("transcript: " + why(err))
	}
	if evidence == nil || evidence.MessageCount == 0 {
		return capture, nil, errNoMessages
	}
	return capture, evidence, nil
}

// replace stores a capture; a signal that would end the process waits until
// the store is whole again.
func (c *capturer) replace(capture store.Capture) (stale []store.Capture, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), replaceWait)
	defer cancel()
	uninterrupted(func() { stale, err = c.signals.Replace(ctx, capture) })
	if err != nil {
		err = errors.New("signals store: " + err.Error())
	}
	return stale, err
}

// sourceBytes is the size of the files of a session, as its record will tell.
func sourceBytes(s *transcript.Session) int64 {
	size := s.Main.Size
	for _, f := range s.Subagents {
		size += f.Size
	}
	return size
}

func isSame(known *store.Known, e *record.SessionEvidence) bool {
	return known != nil && known.Captured && known.MessageCount == e.MessageCount &&
		known.ConfigHash == e.ConfigHash && known.SourceBytes == e.SourceBytes
}

// uninterrupted runs f and only then lets an interrupt end the process, so that
// none leaves a temporary file behind.
func uninterrupted(f func()) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	f()
	signal.Stop(interrupts)
	select {
	case s := <-interrupts:
		endBy(s)
	default:
	}
}

// endBy ends the process by a signal that was held back. Where a process cannot
// be sent one (Windows), it exits as shells tell an interrupt.
func endBy(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(s) != nil {
		os.Exit(130)
	}
}

// captureOwn captures the session that the event is about.
func captureOwn(env *cli.Env, h *transcript.Hook) error {
	c, err := hookCapturer(env, h)
	if c == nil || err != nil {
		return err
	}
	if h.TranscriptPath == "" {
		return errors.New("the event names no transcript")
	}
	return c.take(h.TranscriptPath)
}

const (
	// catchUpFiles and catchUpTime bound what a starting session waits for.
	catchUpFiles = 20
	catchUpTime  = 2 * time.Second
)

// catchUp captures the other sessions of the starting session's folder, the
// newest first: those whose end no hook saw.
func catchUp(env *cli.Env, h *transcript.Hook) error {
	c, err := hookCapturer(env, h)
	if c == nil || err != nil || h.TranscriptPath == "" {
		return err
	}
	paths, err := transcriptsIn(filepath.Dir(h.TranscriptPath))
	if err != nil {
		return nil // a first session starts before there is a folder
	}
	c.belongs = belonging(env, h)
	until := env.Now().Add(catchUpTime)
	var first error
	for _, path := range paths {
		if filepath.Base(path) == filepath.Base(h.TranscriptPath) {
			continue
		}
		if c.captured+c.failed >= catchUpFiles || !env.Now().Before(until) {
			break
		}
		if err := c.take(path); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// belonging tells the sessions of the event's project from those of another one
// that shares the folder: its name keeps only the letters and digits of ASCII, so
// that many paths have one name. A session that names no directory is taken; a
// directory that is gone is known by its path alone.
func belonging(env *cli.Env, h *transcript.Hook) func(string) bool {
	project, err := hookProject(env, h)
	if err != nil {
		return nil
	}
	return func(dir string) bool {
		if dir == "" || project.Holds(dir) {
			return true
		}
		other, err := store.FindProject(dir)
		return err == nil && other.Main() == project.Main()
	}
}

// hookCapturer is the capturer of the event's project, nil without a registry.
func hookCapturer(env *cli.Env, h *transcript.Hook) (*capturer, error) {
	project, err := hookProject(env, h)
	if err != nil {
		return nil, err
	}
	c, err := newCapturer(env, project)
	if err == errNoRegistry {
		return nil, nil
	}
	return c, err
}

// transcriptsIn lists the transcripts directly in a folder, the newest first.
// Those of sub-agents that lie beside their parent's are left out: they are
// part of its session. A file that vanishes meanwhile is passed over.
func transcriptsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type file struct {
		path    string
		changed time.Time
	}
	var files []file
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".jsonl") || strings.HasPrefix(e.Name(), "agent-") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && info.Mode().IsRegular() {
			files = append(files, file{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.changed.Compare(a.changed) })
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths, nil
}
