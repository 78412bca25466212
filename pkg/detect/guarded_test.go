package detect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// scanGuarded reads a transcript under the guarded profile, less some guards.
func scanGuarded(t *testing.T, lines string, without ...profile.Guard) []record.Signal {
	t.Helper()
	return signalsOf(t, transcript.FromStream("test.jsonl", "test", strings.NewReader(lines)), &Options{Profile: guardedWithout(t, without...)})
}

func signalsOf(t *testing.T, s *transcript.Session, opt *Options) (out []record.Signal) {
	t.Helper()
	if err := Session(s, opt, func(sig *record.Signal) { out = append(out, *sig) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// guardedWithout is the guarded profile with some guards left out.
func guardedWithout(t *testing.T, without ...profile.Guard) *profile.Profile {
	t.Helper()
	p, _ := profile.Named(profile.Guarded)
	if len(without) == 0 {
		return p
	}
	document, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(document, &fields); err != nil {
		t.Fatal(err)
	}
	var guards []profile.Guard
	for _, g := range profile.Guards() {
		if !contains(without, g) {
			guards = append(guards, g)
		}
	}
	fields["guards"] = guards
	document, _ = json.Marshal(fields)
	cut, err := profile.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	return cut
}

func contains(guards []profile.Guard, g profile.Guard) bool {
	for _, other := range guards {
		if other == g {
			return true
		}
	}
	return false
}

// counts counts friction by signal name.
func counts(signals []record.Signal) map[string]int {
	out := map[string]int{}
	for _, s := range signals {
		if e, ok := s.Evidence.(*record.FrictionEvidence); ok && s.Kind == record.Friction {
			out[e.Signal.String()]++
		}
	}
	return out
}

// TestPrompts runs a table of prompts in ten languages, each with what the
// agent did before it and said after it. The table is a regression test, not a
// measure: its sentences and the lexicons have one source.
func TestPrompts(t *testing.T) {
	table, err := os.ReadFile("testdata/prompts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for n, row := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(row, "\t")
		lines := promptCase(t, f[0], f[1], strings.ReplaceAll(f[2], `\n`, "\n"), f[3])
		if got := counts(scanGuarded(t, lines))["S1"]; got != int(f[4][0]-'0') {
			t.Errorf("line %d (%s, %s, %s) %q: got %d, want %s", n+2, f[0], f[1], f[5], f[2], got, f[4])
		}
	}
}

var doneIn = map[string]string{
	"de": "Fertig, alle Tests laufen.", "fr": "C'est fait, tous les tests passent.", "es": "Listo, todas las pruebas pasan.",
	"pt": "Pronto, todos os testes passam.", "it": "Fatto, tutti i test passano.", "ru": "Готово, все тесты проходят.",
	"zh": "已完成，测试全部通过。", "ja": "完了しました。テストはすべて成功です。", "ko": "완료했습니다. 모든 테스트가 통과합니다.",
}

// promptCase is a transcript around one prompt. before says what the agent
// did: edit, ask, text (explained), int (was interrupted), ref (its edit was
// refused with the prompt as the reason), open (nothing: the prompt opens).
func promptCase(t *testing.T, language, before, prompt, after string) string {
	var lines []string
	add := func(format string, args ...any) {
		for i, a := range args {
			quoted, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			args[i] = string(quoted)
		}
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	say := `{"type":"assistant","message":{"id":%s,"content":[{"type":"text","text":%s}]}}`
	if before != "open" {
		add(`{"type":"user","message":{"content":"Please tidy the parser module and keep the tests green."}}`)
	}
	switch before {
	case "edit", "int", "ref":
		add(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c1","name":"Edit","input":{"file_path":"/r/a.go"}}]}}`)
	case "ask":
		add(say, "m1", "There are two ways to do this. Which one do you prefer?")
	case "text":
		add(say, "m1", "The module has three layers, see above.")
	}
	switch before {
	case "edit":
		done := doneIn[language]
		if done == "" {
			done = "Done, all tests pass."
		}
		add(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}}`)
		add(say, "m2", done)
	case "int":
		add(`{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`)
	}
	if before == "ref" {
		add(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":%s}]}}`,
			"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"+prompt)
	} else {
		add(`{"type":"user","message":{"content":%s}}`, prompt)
	}
	add(say, "m3", after)
	return strings.Join(lines, "\n")
}

// want is one wish of a case: a count of a signal, or the verdict.
var want = regexp.MustCompile(`^(S\d)\s*(>=|=|>)\s*(\d+)$`)

// TestGuardedCases runs the made-up cases: each line of WANT.tsv says what the
// profile must give. Wishes about other things are tested where those are.
func TestGuardedCases(t *testing.T) {
	dir := "../../testdata/cases/guarded"
	table, err := os.ReadFile(filepath.Join(dir, "WANT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	known := knownDifferences(t)
	p := guardedWithout(t)
	for _, row := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(row, "\t")
		opt := &Options{Profile: p}
		if ledger, err := os.ReadFile(filepath.Join(dir, f[0]+".ledger.jsonl")); err == nil {
			if opt.Ledger, err = ReadLedger(bytes.NewReader(ledger)); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, f[0]+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		signals := signalsOf(t, transcript.FromStream(f[0], "", bytes.NewReader(data)), opt)
		fault := unmet(f[1], counts(signals), scoreOf(p, signals))
		switch {
		case fault != "" && !known[f[0]]:
			t.Errorf("%s (%s): want %s, %s", f[0], f[2], f[1], fault)
		case fault == "" && known[f[0]]:
			t.Errorf("%s is listed as a known difference but gives what is wanted", f[0])
		}
	}
}

// knownDifferences lists the cases that are argued about in the file beside
// them; their names are the first column.
func knownDifferences(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/known-differences.tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, row := range strings.Split(string(data), "\n") {
		name, _, _ := strings.Cut(row, "\t")
		out[strings.TrimPrefix(name, "guarded/")] = true
	}
	return out
}

func scoreOf(p *profile.Profile, signals []record.Signal) (score float64) {
	turns := signals[len(signals)-1].Evidence.(*record.SessionEvidence).Turns
	for name, n := range counts(signals) {
		s := p.Signal(name)
		score += s.Worth(s.Counted(n), turns)
	}
	return score
}

// unmet says which of the wishes is not met; "" when all are.
func unmet(wishes string, got map[string]int, score float64) string {
	for _, wish := range strings.Split(wishes, ";") {
		wish = strings.TrimSpace(wish)
		switch {
		case wish == "passed" && score < 5, wish == "not passed" && score >= 5:
			return fmt.Sprintf("got a score of %v", score)
		case strings.Contains(wish, "score > 0") && (score == 0 || got["interrupt"] == 0):
			return "got no interrupts"
		case strings.Contains(wish, " or "):
			a, b, _ := strings.Cut(wish, " or ")
			if unmet(a, got, score) != "" && unmet(b, got, score) != "" {
				return fmt.Sprintf("got %v", got)
			}
		default:
			m := want.FindStringSubmatch(wish)
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[3])
			if have := got[m[1]]; m[2] == "=" && have != n || m[2] == ">=" && have < n || m[2] == ">" && have <= n {
				return fmt.Sprintf("got %v", got)
			}
		}
	}
	return ""
}

func TestSameWords(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"a b", " a\n b\t", true}, {"a b", "ab", false}, {"a b", "a b c", false}, {"a b c", "a b", false}, {"a", "A", false}, {" ", "", true}} {
		if got := sameWords([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("sameWords(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}
