package scan

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// state is the file of --state: what earlier runs read and what came of it. A
// session that has not changed is answered from there without being opened.
//
// The file is a cache of this program alone: a head, then for each session a
// row and behind it the session's records, byte for byte as they were printed.
// It is bound to everything else that a record depends on, so that it can make
// a run faster but never different: the head to the build, the policy and the
// flags; a row to the session's files and sub-agents, to what hooks noted of the
// session in the ledger and the signals store, and, with --root, to what was
// looked at of the project while the session was read, no more and no less (see
// [detect.Facts]). A session that asked nothing that has another answer now is
// answered from the state, whatever else happened in the project.
//
// Besides records the file holds hashes, and with --root the paths of the
// directories that the session's names led through; no words. While it is read,
// only the places of the rows are held in memory.
type state struct {
	path string
	head stateHead
	dir  string // that relative paths are relative to
	work *work

	old  *os.File // nil when there is nothing to answer from
	rows map[string]place

	spool *os.File // the new state, a file without a name; nil when there can be none
	out   *bufio.Writer
}

// place is where a row stands in the file and how long it and the records
// behind it are.
type place struct {
	at        int64
	row, body int
}

// stateHead says what the records depend on besides the transcripts.
type stateHead struct {
	Kind   string    `json:"kind"`
	Config string    `json:"config"`
	Now    time.Time `json:"now"`
}

// stateRow is one session.
type stateRow struct {
	Kind string `json:"kind"`
	// Key is a hash of the main transcript's path.
	Key string `json:"key"`
	// Inputs is a hash of what the session's records depend on besides the
	// content of its files.
	Inputs string `json:"inputs"`
	// Looked is what was looked at of the project; nil without --root.
	Looked *detect.Looked `json:"looked,omitempty"`
	// Ledger is what was looked up in the ledger.
	Ledger []stateLookup         `json:"ledger,omitempty"`
	Files  []transcript.Identity `json:"files"`
	Faults []stateFault          `json:"faults,omitempty"`
	More   []stateFault          `json:"more,omitempty"`
	// Bytes is the length of the records behind the row, and Sum the hash of
	// both: a damaged row answers nothing.
	Bytes int    `json:"bytes"`
	Sum   string `json:"sum"`
}

// stateLookup is a session that the ledger was asked for, which need not be the
// one of the file's name, and a digest of what it said.
type stateLookup struct {
	Session string `json:"session"`
	Digest  string `json:"digest"`
}

// stateFault is a fault with its file as a number among the session's files.
type stateFault struct {
	Kind string `json:"kind"`
	File int    `json:"file,omitempty"`
	Line int    `json:"line"`
}

const (
	stateHeadKind = "scan-state"
	stateRowKind  = "scanned"
)

// settled is how old the last change of a file must be for its time to tell it
// from a later change: file systems count in steps of up to two seconds.
const settled = 2 * time.Second

// openState opens the state; nil without --state. One that is damaged, or was
// made with other flags or by another build, answers nothing and is replaced. One
// that cannot be written fails the run, which prints everything all the same.
func (c *scanCommand) openState(env *cli.Env, work *work) *state {
	if c.State == "" {
		return nil
	}
	s := &state{path: c.State, dir: env.Dir, work: work, rows: map[string]place{}, head: stateHead{stateHeadKind, c.configOf(work.opt), work.opt.Now}}
	dir := filepath.Dir(c.State)
	info, err := os.Stat(c.State)
	device := err == nil && !info.Mode().IsRegular()
	if device {
		dir = os.TempDir()
	}
	if err := s.create(dir); err != nil {
		env.Diagnostics().Fail("state", c.State, 0, "cannot be written: "+why(err))
	}
	s.write(s.head)
	if device {
		return s
	}
	s.old, err = os.Open(c.State)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	if err == nil {
		err = s.index()
	}
	if err != nil {
		env.Diagnostics().Warn("state", c.State, 0, err.Error()+": sessions are read anew")
	}
	return s
}

