package transcript

import (
	"bytes"
	"strconv"

	"retro/pkg/ndjson"
)

// headOfResult is how much of a tool result's text is decoded, in bytes.
const headOfResult = 512

// toolResult takes the result of a call; the words a person gave with a
// refusal follow it as a prompt.
func (c *claude) toolResult(b *claudeBlock, uuid []byte) {
	id := c.text(b.toolUseID)
	call, again := c.a.joined(id)
	if again {
		c.a.drop("repeated-result")
		return
	}
	c.result = Result{Status: OK, ExitCode: -1, Content: b.content, Error: b.isError.IsTrue()}
	r := &c.result
	if r.Error {
		r.Head = c.resultHead(b.content, headOfResult)
		r.Status = c.status(r)
	}
	c.a.result(uuid, call, r, c.hidden)
	if c.hidden || r.Status != Refused {
		return
	}
	if words := c.reason(b.content); len(words) > 0 {
		c.a.prompt(uuid, words, PromptInfo{Refusal: true, call: call})
	}
}

// resultHead decodes the start of a result's text: a string, or a list of text
// blocks.
func (c *claude) resultHead(content ndjson.Value, n int) []byte {
	if content.Kind() != ndjson.String {
		text := c.blocksText(content)
		return text[:min(len(text), n)]
	}
	text, arena, ok := content.Head(c.arena, n)
	c.arena = arena
	if !ok {
		return nil
	}
	return text
}

// The harness's own wordings of results that are not the tool's doing. The
// fields are looked at first; these are prefixes of the text.
var (
	refusals = []string{
		"The user doesn't want to proceed with this tool use",
		"The user doesn't want to take this action right now",
		"User rejected tool use",
		"The user wants to clarify",
	}
	denials = []string{
		"Permission to use ",
		"Permission for this tool use was denied",
		"Permission for this action was denied by the Claude Code auto mode classifier",
		"Permission for this action has been denied",
		"Claude requested permissions to ",
	}
	cancellations = []string{
		"Sibling tool call errored",
		"Cancelled: parallel tool call",
		"Cancelled: ",
		"[Request interrupted by user",
		"Skipped due to queued user message",
		"The operation was aborted",
		"Request was aborted",
		"Interrupted by user",
	}
	guards = []string{
		"File has not been read yet",
		"File has been modified since read",
		"File has been unexpectedly modified",
		"InputValidationError",
		"No changes to make",
		"File content (", "File is too large", // more than may be read at once
		"No such tool available", "Unknown skill",
	}
)

// status reads the outcome off an error result.
func (c *claude) status(r *Result) Status {
	rec := c.rec
	if rec.denial.Kind() == ndjson.String {
		if is(rec.denial, "user-rejected") || is(rec.denial, "user-denied") {
			return Refused
		}
		return Denied
	}
	text := bytes.TrimLeft(r.Head, " \t\r\n")
	text = bytes.TrimPrefix(text, []byte("<tool_use_error>"))
	switch {
	case is(rec.toolUseResult, "User rejected tool use"), startsWith(text, refusals):
		return Refused
	case startsWith(text, denials):
		return Denied
	case isHookError(text):
		return Blocked
	case startsWith(text, cancellations):
		return Cancelled
	case startsWith(text, guards):
		return Guarded
	}
	r.ExitCode = exitCode(text)
	return Failed
}

func startsWith(text []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// isHookError tells a block by a PreToolUse hook: `PreToolUse:NAME hook error`
// (the metrics specification, hook block).
func isHookError(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("PreToolUse:"))
	if !ok {
		return false
	}
	name, rest, ok := bytes.Cut(rest, []byte(" "))
	return ok && len(name) > 0 && bytes.HasPrefix(rest, []byte("hook error"))
}

// exitCode reads `Exit code N`, the first line of a failed shell command; -1
// when it is not there.
func exitCode(text []byte) int {
	rest, ok := bytes.CutPrefix(text, []byte("Exit code "))
	if !ok {
		return -1
	}
	digits := rest
	for i, d := range rest {
		if d < '0' || d > '9' {
			digits = rest[:i]
			break
		}
	}
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return -1
	}
	return n
}

// reason is what a person said with a refusal: the field of newer versions,
// else the text behind the harness's words.
func (c *claude) reason(content ndjson.Value) []byte {
	if words := bytes.TrimSpace(c.text(c.rec.userFeedback)); len(words) > 0 {
		return words
	}
	text := c.text(content)
	if content.Kind() != ndjson.String {
		text = c.blocksText(content)
	}
	_, words, ok := bytes.Cut(text, []byte("the user said:"))
	if !ok {
		return nil
	}
	if bytes.Contains(text, []byte("wants to clarify")) {
		return nil // the answer to a dialog of the harness
	}
	words, _, _ = bytes.Cut(words, []byte("\n\nNote: The user's next message may contain a correction"))
	return clean(words).words
}
