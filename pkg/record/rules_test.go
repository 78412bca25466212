package record

import (
	"strings"
	"testing"

	"retro/pkg/ndjson"
)

func TestProgram(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"", ""},
		{"make", "make"},
		{"g++-13.2_x", "g++-13.2_x"},
		{"TOKEN=zz9", "other"},
		{"make x", "other"},
		{"/bin/make", "other"},
		{"clé", "other"},
		{strings.Repeat("x", 41), "other"},
	} {
		if got := NewProgram(c.command).String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.command, got, c.want)
		}
	}
}

func TestCommandHash(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"  make lint  ", "a528e6e11619"},
		{"make lint", "a528e6e11619"},
		{"make  lint", "88a1dffab70f"},
		{" ", ""},
	} {
		if got := CommandHash(c.command).String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.command, got, c.want)
		}
	}
}

func TestSessionIDForm(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"ab/../c d", "abcd"}, {"", "unknown"}, {"../", "unknown"}, {strings.Repeat("a", 70), strings.Repeat("a", 64)},
	} {
		if got := NewSessionID(c.in).String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// One signal of every rule detector, as it stands on the wire.
func TestRuleSignals(t *testing.T) {
	yes := true
	id := MustIdentifier("toolu_1")
	sha, _ := NewHash("0123abc")
	for _, c := range []struct {
		evidence RuleEvidence
		want     string
	}{
		{&GraphFirstEvidence{Count: 2, FirstIndex: 1, Tools: []Name{NewName("Grep")}, Proof: MCPLater, Site: Site{Turn: 3, ToolUseID: id}},
			`"kind":"violation","rule":"graph-first","detector":"graph-first","confidence":"deterministic","origin":"transcript","evidence":{"count":2,"first_index":1,"tools":["Grep"],"proof":"mcp-later","turn":3,"tool_use_id":"toolu_1"}`},
		{&OpenSpecGateEvidence{Files: []Path{NewPath("a.go"), NewPath("/b")}, Count: 2},
			`"kind":"violation","rule":"openspec-gate","detector":"openspec-gate","confidence":"heuristic","origin":"transcript","evidence":{"files":["a.go","external"],"count":2}`},
		{&ScopeEvidence{Path: NewPath("a/b.rb"), OpenSpec: NewName("add-x")},
			`"kind":"violation","rule":"scope","detector":"scope-warning","confidence":"deterministic","origin":"hook","evidence":{"path":"a/b.rb","openspec":"add-x"}`},
		{&GeneratedFileEvidence{Path: NewPath("out/a.js"), Reason: ByDirectory},
			`"kind":"violation","rule":"generated-files","detector":"generated-file-block","confidence":"deterministic","origin":"hook","evidence":{"path":"out/a.js","reason":"directory"}`},
		{&BuildRetryEvidence{Program: NewProgram("make"), Hash: CommandHash("make lint"), Runs: 3, Errors: 2},
			`"kind":"event","rule":"none","detector":"build-retry","confidence":"deterministic","origin":"transcript","evidence":{"program":"make","hash":"a528e6e11619","runs":3,"errors":2}`},
		{&UserCorrectionEvidence{Pattern: NewName("i-said"), AfterTool: true},
			`"kind":"violation","rule":"user-correction","detector":"user-correction","confidence":"heuristic","origin":"transcript","evidence":{"pattern":"i-said","after_tool":true}`},
		{&DefectEvidence{Fix: sha, Origin: sha, Files: []Path{NewPath("d/ü.ts")}, Count: 1, Days: 14},
			`"kind":"violation","rule":"defect","detector":"defect","confidence":"deterministic","origin":"transcript","evidence":{"fix":"0123abc","origin":"0123abc","files":["d/ü.ts"],"count":1,"days":14}`},
		{&NewDependencyEvidence{Program: NewProgram("bun"), Via: ViaCommand},
			`"kind":"violation","rule":"no-new-deps","detector":"new-dependency","confidence":"deterministic","origin":"transcript","evidence":{"program":"bun","manifest":"","via":"command"}`},
		{&DecisionEvidence{Action: Warned, ToolUseID: id, Hook: NewName("scope")},
			`"kind":"decision","rule":"none","detector":"decision","confidence":"deterministic","origin":"hook","evidence":{"action":"warned","tool_use_id":"toolu_1","hook":"scope","path":""}`},
		{&OutcomeEvidence{ToolUseID: id, Action: Blocked, Reconciled: &yes, Repeated: 1},
			`"kind":"outcome","rule":"none","detector":"outcome","confidence":"deterministic","origin":"transcript","evidence":{"tool_use_id":"toolu_1","action":"blocked","proceeded":false,"corrected":false,"reconciled":true,"repeated":1,"delivered":null}`},
	} {
		s := NewRuleSignal(c.evidence)
		s.SessionID, s.Tool = NewSessionID("s"), ClaudeCode
		s.Identify("x")
		line, err := ndjson.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"v":1,"ts":null,"tool":"claude-code","session_id":"s",` + c.want + `,"id":"` + s.ID.String() + `"}`
		if string(line) != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		var back Signal
		if err := ndjson.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := ndjson.Marshal(back); string(again) != want {
			t.Errorf("read back: got  %s\nwant %s", again, want)
		}
	}
}

// Free text is refused wherever a record is read back.
func TestEvidenceRefuses(t *testing.T) {
	const head = `{"v":1,"kind":"%K","detector":"%D","evidence":`
	for _, c := range []struct{ kind, detector, evidence string }{
		{"violation", "graph-first", `{"proof":"because the user said so"}`},
		{"violation", "generated-file-block", `{"reason":"x y"}`},
		{"violation", "new-dependency", `{"via":"pip install x"}`},
		{"violation", "defect", `{"fix":"not a sha"}`},
		{"decision", "decision", `{"action":"shouted"}`},
		{"decision", "decision", `{"tool_use_id":"a b"}`},
		{"violation", "openspec-gate", `{"count":"two"}`},
	} {
		line := strings.NewReplacer("%K", c.kind, "%D", c.detector).Replace(head) + c.evidence + "}"
		var s Signal
		if err := ndjson.Unmarshal([]byte(line), &s); err == nil {
			t.Errorf("%s: read, want an error", line)
		}
	}
}

// A detector or kind that is not in the table has no evidence; what an older
// writer added to a known one is not carried on.
func TestEvidenceIsAllowList(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"kind":"violation","detector":"made-up","evidence":{"note":"x"}}`, `null`},
		{`{"kind":"warning","detector":"scope-warning","evidence":{"path":"a"}}`, `null`},
		{`{"kind":"violation","detector":"scope-warning","evidence":{"path":"a/b.rb","openspec":"c","note":"x"}}`, `{"path":"a/b.rb","openspec":"c"}`},
	} {
		var s Signal
		if err := ndjson.Unmarshal([]byte(c.line), &s); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndjson.Marshal(s.Evidence); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}

func TestPathForm(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"lib/x.go", "lib/x.go"}, {"d/ü [id]/(a)/@b $c+d.ts", "d/ü [id]/(a)/@b $c+d.ts"}, {"..x/y", "..x/y"},
		{"/a", "external"}, {"../a", "external"}, {"..", "external"}, {`C:\a`, "external"}, {" ", "external"}, {"", "external"},
		{"a\nb", "external"}, {"say \"no\"", "external"}, {"<b>", "external"}, {"a|b", "external"}, {"a\xff", "external"},
	} {
		if got := NewPath(c.in).String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