// create makes the file of the new state in a directory. Without a name, nothing
// of it is left when the run is killed.
func (s *state) create(dir string) error {
	spool, err := os.CreateTemp(dir, ".retro-scan-*")
	if err != nil {
		s.out = bufio.NewWriter(io.Discard)
		return err
	}
	os.Remove(spool.Name())
	s.spool, s.out = spool, bufio.NewWriterSize(spool, 64<<10)
	return nil
}

// configOf hashes what all sessions' records depend on: the build, the policy
// and the flags.
func (c *scanCommand) configOf(opt *detect.Options) string {
	hash := sha256.New()
	build := ""
	if self, err := os.Executable(); err == nil {
		if info, err := os.Stat(self); err == nil {
			build = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	registry := []byte("none")
	if opt.Registry != nil {
		registry, _ = os.ReadFile(c.measuring.source)
	}
	fmt.Fprintf(hash, "%q %q %q %t %q %q %q %v %v %q %q %t %t", cli.Version(), build, opt.Config, opt.Candidates,
		opt.Root, opt.Project, opt.CodePaths, opt.Since.UTC(), opt.Until.UTC(), opt.Zone, registry, opt.Ledger != nil, opt.Log != nil)
	return hex.EncodeToString(hash.Sum(nil))
}

var errStateDamaged = errors.New("damaged state")

// index finds the rows of the old state.
func (s *state) index() error {
	in := bufio.NewReaderSize(s.old, 64<<10)
	var head stateHead
	at, err := readRow(in, &head)
	if err == io.EOF && at == 0 {
		return nil // a file made to be filled
	}
	if err != nil || head.Kind != stateHeadKind {
		return errStateDamaged
	}
	// A session that was not live becomes so when the clock goes back.
	if head.Config != s.head.Config || s.head.Now.Before(head.Now) {
		return nil
	}
	for offset := int64(at); ; {
		var row struct { // what a row begins and ends with is all that matters here
			Kind  string `json:"kind"`
			Key   string `json:"key"`
			Bytes int    `json:"bytes"`
		}
		n, err := readRow(in, &row)
		if err == io.EOF && n == 0 {
			return nil
		}
		if err != nil || row.Kind != stateRowKind || row.Bytes < 0 {
			return errStateDamaged
		}
		if _, err := in.Discard(row.Bytes); err != nil {
			return errStateDamaged
		}
		s.rows[row.Key] = place{offset, n, row.Bytes}
		offset += int64(n + row.Bytes)
	}
}

// readRow reads a line and returns its length.
func readRow(in *bufio.Reader, into any) (int, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return len(line), err
	}
	return len(line), ndjson.Unmarshal(line, into)
}

// key is the hash that a session goes by.
func (s *state) key(session *transcript.Session) string {
	return shortHash(s.absolute(session.Main.Path))
}

func (s *state) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.dir, path)
}

func shortHash(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:16])
}

// inputs hashes what the session's records depend on besides its files.
func (s *state) inputs(session *transcript.Session) string {
	parts := []any{session.ID, session.Copies, session.Cut.UTC().String()}
	for _, f := range session.Subagents {
		parts = append(parts, s.absolute(f.Path))
	}
	decisions, _ := ndjson.Marshal(s.work.decisions(session.ID))
	return shortHash(append(parts, decisions)...)
}

func filesOf(session *transcript.Session) []transcript.File {
	return append([]transcript.File{session.Main}, session.Subagents...)
}

