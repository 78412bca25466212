package record

import (
	"retro/pkg/ndjson"
	"retro/pkg/redact"
)

// The kinds of the hook corpus.
const (
	KindBlock       Kind = "block"        // a call that a hook blocked, as a session shows it
	KindSegment     Kind = "segment"      // the head of the cases that were added together
	KindCase        Kind = "case"         // a call and what the hook shall do with it
	KindCaseVerdict Kind = "case-verdict" // what the hook did with a case
)

// Block is a tool call that a hook blocked. Beside corrections it is the one
// record that quotes a session: it exists to be labelled by a person and run
// again, and it comes only from its own command.
type Block struct {
	V    int  `json:"v"`
	Kind Kind `json:"kind"` // KindBlock
	// ID is the day of the export and a running number: `2026-11-01-001`.
	ID        Identifier  `json:"id"`
	TS        Timestamp   `json:"ts"`
	SessionID SessionID   `json:"session_id"`
	Hook      Name        `json:"hook"`
	ToolName  Name        `json:"tool_name"`
	ToolInput Input       `json:"tool_input"`
	Cwd       Dir         `json:"cwd"`
	GitBranch redact.Text `json:"git_branch,omitempty"`
	// Message is what the hook told the agent.
	Message redact.Text `json:"message"`
}

// Case is a line of the corpus: a blocked call with its label.
type Case struct {
	V         int        `json:"v"`
	Kind      Kind       `json:"kind"` // KindCase
	ID        Identifier `json:"id"`
	Hook      Name       `json:"hook,omitempty"`
	ToolName  Name       `json:"tool_name"`
	ToolInput Input      `json:"tool_input"`
	Cwd       Dir        `json:"cwd"`
	// Expected is Allow or Deny; empty when the case is skipped.
	Expected Answer      `json:"expected,omitempty"`
	Why      redact.Text `json:"why,omitempty"`
	// Known names the open error that makes the hook answer otherwise.
	Known Identifier `json:"known,omitempty"`
	// Skip says why the case is not run.
	Skip redact.Text `json:"skip,omitempty"`
}

// Segment heads the cases that were added together and says in what
// surroundings they are run.
type Segment struct {
	V    int  `json:"v,omitempty"`
	Kind Kind `json:"kind,omitempty"` // KindSegment
	// Home is the home directory that the paths of the cases begin with.
	Home   string       `json:"home"`
	Layout []LayoutItem `json:"layout"`
}

// LayoutItem is one thing in the surroundings; exactly one of Dir, File, Repo
// and Worktree is set. Paths are relative to the segment's home, or begin with
// it. Items are made in their order: what is in a repository's directory before
// it becomes its first commit.
type LayoutItem struct {
	Dir  string `json:"dir,omitempty"`
	File string `json:"file,omitempty"`
	Text string `json:"text,omitempty"` // of the file
	// Repo is a git repository on Branch (`main` when empty). Worktree is a
	// linked worktree of the repository Of on Branch, which is made if new.
	Repo     string `json:"repo,omitempty"`
	Worktree string `json:"worktree,omitempty"`
	Of       string `json:"of,omitempty"`
	Branch   string `json:"branch,omitempty"`
}

// CaseVerdict is what a hook did with a case.
type CaseVerdict struct {
	V       int         `json:"v"`
	Kind    Kind        `json:"kind"` // KindCaseVerdict
	Segment int         `json:"segment"`
	ID      Identifier  `json:"id"`
	Result  CaseResult  `json:"result"`
	Want    Answer      `json:"expected,omitempty"`
	Got     Answer      `json:"got,omitempty"`
	Known   Identifier  `json:"known,omitempty"`
	Why     redact.Text `json:"why,omitempty"`
	// Fault says in words of this program what was wrong with the hook or the
	// case itself: it hung, it crashed, it could not be started.
	Fault string `json:"fault,omitempty"`
}

