package detect

import (
	"fmt"
	"strings"
	"testing"

	"retro/pkg/profile"
	"retro/pkg/transcript"
)

// The pieces of which cases are made: turns of one message each, with an id of
// their own.
func typed(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"content":%q}}`, id, text)
}
func says(id, text string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"message":{"id":%q,"content":[{"type":"text","text":%q}]}}`, "u-"+id, id, text)
}
func calls(id, tool, input string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"message":{"id":%q,"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, "u-"+id, id, id, tool, input)
}
func gives(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}}`, "r-"+id, id, text)
}
func fails(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]}}`, "r-"+id, id, text)
}
func edits(id string) string { return calls(id, "Edit", `{"file_path":"/w/a.go"}`) }

const interrupts = `{"type":"user","uuid":"i1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`

// twice is a call that ends the same way two times.
func twice(tool, input, result string) []string {
	return []string{typed("p1", "tidy the parser"), calls("c1", tool, input), fails("c1", result), calls("c2", tool, input), fails("c2", result)}
}

// reply is a prompt behind a change, and what the agent says then.
func reply(prompt, answer string) []string {
	return []string{typed("p1", "tidy the parser module"), edits("c1"), gives("c1", "ok"), says("m1", "Done."), typed("p2", prompt), says("m2", answer)}
}

// guardCase is a session in which one guard alone makes the number of hits.
type guardCase struct {
	guard   profile.Guard
	signal  string
	on, off int
	lines   []string
}

func guardCases() []guardCase {
	const ok = "It reads lines."
	long := strings.Repeat("The parser reads every line and keeps the state of the block. ", 4)
	return []guardCase{
		{profile.GuardStrip, "S1", 0, 1, reply("see this log:\n> no, that's wrong, it still does not work\nnow update the docs", ok)},
		{profile.GuardHarness, "S1", 0, 1, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"), says("m1", "Done."),
			`{"type":"user","uuid":"p2","isMeta":true,"message":{"content":"no, that is wrong, it still does not work"}}`, says("m2", ok)}},
		{profile.GuardSteering, "S1", 1, 0, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"),
			`{"type":"attachment","uuid":"q1","attachment":{"type":"queued_command","prompt":"no, that's wrong, it still does not work"}}`, says("m2", ok)}},
		{profile.GuardSidechains, "S1", 0, 1, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"), says("m1", "Done."),
			`{"type":"user","uuid":"p2","isSidechain":true,"message":{"content":"no, that is wrong, it still does not work"}}`, says("m2", ok)}},
		{profile.GuardDedupe, "interrupt", 1, 2, []string{typed("p1", "tidy the parser"), edits("c1"), interrupts, interrupts}},
		{profile.GuardCopies, "S1", 1, 2, append(reply("no, that's wrong, it still does not work", ok)[:5],
			typed("p3", "no, that's wrong, it still does not work"), says("m2", ok))},
		{profile.GuardOpening, "S1", 0, 1, []string{typed("p1", "no, that's wrong, you broke the parser and it still does not work"), says("m1", "You're right, my mistake.")}},
		{profile.GuardLanguages, "S1", 1, 0, reply("nein, das stimmt nicht, es funktioniert immer noch nicht", ok)},
		{profile.GuardIdioms, "S1", 0, 1, reply("the page is private, so it doesn't work for guests", ok)},
		{profile.GuardConditions, "S1", 0, 1, reply("if the build fails, print the log", ok)},
		{profile.GuardAnswers, "S1", 0, 1, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"), says("m1", "Shall I keep the old name?"),
			typed("p2", "no, the new one"), says("m2", ok)}},
		{profile.GuardApprovals, "S1", 0, 1, reply("yes perfect, revert that later", ok)},
		{profile.GuardNewRequests, "S1", 0, 1, reply("can you revert that commit", ok)},
		{profile.GuardImpersonal, "S1", 0, 1, reply("The build fails. "+long, ok)},
		{profile.GuardSelfCorrections, "S1", 0, 1, reply("my mistake. revert that", ok)},
		{profile.GuardDoubts, "S1", 1, 0, reply("hmm, why is this in the parser?", ok)},
		{profile.GuardChange, "S1", 1, 0, reply("it still does not work", ok)},
		{profile.GuardReaction, "S1", 1, 0, reply("the name of the field is size", "You're right, my mistake.")},
		{profile.GuardSimilarity, "repeat-request", 1, 0, []string{typed("p1", "rename the parser of the config file to reader everywhere"), edits("c1"), gives("c1", "ok"),
			says("m1", "Done."), typed("p2", "again: rename the parser of the config file to reader everywhere"), says("m2", "Sorry, my mistake.")}},
		{profile.GuardPastedErrors, "failure-report", 1, 0, reply("```\nTypeError: cannot read property of undefined\n```", ok)},
		{profile.GuardInterrupts, "interrupt", 1, 0, []string{typed("p1", "tidy the parser"), edits("c1"), interrupts}},
		{profile.GuardRefusals, "refusal", 1, 0, []string{typed("p1", "tidy the parser"), edits("c1"),
			fails("c1", "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the other file"), says("m2", ok)}},
		{profile.GuardPermissions, "S2", 0, 1, twice("Bash", `{"command":"make all"}`, "Permission to use Bash with command make all has been denied.")},
		{profile.GuardCollateral, "S2", 0, 1, twice("Bash", `{"command":"make all"}`, "Sibling tool call errored")},
		{profile.GuardHarnessGuards, "S2", 0, 1, twice("Edit", `{"file_path":"/w/a.go"}`, "File has not been read yet. Read it first before writing to it.")},
		{profile.GuardProbes, "S2", 0, 1, twice("Read", `{"file_path":"/w/a.go"}`, "File does not exist.")},
		{profile.GuardBenignExits, "S2", 0, 1, twice("Bash", `{"command":"grep -r parser ."}`, "Exit code 1")},
		{profile.GuardSameTarget, "S2", 0, 1, []string{typed("p1", "tidy the parser"), calls("c1", "Bash", `{"command":"make all"}`), fails("c1", "Exit code 2\nboom"),
			calls("c2", "Bash", `{"command":"go vet"}`), fails("c2", "Exit code 2\nboom")}},
		{profile.GuardFailedEdits, "S3", 0, 1, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"), edits("c2"), fails("c2", "String to replace not found in file."),
			edits("c3"), gives("c3", "ok")}},
		{profile.GuardStruggle, "S3", 0, 1, []string{typed("p1", "tidy the parser"), edits("c1"), gives("c1", "ok"), edits("c2"), gives("c2", "ok"), edits("c3"), gives("c3", "ok")}},
	}
}