// answer is what an earlier run found in the session; nil when it must be read.
func (s *state) answer(session *transcript.Session) *scanned {
	if s == nil || s.old == nil {
		return nil
	}
	where, known := s.rows[s.key(session)]
	if !known {
		return nil
	}
	text := make([]byte, where.row+where.body)
	if _, err := s.old.ReadAt(text, where.at); err != nil {
		return nil
	}
	var row stateRow
	body := text[where.row:]
	if ndjson.Unmarshal(text[:where.row], &row) != nil || row.Sum != row.sum(body) || row.Inputs != s.inputs(session) {
		return nil
	}
	for _, l := range row.Ledger {
		if s.work.opt.Ledger.Digest(l.Session) != l.Digest {
			return nil
		}
	}
	files := filesOf(session)
	if len(files) != len(row.Files) {
		return nil
	}
	for i, f := range files {
		if !row.Files[i].Is(s.absolute(f.Path)) {
			return nil
		}
	}
	if row.Looked != nil && !s.work.opt.Facts.Same(row.Looked) {
		return nil
	}
	done := &scanned{session: session, lines: *bytes.NewBuffer(body), kept: text}
	for _, f := range row.Faults {
		if f.File >= len(files) || f.File < 0 {
			return nil
		}
		done.faults = append(done.faults, fault{f.Kind, files[f.File].Path, f.Line})
	}
	for _, f := range row.More {
		done.more = append(done.more, fault{kind: f.Kind, line: f.Line})
	}
	return done
}

// sum is the hash of the row and the records behind it.
func (r stateRow) sum(body []byte) string {
	r.Sum = ""
	line, _ := ndjson.Marshal(r)
	hash := sha256.New()
	hash.Write(line)
	hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// identify takes the identity of the session's files before they are read: a
// file that changes meanwhile then differs from it the next time. It is nil for
// what must not be remembered: what is no file, and what was changed so lately
// that the next change might bear the same time.
func (s *state) identify(session *transcript.Session) (ids []transcript.Identity) {
	if s == nil || session.Main.Path == stdinName {
		return nil
	}
	for _, f := range filesOf(session) {
		id, err := transcript.IdentityOf(s.absolute(f.Path))
		if err != nil || max(id.Changed, id.Modified) > s.head.Now.Add(-settled).UnixNano() {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

// remember writes a session into the new state.
func (s *state) remember(done *scanned) {
	if s == nil {
		return
	}
	if done.kept != nil {
		s.out.Write(done.kept)
		return
	}
	if done.err != nil || done.live || done.files == nil || done.looked != nil && done.looked.Unclear {
		return
	}
	body := done.lines.Bytes()
	row := stateRow{Kind: stateRowKind, Key: s.key(done.session), Inputs: s.inputs(done.session), Files: done.files, Looked: done.looked, Bytes: len(body)}
	for _, id := range done.asked {
		row.Ledger = append(row.Ledger, stateLookup{id, s.work.opt.Ledger.Digest(id)})
	}
	numbers := map[string]int{}
	for i, f := range filesOf(done.session) {
		numbers[f.Path] = i
	}
	for _, f := range done.faults {
		n, known := numbers[f.file]
		if !known {
			return
		}
		row.Faults = append(row.Faults, stateFault{f.kind, n, f.line})
	}
	for _, f := range done.more {
		row.More = append(row.More, stateFault{Kind: f.kind, Line: f.line})
	}
	row.Sum = row.sum(body)
	s.write(row)
	s.out.Write(body)
}

func (s *state) write(row any) {
	if line, err := ndjson.Marshal(row); err == nil {
		s.out.Write(append(line, '\n'))
	}
}

// save replaces the state file, once everything that was found has left for
// standard output.
func (s *state) save(env *cli.Env) error {
	if s == nil || s.spool == nil {
		return nil
	}
	if err := env.Stdout.Flush(); err != nil {
		return cli.Failf("write error on standard output")
	}
	err := s.out.Flush()
	if err == nil {
		_, err = s.spool.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = ndjson.CopyFile(s.path, s.spool, 0o600)
	}
	if err != nil {
		return cli.Failf("%s: cannot be written: %s", s.path, why(err))
	}
	return nil
}

// close lets go of both files.
func (s *state) close() {
	if s == nil {
		return
	}
	if s.old != nil {
		s.old.Close()
	}
	if s.spool != nil {
		s.spool.Close()
	}
}

// isLive tells whether a record is that of a session that somebody works in:
// what is said of it depends on the clock.
func isLive(sig *record.Signal) bool {
	e, ok := sig.Evidence.(*record.SessionEvidence)
	return ok && e.Live
}