// Answer is what a hook says to a tool call.
type Answer struct{ word }

// The answers.
var (
	AnswerAllow = Answer{word{"allow"}}
	AnswerBlock = Answer{word{"block"}}
)

// UnmarshalJSON reads one of the answers.
func (a *Answer) UnmarshalJSON(data []byte) (err error) {
	a.word, err = readChoice(data, AnswerAllow.word, AnswerBlock.word)
	return err
}

// CaseResult compares a hook's answer with a case.
type CaseResult struct{ word }

// The results. A known error that is mended fails as a wrong answer does, or
// its mark would outlive the repair and hide the error's return.
var (
	CaseOK         = CaseResult{word{"OK"}}
	CaseFail       = CaseResult{word{"FAIL"}}
	CaseKnown      = CaseResult{word{"KNOWN"}}
	CaseKnownFixed = CaseResult{word{"KNOWN-FIXED"}}
	CaseSkip       = CaseResult{word{"SKIP"}}
)

// UnmarshalJSON reads one of the results.
func (r *CaseResult) UnmarshalJSON(data []byte) (err error) {
	r.word, err = readChoice(data, CaseOK.word, CaseFail.word, CaseKnown.word, CaseKnownFixed.word, CaseSkip.word)
	return err
}

// Dir is a directory as a session named it, with the name taken out of a home
// directory but still a path.
type Dir struct{ word }

// NewDir cleans s.
func NewDir(s string, c *redact.Cleaner) Dir { return Dir{word{keepHomes(c).Clean(s).String()}} }

// UnmarshalJSON takes the text as it is: a label's home has to fit it.
func (d *Dir) UnmarshalJSON(data []byte) (err error) {
	d.word, err = readWord(data, func(string) bool { return true })
	return err
}

// Input is the input of a tool call: JSON, all strings of which passed
// redaction. Home directories stay paths, so that the call can be made again.
type Input struct{ json string }

// NewInput cleans a JSON object; ok is false for anything else.
func NewInput(data []byte, c *redact.Cleaner) (input Input, ok bool) {
	if _, ok := ndjson.Members(data); !ok {
		return Input{}, false
	}
	clean := keepHomes(c)
	return Input{string(mapStrings(data, func(s string) string { return clean.Clean(s).String() }))}, true
}

// Rewritten is the JSON with f applied to every string of it, keys included.
func (i Input) Rewritten(f func(string) string) []byte { return mapStrings([]byte(i.json), f) }

// IsZero tells whether there is no input.
func (i Input) IsZero() bool { return i.json == "" }

// MarshalJSON writes the value as it is.
func (i Input) MarshalJSON() ([]byte, error) {
	if i.json == "" {
		return []byte("{}"), nil
	}
	return []byte(i.json), nil
}

// UnmarshalJSON takes an object as it is: what a person put into a corpus is
// run as it stands there.
func (i *Input) UnmarshalJSON(data []byte) error {
	if _, ok := ndjson.Members(data); !ok {
		return errRefused
	}
	*i = Input{string(data)}
	return nil
}

func keepHomes(c *redact.Cleaner) *redact.Cleaner {
	kept := *c
	kept.KeepHomes = true
	return &kept
}

// mapStrings applies f to every string of a valid JSON value; order and
// numbers stay.
func mapStrings(data []byte, f func(string) string) []byte {
	if members, ok := ndjson.Members(data); ok {
		for i := range members {
			members[i].Key = f(members[i].Key)
			members[i].Value = mapStrings(members[i].Value, f)
		}
		return ndjson.Join(members)
	}
	if elements, ok := ndjson.Elements(data); ok {
		out := []byte{'['}
		for i, e := range elements {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, mapStrings(e, f)...)
		}
		return append(out, ']')
	}
	var s *string
	if ndjson.Unmarshal(data, &s) == nil && s != nil {
		out, _ := ndjson.Marshal(f(*s))
		return out
	}
	return data
}