// guardsElsewhere are pinned by the cases of another test, because they need
// more than a transcript.
var guardsElsewhere = []profile.Guard{profile.GuardLedgerMerge}

// TestGuards holds each guard against a session that comes out otherwise when
// that guard alone is off.
func TestGuards(t *testing.T) {
	pinned := map[profile.Guard]bool{}
	for _, g := range guardsElsewhere {
		pinned[g] = true
	}
	for _, c := range guardCases() {
		pinned[c.guard] = true
		session := strings.Join(c.lines, "\n")
		if got := counts(scanGuarded(t, session))[c.signal]; got != c.on {
			t.Errorf("%s on: got %d of %s, want %d", c.guard, got, c.signal, c.on)
		}
		if got := counts(scanGuarded(t, session, c.guard))[c.signal]; got != c.off {
			t.Errorf("%s off: got %d of %s, want %d", c.guard, got, c.signal, c.off)
		}
	}
	for _, g := range profile.Guards() {
		if !pinned[g] {
			t.Errorf("guard %s has no case", g)
		}
	}
}

// TestLedgerMerge pins the guard whose case needs a ledger: what only that
// knows makes a run, on top of the transcript's.
func TestLedgerMerge(t *testing.T) {
	lines := strings.Join(twice("Bash", `{"command":"make all"}`, "Exit code 2\nboom"), "\n")
	row := `{"ts":"2026-01-01T00:00:0%dZ","session_id":"s","event":"PostToolUseFailure","tool":"Edit","path":"a.go"}` + "\n"
	ledger, err := ReadLedger(strings.NewReader(fmt.Sprintf(row+row, 1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		without []profile.Guard
		want    int
	}{{nil, 2}, {[]profile.Guard{profile.GuardLedgerMerge}, 1}} {
		opt := &Options{Profile: guardedWithout(t, c.without...), Ledger: ledger}
		s := transcript.FromStream("s", "s", strings.NewReader(lines))
		if got := counts(signalsOf(t, s, opt))["S2"]; got != c.want {
			t.Errorf("without %v: got %d runs, want %d", c.without, got, c.want)
		}
	}
}
