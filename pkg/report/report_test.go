package report

import (
	"strings"
	"testing"

	"retro/pkg/profile"
	"retro/pkg/record"
)

const verdictLine = `{"score":8.5,"passed":true,"threshold":5.0,"signals":[{"name":"S1","count":2,"ids":["a","\u00e9\n"]},{"name":"S3","count":1,"ids":[7]}],"v":1,"kind":"verdict","session_id":"s1","ts":"","tool":"claude-code","profile":"classic","turns":12,"prompts":3,"started":"2026-03-01T08:00:59.000Z","ended":""}`

func report(t *testing.T, lines ...string) string {
	t.Helper()
	var b Builder
	for _, line := range lines {
		kind, ok := record.KindOf([]byte(line))
		if !ok {
			t.Fatalf("no record: %s", line)
		}
		if err := b.Add(kind, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := b.Report().WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSessions(t *testing.T) {
	again := strings.NewReplacer("8.5", "9.0", "s1", "s2").Replace(verdictLine)
	odd := `{"score":9.0,"signals":[],"kind":"verdict","session_id":"__x__","error":"a|b\n<script>","warning":"c"}`
	got := report(t, verdictLine, `{"kind":"friction"}`, again, odd, strings.Replace(again, "9.0", "1.0", 1))
	const want = "## Sessions\n\n" +
		"| score | passed | session | signals | turns | prompts | started | note |\n" +
		"| ---: | --- | --- | --- | ---: | ---: | --- | --- |\n" +
		"| 9.0 | no | `__x__` |  | 0 | 0 |  | a\\|b \\<script\\>; c |\n" +
		"| 8.5 | yes | `s1` | S1 x2, S3 x1 | 12 | 3 | 2026-03-01 08:00Z |  |\n" +
		"| 1.0 | yes | `s2` | S1 x2, S3 x1 | 12 | 3 | 2026-03-01 08:00Z |  |\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := report(t); got != "## Sessions\n\nNo session.\n" {
		t.Errorf("got %q for no record", got)
	}
}

func TestAddRefusesWhatIsNoVerdict(t *testing.T) {
	var b Builder
	if err := b.Add(record.KindVerdict, []byte(`{"kind":"verdict","score":"s3cret"}`)); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got error %v, want one that quotes nothing", err)
	}
}

func TestWhy(t *testing.T) {
	classic, _ := profile.Named(profile.Classic)
	tests := []struct {
		line    string
		profile *profile.Profile
		want    string
	}{
		{verdictLine, classic, `Session: s1
Score: 8.5 / 5.0 (passed)
Signals matched:
S1 (explicit reject) x2 = 6.0 — a, "\u00e9\n"
S3 (edit loop) x1 = 2.5 — 7
Signals NOT matched: S2, S4, S5
`},
		{verdictLine, nil, `Session: s1
Score: 8.5 / 5.0 (passed)
Signals matched:
S1 x2 — a, "\u00e9\n"
S3 x1 — 7
`},
		{`{"score":0.0,"threshold":5.0,"signals":[],"kind":"verdict","session_id":"s","error":"file not\nfound","warning":"w"}`, classic, `Session: s
Score: 0.0 / 5.0 (not passed)
Signals matched: none
Signals NOT matched: S1, S2, S3, S4, S5
Error: file not found
Warning: w
`},
	}
	for _, tt := range tests {
		var b Builder
		if err := b.Add(record.KindVerdict, []byte(tt.line)); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := WriteWhy(&out, b.verdicts[0], tt.profile, nil); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), tt.want)
		}
	}
}
