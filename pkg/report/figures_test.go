package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"retro/pkg/record"
)

const summaryLine = `{"v":1,"kind":"bucket","bucket":"summary","zone":"UTC","registry":"present","sessions":12,"episodes":20,"since_last_retro":7,"first":"2026-03-01T08:00:00.000Z","last":"2026-03-14T08:00:00.000Z","over_threshold":["graph-first"],"top_events":9,"thresholds":{"deterministic_events":3,"escalate_ignored_rate":0.5}}`

func bucket(kind, rest string) string {
	return `{"v":1,"kind":"bucket","bucket":"` + kind + `",` + rest + `}`
}

func rate(count, n int) string { return fmt.Sprintf(`{"count":%d,"n":%d}`, count, n) }

func TestOpener(t *testing.T) {
	graph := bucket("rule", `"rule":"graph-first","enforcement":"prose","events":9,"sessions":1,"detector":"graph-first"`)
	scope := bucket("rule", `"rule":"scope","enforcement":"hook-warn","events":9,"sessions":4`)
	quiet := bucket("rule", `"rule":"scope","enforcement":"hook-warn","events":0`)
	tokens := bucket("tokens", `"sessions_with_usage":4,"mean_per_session":{"input":1,"output":2000,"cache_read":90000,"cache_create":9},"before_after":{"since":"2026-03-04","rate_before":120000,"rate_after":60000,"sessions_before":2,"sessions_after":2}`)
	calm := strings.Replace(summaryLine, `["graph-first"]`, `[]`, 1)
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"over", []string{summaryLine, graph, scope}, "12 sessions observed; 1 rules over threshold (graph-first). The rule broken most often is graph-first: 9 events across 1 session, currently enforced as prose."},
		{"calm", []string{calm, quiet}, "12 sessions observed; thresholds not met for any rule. No rule violations were recorded."},
		{"empty", []string{strings.Replace(calm, `"sessions":12`, `"sessions":0`, 1), quiet}, "No sessions captured yet."},
		{"tokens", []string{calm, quiet, tokens}, "12 sessions observed; thresholds not met for any rule. No rule violations were recorded. Sessions average 2 000 output tokens and 90 010 context tokens read back into the model across the session. Since the last rule change on 2026-03-04, tokens per session went down from 120 000 to 60 000 (2 sessions before, 2 since: too few to tell)."},
		{"equal", []string{calm, quiet, strings.NewReplacer("60000", "120000", `_before":2`, `_before":5`, `_after":2`, `_after":5`).Replace(tokens)}, "12 sessions observed; thresholds not met for any rule. No rule violations were recorded. Sessions average 2 000 output tokens and 90 010 context tokens read back into the model across the session. Since the last rule change on 2026-03-04, tokens per session went up from 120 000 to 120 000."},
		{"no registry", []string{strings.Replace(calm, "present", "absent", 1), bucket("friction", `"passed":`+rate(3, 8))}, "12 sessions observed; 3 of 8 were rough enough to pass the friction gate."},
	} {
		got := strings.Split(report(t, c.lines...), "\n")
		if got[0] != "# Retro report" || got[1] != "" || got[2] != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got[2], c.want)
		}
	}
}

