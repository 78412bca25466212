package detect

import (
	"fmt"
	"strconv"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// ConfigHash identifies what decides, besides the transcripts and the project,
// which signals come out: records of two hashes are not to be counted together.
// It is the hash of the profile, with 16 hex digits behind it when anything else
// is set: a period, candidates, sessions without their sub-agents, a root to look
// at, directories of code, a registry. No path of a machine is in it, only
// whether there is one; so the jobs of a run have one hash wherever they run.
func ConfigHash(o *Options, subagents bool) record.Hash {
	var parts []string
	add := func(name string, set bool, values ...string) {
		if set {
			parts = append(parts, name, strconv.Itoa(len(values)))
			parts = append(parts, values...)
		}
	}
	add("since", !o.Since.IsZero(), record.NewTimestamp(o.Since).String())
	add("until", !o.Until.IsZero(), record.NewTimestamp(o.Until).String())
	add("candidates", o.Candidates)
	add("no-subagents", !subagents)
	add("root", o.Root != "")
	add("code-paths", len(o.CodePaths) > 0, o.CodePaths...)
	if o.Registry != nil {
		add("registry", true, measuredBy(o.Registry)...)
	}
	hash := o.profile().ConfigHash()
	if len(parts) > 0 {
		hash += record.HashOf(16, parts...).String()
	}
	out, _ := record.NewHash(hash)
	return out
}

// measuredBy is what the detectors take from a registry. What only a report
// needs, as titles, thresholds and the last retrospective, is left out: it may
// change between two scans that are counted together.
func measuredBy(r *rules.Registry) []string {
	out := []string{strconv.Itoa(r.Thresholds.DefectLookbackDays), fmt.Sprintf("%q", settingsOf(r))}
	for _, rule := range r.Rules {
		if rule.Detector != "" {
			out = append(out, fmt.Sprintf("rule %q %q", rule.ID, rule.Detector))
		}
	}
	for _, p := range r.Patterns {
		if p.Enabled {
			out = append(out, fmt.Sprintf("pattern %q %q", p.ID, p.Regex))
		}
	}
	return out
}

// config is the config_hash of the session's record.
func (o *Options) config() record.Hash {
	if !o.Config.IsZero() {
		return o.Config
	}
	hash, _ := record.NewHash(o.profile().ConfigHash())
	return hash
}
