package detect

import (
	"bytes"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"time"

	"retro/pkg/predicate"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// failures follows failed tool calls. A run is two failures of one tool on one
// target with no success of it, no prompt and no long pause between.
type failures struct {
	g     *guarded
	seed  maphash.Seed
	steps []step
	open  map[uint64]bool // targets whose last end was a failure

	// For the ledger: calls of the main chain that have not ended, by id, and the
	// ids of sub-agents' calls, whose failures the ledger files under the session.
	ledger  bool
	pending map[string]uint64
	foreign map[string]bool
}

func (f *failures) init(g *guarded) {
	f.g, f.seed, f.open = g, maphash.MakeSeed(), map[uint64]bool{}
	f.ledger = g.on(profile.GuardLedgerMerge) && g.opt.Ledger != nil
	f.pending, f.foreign = map[string]uint64{}, map[string]bool{}
}

// call notes what a call is about, in case that only the ledger knows its end.
func (f *failures) call(call *transcript.Call) {
	if f.ledger {
		f.pending[string(call.ID)] = f.target(call)
	}
}

// subagent notes a call whose failure is none of the main chain.
func (f *failures) subagent(b *transcript.Block) {
	if f.ledger && b.Kind == transcript.ToolCall {
		f.foreign[string(b.Call.ID)] = true
	}
}

// result takes the end of a call and tells whether it is a failure in earnest.
func (f *failures) result(b *transcript.Block) bool {
	s := step{kind: stepSucceeded, target: f.target(b.Call)}
	failed := b.Result.Error && f.g.isFailure(b)
	switch {
	case failed:
		s.kind = stepFailed
		f.open[s.target] = true
	case b.Result.Error:
		s.kind = stepNeutral
	case f.open[s.target]:
		delete(f.open, s.target)
	case !f.ledger:
		return false // a success that ends nothing, as far as the transcript knows
	}
	place := placeIn(b, f.g.turns)
	s.anchor, s.time, s.turn, s.line = place.anchor(), b.Time, place.turn, b.Line
	if b.Call != nil {
		s.id, s.tool = string(b.Call.ID), string(b.Call.Name)
		delete(f.pending, s.id)
	}
	f.steps = append(f.steps, s)
	return failed
}

// prompt ends all runs.
func (f *failures) prompt(at time.Time) {
	if len(f.open) > 0 || f.ledger {
		clear(f.open)
		f.steps = append(f.steps, step{kind: stepPrompt, time: at})
	}
}

// target tells what a call is about: its tool, and the file, pattern or
// program with its sub-command.
func (f *failures) target(call *transcript.Call) uint64 {
	if call == nil || !f.g.on(profile.GuardSameTarget) {
		return 0
	}
	switch {
	case len(call.Path) > 0:
		return f.hash(call.Name, call.Path)
	case len(call.Pattern) > 0:
		return f.hash(call.Name, call.Pattern)
	case len(call.Skill) > 0:
		return f.hash(call.Name, call.Skill)
	}
	program, sub := commandHead(call.Command)
	return f.hash(call.Name, program, sub)
}

func (f *failures) hash(parts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	for _, part := range parts {
		h.Write(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// ledgerTarget tells what a failure is about that only the ledger knows: the
// call of that id when the transcript has its beginning, else the file of the
// row. A sub-agent's failure, and one of which nothing but the tool is known,
// joins no run: two commands that failed need not be the same one.
func (f *failures) ledgerTarget(dir string) func(record.LedgerRow) (uint64, bool) {
	return func(row record.LedgerRow) (uint64, bool) {
		id := row.ToolUseID.String()
		if f.foreign[id] {
			return 0, false
		}
		if target, found := f.pending[id]; found {
			return target, true
		}
		if !f.g.on(profile.GuardSameTarget) {
			return 0, true
		}
		file := row.Path.String()
		if file == "" || row.Path == record.External {
			return 0, false
		}
		return f.hash([]byte(row.Tool.String()), []byte(path.Join(dir, file))), true
	}
}

// Words before the program that does the work: commands of their own that only
// prepare, and wrappers around it.
var (
	preparing = shellWords("cd export source . sleep echo set true")
	wrapping  = shellWords("sudo time timeout env nohup command")
)

// commandHead is the program of the first simple command of a shell line that
// does work, and its sub-command. It is a cheap reading: two lines that differ
// in what it does not see are of two targets at worst.
func commandHead(line []byte) (program, sub []byte) {
	for len(line) > 0 {
		end := bytes.IndexAny(line, ";&|\n")
		if end < 0 {
			end = len(line)
		}
		if program, sub = simpleHead(line[:end]); program != nil {
			return program, sub
		}
		line = bytes.TrimLeft(line[end:], ";&|\n ")
	}
	return nil, nil
}

// simpleHead is the same of one simple command; nil when it only prepares.
func simpleHead(command []byte) (program, sub []byte) {
	for w := range bytes.FieldsSeq(command) {
		switch {
		case program != nil && w[0] != '-':
			return program, w
		case program != nil, wrapping[string(w)], bytes.IndexByte(w, '=') > 0:
		case preparing[string(w)]:
			return nil, nil
		default:
			program = w[bytes.LastIndexByte(w, '/')+1:]
		}
	}
	return program, nil
}

// isFailure tells whether an error result is a failure in earnest: not a
// person's refusal, a denial, a call cancelled with another one, an unsound
// call that the harness turned down, a look at what is not there, or the "no"
// of a query.
func (g *guarded) isFailure(b *transcript.Block) bool {
	held := func(guard profile.Guard) bool { return !g.on(guard) }
	switch b.Result.Status {
	case transcript.Refused:
		return held(profile.GuardRefusals)
	case transcript.Denied, transcript.Blocked:
		return held(profile.GuardPermissions)
	case transcript.Cancelled:
		return held(profile.GuardCollateral)
	case transcript.Guarded:
		return held(profile.GuardHarnessGuards)
	}
	if b.Call == nil {
		return true
	}
	switch {
	case isProbe(b.Call, b.Result.Head):
		return held(profile.GuardProbes)
	case string(b.Call.Name) == "Bash" && isBenign(b):
		return held(profile.GuardBenignExits)
	}
	return true
}

// isProbe tells whether a tool that reads found nothing to read.
func isProbe(call *transcript.Call, head []byte) bool {
	switch strings.ToLower(string(call.Name)) {
	case "read", "glob", "grep", "ls", "webfetch", "websearch":
	default:
		return false
	}
	text := strings.ToLower(string(head[:min(len(head), 200)]))
	text = strings.TrimPrefix(strings.TrimSpace(text), "<tool_use_error>")
	for _, opening := range []string{"eisdir", "file does not", "path does not", "ripgrep", "enoent"} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return strings.Contains(text, "does not exist")
}

// isBenign tells whether a shell command's exit code is an answer.
func isBenign(b *transcript.Block) bool {
	if !predicate.MayBenignExit(b.Call.Command, b.Result.ExitCode) {
		return false
	}
	head := bytes.TrimSpace(b.Result.Head)
	_, output, _ := bytes.Cut(head, []byte("\n"))
	return predicate.BenignExit(string(b.Call.Command), b.Result.ExitCode, !complains(output))
}

// complains tells whether output holds the words of a program in trouble.
func complains(output []byte) bool {
	lower := strings.ToLower(string(output))
	for _, w := range []string{"error", "fatal", "no such file", "not found", "denied", "usage:", "invalid"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// end reports the runs, those of the ledger with them.
func (f *failures) end(sum *transcript.Summary) {
	steps := f.steps
	if f.ledger {
		steps = withLedger(steps, f.g.opt.Ledger.Rows(sum.ID), f.ledgerTarget(sum.Facts.FirstDir))
	}
	for _, ofTarget := range byTarget(steps) {
		for _, run := range failureRuns(ofTarget) {
			f.g.failureRun(&run.first)
		}
	}
}

// failureRun reports a run of failures by its first one, which may be the
// ledger's.
func (g *guarded) failureRun(first *step) {
	if g.counts("S2") {
		at := spot{line: first.line - 1, turn: first.turn, time: first.time, anchor: first.anchor}
		h := friction("S2", "tool-error-run", at, 0, record.Deterministic)
		h.Key = first.anchor.Key()
		g.report(h)
	}
}

// byTarget sorts the steps by target, in the order in which targets first fail:
// from then on all steps of each, and a prompt where one or more came between.
func byTarget(steps []step) [][]step {
	type group struct {
		steps   []step
		prompts int // before its last step
	}
	var groups []*group
	known := map[uint64]*group{}
	prompts, prompt := 0, step{}
	for _, s := range steps {
		g := known[s.target]
		switch {
		case s.kind == stepPrompt:
			prompts, prompt = prompts+1, s
			continue
		case g == nil && s.kind != stepFailed:
			continue
		case g == nil:
			g = &group{prompts: prompts}
			known[s.target] = g
			groups = append(groups, g)
		case g.prompts < prompts:
			g.steps, g.prompts = append(g.steps, prompt), prompts
		}
		g.steps = append(g.steps, s)
	}
	out := make([][]step, len(groups))
	for i, g := range groups {
		out[i] = g.steps
	}
	return out
}

// loops follows the edits of files. A loop is a number of edits of one file
// within a few turns with a failure of the file, or pushback, between them.
type loops struct {
	g     *guarded
	files []*file
	byKey map[string]*file
	calls map[int]madeEdit // edits without a result yet, by index of the call
	signs []sign
}

type file struct {
	path, base string
	edits      []edit
}

type edit struct {
	turn, order int
	place       where
	failed      bool
}

type madeEdit struct {
	file *file
	at   int
}

// sign is a sign of struggle: about one file, or (nil) about all.
type sign struct {
	order int
	file  *file
}

func (l *loops) init(g *guarded) {
	l.g, l.byKey, l.calls = g, map[string]*file{}, map[int]madeEdit{}
}

func (l *loops) call(b *transcript.Block, path []byte) {
	if len(path) == 0 {
		return
	}
	f := l.byKey[string(path)]
	if f == nil {
		f = &file{path: string(path)}
		f.base = f.path[strings.LastIndexByte(f.path, '/')+1:]
		l.byKey[f.path] = f
		l.files = append(l.files, f)
	}
	l.calls[b.Call.Index] = madeEdit{f, len(f.edits)}
	f.edits = append(f.edits, edit{turn: b.Turn, order: l.g.order, place: placeIn(b, b.Turn)})
}

// result takes the end of a call; failure tells that it failed in earnest.
func (l *loops) result(b *transcript.Block, failure bool) {
	if b.Call == nil {
		return
	}
	made, isEdit := l.calls[b.Call.Index]
	if isEdit {
		delete(l.calls, b.Call.Index)
	}
	switch {
	case !failure:
	case isEdit:
		made.file.edits[made.at].failed = true
		l.signs = append(l.signs, sign{l.g.order, made.file})
	case string(b.Call.Name) == "Bash":
		for _, f := range l.files {
			if bytes.Contains(b.Result.Head, []byte(f.base)) || bytes.Contains(b.Call.Command, []byte(f.base)) {
				l.signs = append(l.signs, sign{l.g.order, f})
			}
		}
	}
}

func (l *loops) pushback(order int) { l.signs = append(l.signs, sign{order, nil}) }

// end reports one loop a file, in the order in which files were first edited.
func (l *loops) end(dir string) {
	for _, f := range l.files {
		if e, found := l.loop(f); found {
			h := e.place.hit("S3", "edit-loop", record.Deterministic)
			h.Key += "." + f.path
			evidence := h.Evidence.(*record.FrictionEvidence)
			evidence.Path = record.NewPath(below(dir, f.path))
			l.g.report(h)
		}
	}
}

func (l *loops) loop(f *file) (first edit, found bool) {
	edits := f.edits
	if l.g.on(profile.GuardFailedEdits) {
		edits = slices.DeleteFunc(slices.Clone(edits), func(e edit) bool { return e.failed })
	}
	n := l.g.limits.LoopEdits
	for i := 0; i+n <= len(edits); i++ {
		a, b := edits[i], edits[i+n-1]
		if b.turn-a.turn <= l.g.limits.LoopTurns && (!l.g.on(profile.GuardStruggle) || l.struggle(f, a.order, b.order)) {
			return a, true
		}
	}
	return edit{}, false
}

// struggle tells whether a sign of it lies between two events.
func (l *loops) struggle(f *file, from, to int) bool {
	return slices.ContainsFunc(l.signs, func(s sign) bool {
		return s.order > from && s.order <= to && (s.file == nil || s.file == f)
	})
}