func TestRows(t *testing.T) {
	calm := strings.Replace(summaryLine, `["graph-first"]`, `[]`, 1)
	for _, c := range []struct{ line, want string }{
		{bucket("decisions", `"rule":"x","warned":4,"n":4,"proceeded":`+rate(4, 4)+`,"corrected":`+rate(0, 4)+`,"reconciled":`+rate(0, 0)+`,"ignored":`+rate(1, 4)),
			"| x | 4 | 0 | 0 | 4 | 100% | 0% | n/a | 25% |"},
		{bucket("rule", `"rule":"graph-first","enforcement":"prose","hard":true,"detector":"d","events":1200,"episodes":3,"sessions":1,"status":"over_threshold","escalate_to":"hook-warn","before_after":{"rate_before":0.667,"rate_after":1},"opportunities":40,"broken":`+`{"count":3,"n":12,"low":0.089,"high":0.532}`),
			"| graph-first | prose (hard) | 1 200 | 3 | 1 | over_threshold | hook-warn | 0.667 / 1 | 40 | 3 of 12 (25%, 95% interval 9% to 53%) |"},
		{bucket("rule", `"rule":"scope","enforcement":"hook-warn","detector":"d","status":"over_threshold","hold_reason":"no_outcomes","broken":`+rate(1, 4)),
			"| scope | hook-warn | 0 | 0 | 0 | over_threshold | hold: no_outcomes |  | n/a | 1 of 4 |"},
		{bucket("rule", `"rule":"scope","enforcement":"hook-warn","status":"over_threshold","hold_reason":"not_delivered"`), "- scope is over threshold, and stays hook-warn: its warnings did not reach the model, so mend the hook first"},
		{bucket("rule", `"rule":"scope","enforcement":"prose","status":"over_threshold","escalate_to":"hook-warn"`), "- scope is over threshold, and should become hook-warn"},
		{bucket("rule", `"rule":"scope","enforcement":"hook-block","status":"over_threshold"`), "- scope is over threshold, and is enforced as loudly as can be"},
		{bucket("path-cluster", `"pattern":"a/b/c/","rule":"scope","events":3,"sessions":2`), "| `a/b/c/` | scope | 3 | 2 |"},
		{bucket("build-retry", `"program":"make","hash":"aaaaaaaaaaaa","runs":7,"errors":5,"sessions":2`), "| `make` | `aaaaaaaaaaaa` | 7 | 5 | 2 |"},
		{bucket("adherence", `"editing_sessions":5,"reviewed":{"count":1,"n":5,"low":0.0362,"high":0.6245},"user_corrections":2`), "- Of those, reviewed or verified with a review skill: 1 (20%; 95% interval 4% to 62%)"},
		{bucket("adherence", `"editing_sessions":5,"reviewed":`+rate(1, 5)+`,"user_corrections":2`), "- User corrections detected (heuristic, supporting only): 2"},
		{bucket("archives", `"archived_changes":100,"mean_tasks_per_change":2,"review_fixes":`+rate(29, 100)+`,"incomplete":`+rate(1, 3)), "- Share with a Review Fixes section: 29%"},
		{bucket("gotcha", `"gotcha":"proto","surfaced":3,"sessions":2,"episodes":3,"retry_sessions":1`), "| `proto` | 3 | 2 | 3 | 1 |"},
		{bucket("tokens", `"sessions_with_usage":4,"mean_per_session":{"input":1,"output":2,"cache_read":3,"cache_create":4,"total":1000010}`), "- Mean per session: 1 000 010 total, 1 input, 2 output, 3 cache read, 4 cache create"},
		{bucket("coverage", `"sessions":3,"files":4,"skipped":[{"reason":"file not found","count":2}]`), "- Sessions that could not be read: `file not found` 2"},
	} {
		if got := report(t, calm, c.line); !slices.Contains(strings.Split(got, "\n"), c.want) {
			t.Errorf("no line %q in:\n%s", c.want, got)
		}
	}
}

// Sections come in one order and only when their records are there.
func TestSectionOrder(t *testing.T) {
	list := []string{
		strings.NewReplacer(`"top_events"`, `"prune_candidates":["p"],"unmeasured_rules":["u"],"top_events"`).Replace(summaryLine),
		bucket("archives", `"archived_changes":1`), bucket("adherence", `"editing_sessions":0`), bucket("coverage", `"sessions":1`),
		bucket("tokens", `"sessions_with_usage":1`), bucket("gotcha", `"gotcha":"g"`), bucket("build-retry", `"program":"make"`), bucket("path-cluster", `"pattern":"a/"`),
		bucket("decisions", `"rule":"r"`), bucket("rule", `"rule":"r"`), bucket("friction", `"passed":`+rate(1, 1)), verdictLine,
	}
	var got []string
	for _, line := range strings.Split(report(t, list...), "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			got = append(got, title)
		}
	}
	want := []string{"Window", "Coverage", "Friction", "Rules", "Decisions", "Path clusters", "Build retries", "Tokens", "Workflow adherence",
		"Gotchas", "Archived changes", "Unmeasured rules", "Prune candidates", "Sessions"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := report(t, summaryLine); strings.Count(got, "## ") != 1 {
		t.Errorf("sections without records:\n%s", got)
	}
}

