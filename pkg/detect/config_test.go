package detect

import (
	"testing"
	"time"

	"retro/pkg/profile"
	"retro/pkg/rules"
)

// TestConfigHash holds the hash of settings against that of a run with a registry
// and nothing else set: what decides which signals come out makes another one,
// what differs between machines or serves reports alone does not.
func TestConfigHash(t *testing.T) {
	registry := func() *rules.Registry { // as small as the detectors see it
		return &rules.Registry{Rules: []rules.Rule{{ID: "scope", Detector: "scope-drift"}, {ID: "prose"}}}
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	of := func(change func(o *Options, r *rules.Registry) (mainOnly bool)) string {
		o, r := &Options{}, registry()
		o.Registry = r
		mainOnly := change(o, r)
		return ConfigHash(o, !mainOnly).String()
	}
	base := of(func(*Options, *rules.Registry) bool { return false })
	if p, _ := profile.Named(profile.Default); ConfigHash(&Options{}, true).String() != p.ConfigHash() || base == p.ConfigHash() {
		t.Errorf("with nothing set want the hash of the profile, %s, and another with a registry, %s", p.ConfigHash(), base)
	}
	seen := map[string]string{base: "nothing"}
	for name, tt := range map[string]struct {
		same   bool
		change func(o *Options, r *rules.Registry) bool
	}{
		"since":         {false, func(o *Options, _ *rules.Registry) bool { o.Since = day; return false }},
		"until":         {false, func(o *Options, _ *rules.Registry) bool { o.Until = day; return false }},
		"another since": {false, func(o *Options, _ *rules.Registry) bool { o.Since = day.Add(time.Hour); return false }},
		"candidates":    {false, func(o *Options, _ *rules.Registry) bool { o.Candidates = true; return false }},
		"no sub-agents": {false, func(*Options, *rules.Registry) bool { return true }},
		"root":          {false, func(o *Options, _ *rules.Registry) bool { o.Root = "/here"; return false }},
		"code paths":    {false, func(o *Options, _ *rules.Registry) bool { o.CodePaths = []string{"lib", "app"}; return false }},
		"one code path": {false, func(o *Options, _ *rules.Registry) bool { o.CodePaths = []string{"lib"}; return false }},
		"no registry": {false, func(o *Options, _ *rules.Registry) bool {
			o.Registry = nil
			o.Candidates, o.Root = true, "/"
			return false
		}},
		"rule":     {false, func(_ *Options, r *rules.Registry) bool { r.Rules[0].ID = "scopes"; return false }},
		"detector": {false, func(_ *Options, r *rules.Registry) bool { r.Rules[1].Detector = "defect"; return false }},
		"lookback": {false, func(_ *Options, r *rules.Registry) bool { r.Thresholds.DefectLookbackDays = 3; return false }},
		"graph": {false, func(_ *Options, r *rules.Registry) bool {
			r.Settings.CodeGraph.ToolPrefixes = []string{"g"}
			return false
		}},
		"project":         {true, func(o *Options, _ *rules.Registry) bool { o.Project = "/there"; return false }},
		"zone":            {true, func(o *Options, _ *rules.Registry) bool { o.Zone = time.FixedZone("x", 3600); return false }},
		"clock":           {true, func(o *Options, _ *rules.Registry) bool { o.Now = day; return false }},
		"title":           {true, func(_ *Options, r *rules.Registry) bool { r.Rules[0].Title = "t"; return false }},
		"retrospective":   {true, func(_ *Options, r *rules.Registry) bool { r.LastRetro = &rules.LastRetro{Date: "d"}; return false }},
		"report's limits": {true, func(_ *Options, r *rules.Registry) bool { r.Thresholds.PruneSessions = 9; return false }},
	} {
		got := of(tt.change)
		if tt.same && got != base {
			t.Errorf("%s: another hash, %s", name, got)
		}
		if other, known := seen[got]; !tt.same && known {
			t.Errorf("%s: the hash of %s", name, other)
		} else if !tt.same {
			seen[got] = name
		}
	}
	a := of(func(o *Options, _ *rules.Registry) bool { o.Root = "/home/a"; return false })
	if b := of(func(o *Options, _ *rules.Registry) bool { o.Root = "/srv/b"; return false }); a != b {
		t.Errorf("the hash depends on the path of the root: %s, %s", a, b)
	}
	a = of(func(o *Options, _ *rules.Registry) bool { o.Since = day; return false })
	if b := of(func(o *Options, _ *rules.Registry) bool { o.Since = day.In(time.FixedZone("x", 3600)); return false }); a != b {
		t.Errorf("the hash depends on how a time is written: %s, %s", a, b)
	}
}
