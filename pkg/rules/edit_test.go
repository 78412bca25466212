package rules

import (
	"errors"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	same, err := Apply(seed, nil)
	if err != nil || string(same) != string(seed) {
		t.Errorf("no edits: got %v and other bytes", err)
	}
	out, err := Apply(seed, []Edit{
		{ID: "graph-first", Enforcement: HookWarn, LastChanged: "2026-11-15", OutcomesSince: "2026-11-15", Provenance: "p"},
		{ID: "preserve-features", Remove: true},
		{ID: "not there", Remove: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	rule, _ := r.Rule("graph-first")
	if rule.Enforcement != HookWarn || rule.LastChanged != "2026-11-15" || rule.OutcomesSince != "2026-11-15" || rule.Title != Default().Rules[0].Title {
		t.Errorf("got %+v", rule)
	}
	if _, there := r.Rule("preserve-features"); there || len(r.Rules) != 7 {
		t.Error("the rule is still there")
	}
	if r.Thresholds != Default().Thresholds || !strings.Contains(string(out), `"provenance": "p"`) {
		t.Error("thresholds changed, or the provenance is lost")
	}
	var invalid *Invalid
	if _, err := Apply(seed, []Edit{{ID: "graph-first", Enforcement: "loud"}}); !errors.As(err, &invalid) {
		t.Errorf("an edit that makes it invalid: got %v", err)
	}
	if _, err := Apply([]byte("{"), nil); err != ErrMalformed {
		t.Errorf("got %v", err)
	}
}