func TestPruneSaysWhatSilenceMayMean(t *testing.T) {
	got := report(t, strings.Replace(summaryLine, `"top_events"`, `"prune_candidates":["a","b"],"top_events"`, 1),
		bucket("rule", `"rule":"a","opportunities":1`), bucket("rule", `"rule":"b"`))
	if !strings.Contains(got, "over the prune window: a, b.\n\na could have been broken 1 time: silent may mean obeyed.\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestRuleMeasurementOff(t *testing.T) {
	absent := strings.Replace(summaryLine, "present", "absent", 1)
	if got := report(t, absent, bucket("adherence", `"editing_sessions":3`)); !strings.Contains(got, "\n\nRule measurement is off until `retro-episode rules merge-seed`.\n") || strings.Contains(got, "adherence") {
		t.Errorf("got:\n%s", got)
	}
	invalid := strings.Replace(summaryLine, `"present"`, `"invalid","registry_fault":"rules[1].id"`, 1)
	if got := report(t, invalid); !strings.Contains(got, "Rule measurement is off: `.github/retro/rules.json` is invalid at `rules[1].id`;") {
		t.Errorf("got:\n%s", got)
	}
}

// A registry alone measures nothing: a scan without it must not read as a
// project that keeps its rules.
func TestNothingScannedForRules(t *testing.T) {
	off := strings.Replace(summaryLine, `["graph-first"]`, `[],"rules_off":12,"prune_candidates":["scope"]`, 1)
	rule := bucket("rule", `"rule":"scope","enforcement":"prose"`)
	got := report(t, off, rule, bucket("coverage", `"sessions":12`))
	for _, no := range []string{"No rule violations", "thresholds not met", "## Rules", "## Prune"} {
		if strings.Contains(got, no) {
			t.Errorf("%q in:\n%s", no, got)
		}
	}
	if !strings.Contains(got, "\n\nNo session was scanned for rules: ") || !strings.Contains(got, "scanned without the registry: 12,") {
		t.Errorf("got:\n%s", got)
	}
	if got := report(t, off, strings.Replace(rule, `"enforcement"`, `"events":1,"enforcement"`, 1)); !strings.Contains(got, "## Rules") {
		t.Errorf("what a hook saw is not told:\n%s", got)
	}
}

func TestSparklineAndCharts(t *testing.T) {
	got := report(t, summaryLine,
		bucket("friction", `"passed":`+rate(2, 4)+`,"mean_score":2.5,"median_score":2,"max_score":6,"thresholds":[5.0],"profiles":["guarded"],"signals":[{"name":"S1","hits":4,"sessions":2}],
			"days":[{"day":"","hits":9},{"day":"2026-03-01","judged":1,"score_sum":0},{"day":"2026-03-02","judged":2,"passed":1,"score_sum":6,"score_max":4.5,"hits":3},{"day":"2026-03-04","hits":1},{"day":"2026-03-05","judged":1,"passed":1,"score_sum":6,"score_max":6}]`),
		bucket("rule", `"rule":"graph-first","events":3,"first":"2026-03-02","last":"2026-03-04","days":[{"day":"2026-03-02","events":2,"sessions":1},{"day":"2026-03-04","events":1,"sessions":1}]`),
		bucket("tokens", `"sessions_with_usage":3,"days":[{"day":"2026-03-01","sessions":2,"total":3},{"day":"2026-03-03","sessions":1,"total":90000}]`))
	for _, want := range []string{
		"2 of 4 judged sessions were rough: their score passed the gate; scores: mean 2.5, median 2, highest 6, threshold 5.0, profile `guarded`.\n",
		"Mean score by day, 2026-03-01 to 2026-03-05: `▁▅··█` (highest 6; · no session judged)\n",
		"| 2026-03-02 | 2 | 1 | 3 | 4.5 | 3 |\n",
		"| 2026-03-04 | 0 | 0 |  |  | 1 |\n",
		"| S1 | 4 | 2 |\n",
		"```mermaid\nxychart-beta\n    title \"graph-first: violations by day\"\n    x-axis [\"03-01\", \"03-02\", \"03-03\", \"03-04\", \"03-05\"]\n    y-axis \"violations\" 0 --> 2\n    bar [0, 2, 0, 1, 0]\n```\n",
		"x-axis [\"03-01\", \"03-02\", \"03-03\"]\n    y-axis \"tokens\" 0 --> 90000\n    bar [2, 0, 90000]\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// A long window goes by weeks, each under its Monday.
func TestLongSeries(t *testing.T) {
	s := makeSeries([]point{{"2026-03-04", 2, 1}, {"2026-03-08", 4, 1}, {"2026-03-09", 7, 1}, {"2026-04-20", 1, 1}}, "2026-03-04", "2026-04-20", true)
	if s.unit != "week" || len(s.values) != 8 || s.labels[0] != "03-02" || s.labels[7] != "04-20" || s.values[0] != 3 || s.values[1] != 7 || s.values[2] != 0 || s.values[7] != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestSpacedNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 90000: "90 000", 1234567: "1 234 567", -1234: "-1 234"} {
		if got := spaced(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// hostile texts stand where records hold text from outside.
var hostile = []string{
	"a|b", "`x`", "``", "a\nb | c", "<script>alert(1)</script>", "[x](http://evil)", "**bold** _em_", "# head", "\\|", "x` | `y", "| --- |",
	"```mermaid", "a\u2028b\u202ec", " lead", "~~s~~", "&amp;", "_a_b_", "!", "- item", "a\\", "http://evil.example", "\x1b[31m",
}

// Whatever a record holds, the tables parse back to the same cells and nothing
// from outside becomes Markdown.
func TestTablesParseBack(t *testing.T) {
	for _, evil := range hostile {
		quoted := fmt.Sprintf("%q", evil)
		quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\x`, `\u00`).Replace(quoted)
		lines := []string{
			strings.Replace(summaryLine, `["graph-first"]`, `[`+quoted+`],"prune_candidates":[`+quoted+`],"unmeasured_rules":[`+quoted+`]`, 1),
			bucket("rule", `"rule":`+quoted+`,"enforcement":`+quoted+`,"status":`+quoted+`,"hold_reason":`+quoted+`,"events":2,"first":"2026-03-01","last":"2026-03-02"`),
			bucket("path-cluster", `"pattern":`+quoted+`,"rule":"r"`),
			bucket("archives", `"archived_changes":1,"most_referenced_paths":[{"path":`+quoted+`,"changes":1}]`),
			bucket("coverage", `"skipped":[{"reason":`+quoted+`,"count":1}]`),
		}
		out := report(t, lines...)
		cells := parse(t, out)
		shown := strings.Map(func(r rune) rune {
			if r < ' ' || r == '\u2028' || r == '\u202e' {
				return ' '
			}
			return r
		}, evil)
		shown = strings.Join(strings.Fields(shown), " ")
		// A backslash before a pipe is set apart, or it would undo the table's own.
		shown = strings.ReplaceAll(shown, `\|`, `\ |`)
		path := shown
		if record.NewPath(evil) == record.External {
			path = "external"
		}
		want := [][]string{
			{shown, shown, "2", "0", "0", shown, "hold: " + shown, "", "n/a", ""},
			{path, "r", "0", "0"},
		}
		for _, row := range want {
			if !slices.ContainsFunc(cells, func(got []string) bool { return slices.Equal(got, row) }) {
				t.Errorf("%q: no row %q in %q\n%s", evil, row, cells, out)
			}
		}
	}
}

// Whatever a line holds, the report of it has no element that it does not write
// itself.
func FuzzReport(f *testing.F) {
	for _, evil := range hostile {
		f.Add("rule", `"rule":"x","events":3,"status":"over_threshold"`, evil)
		f.Add("path-cluster", `"rule":"scope"`, evil)
	}
	f.Fuzz(func(t *testing.T, kind, rest, evil string) {
		quoted, err := json.Marshal(evil)
		if err != nil {
			return
		}
		for _, key := range []string{"rule", "pattern", "enforcement", "hold_reason", "zone", "gotcha", "program"} {
			line := []byte(bucket(kind, `"`+key+`":`+string(quoted)+","+rest))
			var b Builder
			b.Add(record.KindBucket, []byte(strings.Replace(summaryLine, `"graph-first"`, string(quoted), 1)))
			b.Add(record.KindBucket, line)
			var out strings.Builder
			if b.Report().Summary == nil || b.Report().WriteMarkdown(&out) != nil {
				continue
			}
			parse(t, out.String())
		}
	})
}

// parse reads a report back with a Markdown library: the cells of the body rows
// of its tables. It fails for any element that the report itself never writes.
func parse(t *testing.T, markdown string) [][]string {
	t.Helper()
	source := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gmtext.NewReader(source))
	var rows [][]string
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *extast.TableRow:
			var cells []string
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				cells = append(cells, strings.Join(strings.Fields(plain(c, source)), " "))
			}
			rows = append(rows, cells)
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Link, *ast.AutoLink, *ast.Image, *ast.Emphasis, *extast.Strikethrough, *ast.Blockquote:
			t.Errorf("%T in:\n%s", n, markdown)
		case *ast.Heading:
			if n.Level > 2 {
				t.Errorf("a heading that is not the report's own in:\n%s", markdown)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// plain is the text of a node as a reader sees it.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if s, ok := n.(*ast.Text); ok && entering {
			segment := s.Segment.Value(source)
			if _, inCode := n.Parent().(*ast.CodeSpan); inCode {
				out.WriteString(strings.ReplaceAll(string(segment), `\|`, "|"))
			} else {
				out.Write(util.UnescapePunctuations(segment))
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
