package detect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// story writes transcript lines, a second apart.
type story struct {
	bytes.Buffer
	n     int
	extra string // members of every record, with a comma behind
}

func (s *story) line(format string, args ...any) {
	s.n++
	stamp := time.Date(2026, 3, 1, 8, 0, s.n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	fmt.Fprintf(s, `{"uuid":"u%d","timestamp":%q,"cwd":"/home/user/app",%s%s}`+"\n", s.n, stamp, s.extra, fmt.Sprintf(format, args...))
}

func (s *story) prompt(text string) { s.line(`"type":"user","message":{"content":%q}`, text) }

func (s *story) answer(id string, output int, blocks string) {
	s.line(`"type":"assistant","message":{"id":%q,"model":"claude-x","usage":{"input_tokens":1,"output_tokens":%d,"cache_read_input_tokens":100,"cache_creation_input_tokens":10},"content":[%s]}`, id, output, blocks)
}

func (s *story) call(tool, input string) {
	s.answer(fmt.Sprintf("m%d", s.n), 5, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":%q,"input":%s}`, s.n, tool, input))
}

func (s *story) result(text string, isError bool) {
	s.line(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","is_error":%v,"content":%q}]}`, s.n-1, isError, text)
}

// evidence scans a story and returns its session record.
func evidence(t *testing.T, text string, opt Options) *record.SessionEvidence {
	t.Helper()
	var e *record.SessionEvidence
	err := Session(transcript.FromStream("test", "s", strings.NewReader(text)), &opt, func(s *record.Signal) {
		if s.Kind == record.Session {
			e = s.Evidence.(*record.SessionEvidence)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestCounters tests each figure by a story of its own: want is the figure, and
// what the story must leave at 0 is of no interest to it.
func TestCounters(t *testing.T) {
	const block = "PreToolUse:Bash hook error: [python3 $CLAUDE_PROJECT_DIR/.claude/hooks/guard.py --strict]: BLOCKED: no push"
	for _, c := range []struct {
		name string
		tell func(*story)
		got  func(*record.SessionEvidence) any
		want any
	}{
		{"turns: lines of one id are one, with the last usage", func(s *story) {
			s.answer("m", 1, ``)
			s.answer("m", 7, ``)
			s.answer("n", 2, ``)
			s.answer("m", 9, ``) // late
		}, func(e *record.SessionEvidence) any { return []any{e.Turns, e.Usage} }, []any{2, record.Usage{Input: 2, Output: 11, CacheRead: 200, CacheCreate: 20}}},
		{"start context: input, cache read and cache creation of the first turn", func(s *story) { s.prompt("a"); s.answer("m", 7, ``); s.answer("n", 7, ``) },
			func(e *record.SessionEvidence) any { return e.StartContext }, int64(111)},
		{"api errors are no turns", func(s *story) {
			s.line(`"type":"assistant","isApiErrorMessage":true,"message":{"id":"x","model":"<synthetic>","usage":{"input_tokens":9},"content":[]}`)
			s.line(`"type":"assistant","message":{"id":"y","model":"<synthetic>","usage":{"input_tokens":9},"content":[]}`)
		}, func(e *record.SessionEvidence) any { return []any{e.Turns, e.APIErrors, e.Usage.Input, e.StartContext} }, []any{0, 2, int64(0), int64(0)}},
		{"prompts: what a person typed", func(s *story) {
			s.prompt("please go on")
			s.prompt("<command-name>/clear</command-name>")
			s.prompt("This session is being continued from a previous conversation")
			s.line(`"type":"user","isMeta":true,"message":{"content":"meta"}`)
		}, func(e *record.SessionEvidence) any { return e.Prompts }, 1},
		{"compactions", func(s *story) { s.line(`"type":"system","subtype":"compact_boundary"`) },
			func(e *record.SessionEvidence) any { return e.Compactions }, 1},
		{"tool calls by name, each id once", func(s *story) {
			s.call("Bash", `{"command":"ls"}`)
			s.line(`"type":"assistant","message":{"id":"m0","content":[{"type":"tool_use","id":"t0","name":"Bash","input":{}}]}`)
			s.call("Edit", `{"file_path":"a"}`)
		}, func(e *record.SessionEvidence) any { return fmt.Sprint(e.ToolsUsed, e.ToolCallsTotal, e.Unresolved) }, "[{Bash 1} {Edit 1}] 2 2"},
		{"hook blocks by the script's name", func(s *story) { s.call("Bash", `{"command":"git push"}`); s.result(block, true) },
			func(e *record.SessionEvidence) any { return fmt.Sprint(e.HookBlocks) }, "[{guard 1}]"},
		{"the word BLOCKED alone is no block", func(s *story) {
			s.call("Bash", `{"command":"grep BLOCKED x"}`)
			s.result("x: BLOCKED "+block, false)
			s.call("Bash", `{"command":"make"}`)
			s.result("PreToolUse:Bash hook error: [guard.sh]: crashed", true)
		}, func(e *record.SessionEvidence) any { return len(e.HookBlocks) }, 0},
		{"denials by class of reason", func(s *story) {
			s.call("Bash", `{"command":"curl x"}`)
			s.result("Permission for this action was denied by the Claude Code auto mode classifier. Reason: [External System Writes] it posts", true)
		}, func(e *record.SessionEvidence) any { return fmt.Sprint(e.Denials) }, "[{External-System-Writes 1}]"},
		{"rejections", func(s *story) {
			s.call("Bash", `{"command":"ls"}`)
			s.result("The user doesn't want to proceed with this tool use. The tool use was rejected", true)
			s.prompt("[Request interrupted by user for tool use]")
		}, func(e *record.SessionEvidence) any { return []any{e.Rejections, e.Interrupts, e.Prompts} }, []any{1, 1, 0}},
		{"the role is the first one", func(s *story) {
			s.call("Skill", `{"skill":"review","args":"x"}`)
			s.call("Skill", `{"skill":"team:role","args":"not an identifier"}`)
			s.call("Skill", `{"skill":"team:role","args":"architect"}`)
			s.call("Skill", `{"skill":"role","args":"tester"}`)
		}, func(e *record.SessionEvidence) any { return e.Role.String() }, "architect"},
		{"code reads", func(s *story) {
			s.call("Read", `{"file_path":"/home/user/app/src/a.go"}`)
			s.call("Read", `{"file_path":"/home/user/app/README.md"}`)
			s.call("Grep", `{"pattern":"x","path":"src"}`)
			s.call("Bash", `{"command":"make && sed -n 1,5p lib/src/b.go > /tmp/src/out"}`)
			s.call("Bash", `{"command":"echo src; ls src"}`)
			s.call("Read", `{"file_path":"/home/user/app.wt/fix/src/a.go"}`)
			s.call("Read", `{"file_path":"/usr/src/linux/a.c"}`)
		}, func(e *record.SessionEvidence) any { return e.CodeReads }, 4},
		{"code graph", func(s *story) {
			s.call("Bash", `{"command":"cd x && codegraph init"}`)
			s.call("mcp__x__codegraph_explore", `{}`)
			s.call("mcp__code-graph__search", `{}`)
			s.call("Bash", `{"command":"echo codegraph init"}`)
		}, func(e *record.SessionEvidence) any { return []any{e.GraphInit, e.GraphExplore} }, []any{1, 2}},
		{"sub-agents inside the main transcript", func(s *story) {
			s.answer("m", 1, ``)
			s.extra = `"isSidechain":true,`
			s.prompt("a task for a sub-agent")
			s.answer("n", 1, ``)
			s.call("Skill", `{"skill":"role","args":"tester"}`)
		}, func(e *record.SessionEvidence) any {
			return []any{e.Turns, e.SubagentTurns, e.Prompts, e.ToolCallsTotal, e.Role.String()}
		},
			[]any{1, 2, 0, 1, ""}},
	} {
		var s story
		c.tell(&s)
		if got := c.got(evidence(t, s.String(), Options{})); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRecall(t *testing.T) {
	for text, want := range map[string]bool{
		"please re-read the memory first": true, "Reread CLAUDE.md.": true, "RE-READ the Memory": true, "red, re-read": false, "xreread memory": false, "перечитай память": true, "Перечитай, пожалуйста, контекст": true,
		"重新读一下记忆": true, "the docs/notes.md, re-read it": true, "MEMORY.md перечитай": true,
		"re-read the code": false,
		"reread it. The memory of the process is full": false, "unread memory": false, "перечитайка память": false, "I read the memory": false,
	} {
		if got := isRecall([]byte(text)); got != want {
			t.Errorf("isRecall(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestHookName(t *testing.T) {
	for command, want := range map[string]string{
		"/a/b/guard.sh": "guard", `"$CLAUDE_PROJECT_DIR"/.claude/hooks/no-push.py`: "no-push", "python3 -u hooks/guard.py x": "guard",
		"uv run hooks/guard.py": "guard", "guard": "guard", "": "unknown", "node": "unknown", "bash hooks/x.test.sh": "x.test",
	} {
		if got := hookName(command); got != want {
			t.Errorf("hookName(%q) = %q, want %q", command, got, want)
		}
	}
}

// sums are the figures of a record that periods with common borders must share
// out without a loss or an overlap.
func sums(e *record.SessionEvidence) map[string]int64 {
	out := map[string]int64{
		"turns": int64(e.Turns), "subagent turns": int64(e.SubagentTurns), "prompts": int64(e.Prompts), "messages": int64(e.MessageCount),
		"input": e.Usage.Input, "output": e.Usage.Output, "cache read": e.Usage.CacheRead, "cache create": e.Usage.CacheCreate,
		"start context": e.StartContext, "calls": int64(e.ToolCallsTotal), "errors": int64(e.ToolErrors), "unresolved": int64(e.Unresolved),
		"compactions": int64(e.Compactions), "interrupts": int64(e.Interrupts), "rejections": int64(e.Rejections), "api errors": int64(e.APIErrors),
		"code reads": int64(e.CodeReads), "graph init": int64(e.GraphInit), "graph explore": int64(e.GraphExplore), "recalls": int64(e.Recalls),
	}
	for prefix, list := range map[string][]record.Count{"tool ": e.ToolsUsed, "hook ": e.HookBlocks, "denied ": e.Denials, "chance ": e.Opportunities} {
		for _, c := range list {
			out[prefix+c.Name.String()] += int64(c.Count)
		}
	}
	return out
}

// TestPeriodsShareOut cuts sessions at random borders: every record and every
// hit must be in exactly one of the periods.
func TestPeriodsShareOut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		s := randomStory(random)
		holdPeriods(t, random, "random story", time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), s.n, func() *transcript.Session {
			return transcript.FromStream("test", "s", strings.NewReader(s.String()))
		})
	}
	files, _ := filepath.Glob("../../../shared/cases/labelled/*.jsonl")
	hits := 0
	for _, i := range random.Perm(len(files))[:min(len(files), 12)] {
		whole := evidenceOf(t, transcript.AtPath(files[i], true), Options{})
		seconds := int(whole.Ended.Time().Sub(whole.Started.Time()).Seconds())
		hits += holdPeriods(t, random, filepath.Base(files[i]), whole.Started.Time(), seconds, func() *transcript.Session { return transcript.AtPath(files[i], true) })
	}
	if len(files) > 0 && hits == 0 {
		t.Error("the real sessions gave no hit to share out")
	}
}

func evidenceOf(t *testing.T, s *transcript.Session, opt Options) *record.SessionEvidence {
	t.Helper()
	e := new(record.SessionEvidence)
	if err := Session(s, &opt, func(s *record.Signal) {
		if s.Kind == record.Session {
			e = s.Evidence.(*record.SessionEvidence)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return e
}

// holdPeriods compares a session with the sum of its periods.
func holdPeriods(t *testing.T, random *rand.Rand, name string, start time.Time, seconds int, open func() *transcript.Session) (hits int) {
	t.Helper()
	want, wantHits := map[string]int64{}, map[string]int{}
	all := Options{Registry: rules.Default(), Candidates: true}
	collect(t, open(), all, want, wantHits)
	got, gotHits := map[string]int64{}, map[string]int{}
	borders := []time.Time{{}}
	for _, n := range []int{random.IntN(seconds + 2), random.IntN(seconds + 2)} {
		if at := start.Add(time.Duration(n) * time.Second); at.After(borders[len(borders)-1]) {
			borders = append(borders, at)
		}
	}
	for i := range borders {
		opt := all
		opt.Since = borders[i]
		if i+1 < len(borders) {
			opt.Until = borders[i+1]
		}
		collect(t, open(), opt, got, gotHits)
	}
	for _, m := range []map[string]int64{want, got} {
		for k, v := range m {
			if v == 0 {
				delete(m, k)
			}
		}
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotHits, wantHits) {
		t.Errorf("%s cut at %v:\n got %v %v\nwant %v %v", name, borders[1:], got, gotHits, want, wantHits)
	}
	return len(wantHits)
}

func collect(t *testing.T, s *transcript.Session, opt Options, into map[string]int64, hits map[string]int) {
	t.Helper()
	err := Session(s, &opt, func(s *record.Signal) {
		if e, ok := s.Evidence.(*record.SessionEvidence); ok {
			for k, v := range sums(e) {
				into[k] += v
			}
			return
		}
		hits[s.ID.String()]++
	})
	if err != nil {
		t.Fatal(err)
	}
}

func randomStory(random *rand.Rand) *story {
	s := new(story)
	for range 5 + random.IntN(60) {
		switch random.IntN(10) {
		case 0:
			s.prompt("no, re-read the memory")
		case 1:
			s.answer(fmt.Sprintf("m%d", random.IntN(8)), random.IntN(50), ``)
		case 2:
			s.call("Read", `{"file_path":"src/a.go"}`)
		case 3:
			s.call("Bash", `{"command":"codegraph init"}`)
			s.result("PreToolUse:Bash hook error: [guard.sh]: BLOCKED", true)
		case 4:
			s.line(`"type":"system","subtype":"compact_boundary"`)
		case 5:
			s.line(`"type":"user","timestamp":null,"message":{"content":"a record without a time"}`)
		case 6:
			s.prompt("[Request interrupted by user]")
		case 7:
			s.line(`"type":"assistant","isSidechain":true,"message":{"id":"side%d","usage":{"output_tokens":3},"content":[]}`, random.IntN(4))
		case 8:
			s.call("mcp__code-graph__search", `{}`)
			s.line(`"type":"file-history-snapshot"`)
			s.result("The user doesn't want to proceed with this tool use.", true)
		case 9:
			s.line(`"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[]}`)
		}
	}
	return s
}

// TestTokensOfRealSessions compares the token totals with a slow count that
// shares no code with the reader: usage by message id, the last line's standing.
// The sum over lines, which counts a message several times, is shown beside it.
func TestTokensOfRealSessions(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cases/labelled/*.jsonl")
	if len(files) == 0 {
		t.Skip("no real sessions in ../shared/cases/labelled")
	}
	var counted, naive record.Usage
	for _, file := range files {
		want, perLine := slowUsage(t, file)
		got := evidenceOf(t, transcript.AtPath(file, false), Options{}).Usage
		if got != want {
			t.Errorf("%s: got %+v, want %+v", filepath.Base(file), got, want)
		}
		counted.Add(got)
		naive.Add(perLine)
	}
	t.Logf("%d sessions: %+v; summed by line it would be %+v, %.2f times the output", len(files), counted, naive, float64(naive.Output)/float64(counted.Output))
}

func slowUsage(t *testing.T, file string) (perID, perLine record.Usage) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	last, seen := map[string]record.Usage{}, map[string]bool{}
	for n, line := range bytes.Split(data, []byte("\n")) {
		for decoder := json.NewDecoder(bytes.NewReader(line)); ; {
			var r struct {
				Type, UUID        string
				IsAPIErrorMessage bool
				Message           struct {
					ID, Model string
					Usage     *struct {
						Input       int64 `json:"input_tokens"`
						Output      int64 `json:"output_tokens"`
						CacheRead   int64 `json:"cache_read_input_tokens"`
						CacheCreate int64 `json:"cache_creation_input_tokens"`
					}
				}
			}
			if decoder.Decode(&r) != nil {
				break
			}
			if r.Type != "assistant" || r.IsAPIErrorMessage || r.Message.Model == "<synthetic>" || r.Message.Usage == nil || seen[r.UUID] {
				continue
			}
			seen[r.UUID] = r.UUID != ""
			id := r.Message.ID
			if id == "" {
				id = fmt.Sprint("line ", n)
			}
			last[id] = record.Usage(*r.Message.Usage)
			perLine.Add(last[id])
		}
	}
	for _, u := range last {
		perID.Add(u)
	}
	return perID, perLine
}

// TestWorktreeOf tests the places where linked worktrees are put.
func TestWorktreeOf(t *testing.T) {
	for dir, want := range map[string]string{
		"/p/repo":                                "",
		"/p/repo/.claude/worktrees/fix-a/pkg":    "fix-a",
		"/p/repo/.worktrees/fix-b":               "fix-b",
		"/p/repo.wt/fix-c/pkg":                   "fix-c",
		"/p/.wt/task-d/repo":                     "task-d",
		"/p/repo/.claude/worktrees":              "",
		"/p/worktrees/x":                         "",
		"/p/repo.wtx/y":                          "",
		"":                                       "",
		"/p/repo/.claude/worktrees/<|SENTINEL|>": "<|SENTINEL|>",
	} {
		if want == "<|SENTINEL|>" {
			want = record.NewName(want).String() // cleaned as any name
		}
		if got := worktreeOf(dir).String(); got != want {
			t.Errorf("%q: got %q, want %q", dir, got, want)
		}
	}
}

// TestWorktreeOfSession tests that a session counts as one of the worktree that
// it is in at its end, else of the one that it began in.
func TestWorktreeOfSession(t *testing.T) {
	line := func(dir string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"timestamp":"2026-03-01T08:00:00Z","cwd":%q,"message":{"content":"x"}}`+"\n", dir, dir)
	}
	for _, c := range []struct{ name, text, want string }{
		{"none", line("/p/repo"), ""},
		{"from its start on", line("/p/repo.wt/a"), "a"},
		{"entered", line("/p/repo") + line("/p/repo/.claude/worktrees/b"), "b"},
		{"left", line("/p/repo/.worktrees/c") + line("/p/repo"), "c"},
	} {
		if got := evidence(t, c.text, Options{}).Worktree.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDayOf compares the kept days with the calendar, hour by hour over the days on
// which clocks are changed.
func TestDayOf(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no zones here: ", err)
		}
		for _, start := range []string{"2011-12-28", "2018-11-02", "2026-03-06", "2026-03-28", "2026-10-24"} {
			from, _ := time.Parse(time.DateOnly, start)
			var kept day
			for at := from; at.Before(from.AddDate(0, 0, 12)); at = at.Add(7 * time.Minute) {
				if s := at.Unix(); s < kept.from || s >= kept.to {
					kept = dayOf(at.In(zone))
				}
				want := at.In(zone).Format(time.DateOnly)
				if got := time.Unix(kept.number*86400, 0).UTC().Format(time.DateOnly); got != want {
					t.Fatalf("%v in %s is on %s, not on %s", at, name, got, want)
				}
			}
		}
	}
}
