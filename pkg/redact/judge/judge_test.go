// Package judge lets the library that the rules come from judge the matcher of
// pkg/redact. It is a module of its own, so that no program pays for the
// library: it is run with `make judge`.
package judge

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp/syntax"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"retro/pkg/redact"
)

var update = flag.Bool("update", false, "rewrite the rule table of pkg/redact from the library's configuration")

const table = "../gitleaks.go"

// notice heads the table; the rules keep the licence of the library.
const notice = `// Code generated from config/gitleaks.toml of gitleaks v8.30.1 by the judge module; DO NOT EDIT.
//
// MIT License
//
// Copyright (c) 2019 Zachary Rice
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.

package redact

`

func library(t testing.TB) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTable holds the rule table of pkg/redact to the library's configuration.
func TestTable(t *testing.T) {
	want := render(t, library(t).Config)
	if *update {
		if err := os.WriteFile(table, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the rule table differs from the library's configuration: run with -update and read the diff")
	}
}

// render writes the rules that can match a text: those that look at a path are
// left out, as the library leaves them out for a text without a file.
func render(t *testing.T, cfg config.Config) []byte {
	var b bytes.Buffer
	b.WriteString(notice)
	b.WriteString("var libraryAllow = []allowlist{\n")
	for _, a := range cfg.Allowlists {
		writeAllowlist(&b, a)
	}
	b.WriteString("}\n\nvar libraryRules = []rule{\n")
	ids := make([]string, 0, len(cfg.Rules))
	for id := range cfg.Rules {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		writeRule(t, &b, cfg.Rules[id])
	}
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeRule(t *testing.T, b *bytes.Buffer, r config.Rule) {
	if r.Regex == nil || r.Path != nil {
		return
	}
	if len(r.RequiredRules) > 0 || r.SkipReport {
		t.Fatalf("%s: a rule of a kind that the matcher does not know", r.RuleID)
	}
	fmt.Fprintf(b, "{id: %q, pattern: %s", r.RuleID, literal(r.Regex.String()))
	if r.SecretGroup > 0 {
		fmt.Fprintf(b, ", group: %d", r.SecretGroup)
	}
	if r.Entropy > 0 {
		fmt.Fprintf(b, ", entropy: %v", r.Entropy)
	}
	writeStrings(b, "keywords", lower(r.Keywords))
	if len(r.Allowlists) > 0 {
		b.WriteString(", allow: []allowlist{\n")
		for _, a := range r.Allowlists {
			writeAllowlist(b, a)
		}
		b.WriteString("}")
	}
	b.WriteString("},\n")
}

// writeAllowlist leaves out what cannot match a text: a list of paths, and one
// that wants all its conditions and has a path among them. That leaves no list
// with more than one kind of condition that all must hold.
func writeAllowlist(b *bytes.Buffer, a *config.Allowlist) {
	if a.MatchCondition == config.AllowlistMatchAnd && len(a.Paths)+len(a.Commits) > 0 ||
		len(a.Regexes)+len(a.StopWords) == 0 {
		return
	}
	fmt.Fprintf(b, "{target: %q", a.RegexTarget)
	patterns := make([]string, len(a.Regexes))
	for i, re := range a.Regexes {
		patterns[i] = re.String()
	}
	writeStrings(b, "patterns", patterns)
	words := lower(a.StopWords)
	sort.Strings(words)
	writeStrings(b, "stopWords", words)
	b.WriteString("},\n")
}

func writeStrings(b *bytes.Buffer, field string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, ", %s: []string{", field)
	for _, s := range list {
		b.WriteString(literal(s) + ", ")
	}
	b.WriteString("}")
}

func literal(s string) string {
	if strings.Contains(s, "`") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

func lower(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

// TestNothingLeft asks the library about the cleaned text: it must find
// nothing. The texts are made from the rules' own patterns, in the places where
// secrets stand in a session.
func TestNothingLeft(t *testing.T) {
	d := library(t)
	random := rand.New(rand.NewPCG(3, 4))
	places := []string{"%s", "the key is %s, use it", "export X=\"%s\"\nmake", `{"a":"%s","b":1}`, "line\n%s\nline"}
	judged := 0
	for id, r := range d.Config.Rules {
		if r.Regex == nil || r.Path != nil {
			continue
		}
		for n := range 40 {
			sample := sampleOf(t, random, r.Regex.String())
			text := fmt.Sprintf(places[n%len(places)], sample)
			if len(r.Keywords) > 0 && n%2 == 1 {
				text = r.Keywords[0] + " " + text
			}
			judged += len(d.DetectString(text))
			clean := new(redact.Cleaner).Clean(text).String()
			if left := d.DetectString(clean); len(left) > 0 {
				t.Errorf("rule %s: %q\ncleaned to %q\nthe library finds %s %q", id, text, clean, left[0].RuleID, left[0].Secret)
			}
		}
	}
	if judged < 3000 {
		t.Errorf("the library found %d secrets in the raw texts, too few to judge by", judged)
	}
	t.Logf("%d secrets", judged)
}

// sampleOf makes a text that the pattern matches.
func sampleOf(t *testing.T, random *rand.Rand, pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	writeSample(&b, random, re.Simplify())
	return b.String()
}

func writeSample(b *strings.Builder, random *rand.Rand, re *syntax.Regexp) {
	repeat := 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(runeOf(random, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + random.IntN(26)))
	case syntax.OpAlternate:
		writeSample(b, random, re.Sub[random.IntN(len(re.Sub))])
		return
	case syntax.OpQuest:
		repeat = random.IntN(2)
	case syntax.OpStar:
		repeat = random.IntN(4)
	case syntax.OpPlus:
		repeat = 1 + random.IntN(4)
	}
	for range repeat {
		for _, sub := range re.Sub {
			writeSample(b, random, sub)
		}
	}
}

// runeOf picks from the ASCII part of a class when it has one.
func runeOf(random *rand.Rand, ranges []rune) rune {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= min(ranges[i+1], '~'); r++ {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return ranges[0]
	}
	return all[random.IntN(len(all))]
}

// TestRealText counts, over the real sessions, the texts in which the cleaner
// sees a secret and the library does not: those are the structural rules' own,
// and there must be few.
func TestRealText(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/cases/labelled/*.jsonl")
	if len(files) == 0 {
		t.Skip("no real sessions here")
	}
	d := library(t)
	texts, marked, found := 0, 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var v any
			if json.Unmarshal(line, &v) != nil {
				continue
			}
			eachText(v, func(s string) {
				texts++
				clean := new(redact.Cleaner).Clean(s).String()
				if !strings.Contains(clean, redact.Mark) || strings.Contains(s, redact.Mark) {
					return
				}
				marked++
				if len(d.DetectString(s)) > 0 {
					found++
				} else if os.Getenv("SHOW") != "" {
					t.Logf("%s", around(clean))
				}
			})
		}
	}
	t.Logf("%d texts, %d with marks, %d of them known to the library", texts, marked, found)
	if own := marked - found; own*1000 > texts {
		t.Errorf("the structural rules mark %d of %d texts", own, texts)
	}
}

// eachText visits the strings a report could quote: the longer ones are file
// contents.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		if len(v) > 8 && len(v) < 4000 {
			visit(v)
		}
	case []any:
		for _, e := range v {
			eachText(e, visit)
		}
	case map[string]any:
		for key, e := range v {
			if key != "signature" && key != "toolUseResult" && key != "data" {
				eachText(e, visit)
			}
		}
	}
}

func around(s string) string {
	i := strings.Index(s, redact.Mark)
	return s[max(i-60, 0):min(i+40, len(s))]
}
