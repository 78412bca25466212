package corpus

import (
	"strings"
	"testing"

	"retro/pkg/record"
)

func TestRewriteWholeElements(t *testing.T) {
	box := &Sandbox{Home: "/tmp/seg-1/home", from: "/Users/x"}
	for in, want := range map[string]string{
		"/Users/x":                        "/tmp/seg-1/home",
		"cd /Users/x/app; ls '/Users/x'":  "cd /tmp/seg-1/home/app; ls '/tmp/seg-1/home'",
		"/Users/xy /Users/x.bak":          "/Users/xy /Users/x.bak",
		"/mnt/Users/x":                    "/mnt/Users/x",
		"--dir=/Users/x/a:/Users/x/b":     "--dir=/tmp/seg-1/home/a:/tmp/seg-1/home/b",
		"/Users/é and (/Users/x) and é//": "/Users/é and (/tmp/seg-1/home) and é//",
	} {
		if got := box.Rewrite(in); got != want {
			t.Errorf("Rewrite(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLayoutStaysInside(t *testing.T) {
	for place, want := range map[string]bool{
		"app": true, "~/app": true, "/Users/x/app": true, "/Users/x": true, "a/../b": true,
		"..": false, "a/../../b": false, "/Users/xy": false, "/etc/passwd": false, "/Users/x/../y": false, "~/../y": false,
	} {
		if got := fits(place, "/Users/x"); got != want {
			t.Errorf("fits(%q) = %v, want %v", place, got, want)
		}
	}
}

func TestDenies(t *testing.T) {
	for out, want := range map[string]bool{
		``: false, `plain words`: false, `{"decision":"approve"}`: false, `{"continue":true}`: false,
		`{"decision":"block","reason":"x"}`:                      true,
		` {"decision":"deny"} `:                                  true,
		`{"hookSpecificOutput":{"permissionDecision":"deny"}}`:   true,
		`{"hookSpecificOutput":{"permissionDecision":"ask"}}`:    false,
		`{"hookSpecificOutput":{"permissionDecision":"allow"}}`:  false,
		`{"hookSpecificOutput":"deny","decision":"block"}`:       false,
		"{\"decision\":\"block\"}\n":                             true,
		`[{"decision":"block"}]`:                                 false,
		`{"hookSpecificOutput":{"permissionDecision":"block"}}x`: false,
	} {
		if got := denies([]byte(out)); got != want {
			t.Errorf("denies(%q) = %v, want %v", out, got, want)
		}
	}
}

// TestTally walks the table of results.
func TestTally(t *testing.T) {
	known := record.MustIdentifier("RT-1")
	var tally Tally
	for _, c := range []struct {
		want, got record.Answer
		known     record.Identifier
		result    record.CaseResult
	}{
		{record.AnswerAllow, record.AnswerAllow, record.Identifier{}, record.CaseOK},
		{record.AnswerBlock, record.AnswerAllow, record.Identifier{}, record.CaseFail},
		{record.AnswerBlock, record.AnswerAllow, known, record.CaseKnown},
		{record.AnswerBlock, record.AnswerBlock, known, record.CaseKnownFixed},
	} {
		v := record.CaseVerdict{Want: c.want, Got: c.got, Known: c.known}
		if v.Result = compare(v); v.Result != c.result {
			t.Errorf("compare(%v) = %v, want %v", v, v.Result, c.result)
		}
		tally.Add(v)
	}
	tally.Add(record.CaseVerdict{Result: record.CaseSkip})
	if got, want := tally.String(), "hook corpus: 3/4, known errors 1"; got != want || tally.Wrong != 2 {
		t.Errorf("got %q, %d wrong, want %q, 2 wrong", got, tally.Wrong, want)
	}
}

func TestReadKeepsWhatIsSound(t *testing.T) {
	const text = `{"id":"early","expected":"allow","tool_input":{}}
{"home":"/h","layout":[]}
{"id":"a","expected":"allow","tool_input":{}}
{"id":"a","expected":"allow","tool_input":{}}

{"id":"b","tool_input":{}}
{"id":"c","expected":"maybe","tool_input":{}}
{"id":"d","skip":"no","tool_input":{}}`
	c := Read([]byte(text))
	var lines []string
	for _, f := range c.Faults {
		lines = append(lines, string(rune('0'+f.Line))+" "+f.Message)
	}
	want := "1 a case before the first segment|4 a case of this id came before|6 a case without an expected answer|7 neither a segment nor a case"
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(c.Segments) != 1 || len(c.Segments[0].Cases) != 2 {
		t.Errorf("got %+v, want one segment with two cases", c.Segments)
	}
	if got := string(c.Append([]byte("x\n"))); got != text+"\nx\n" {
		t.Errorf("Append: got %q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"home":"/h","layout":[{"dir":"a"}]}` + "\n" + `{"id":"a","expected":"allow","tool_input":{"a":[1,"x"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Read(data)
		for _, s := range c.Segments {
			box := &Sandbox{Home: "/tmp/home", from: s.Home}
			for _, one := range s.Cases {
				one.ToolInput.Rewritten(box.Rewrite)
			}
		}
		ReadLabels(data)
	})
}
