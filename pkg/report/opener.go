package report

import (
	"fmt"
	"strings"

	"retro/pkg/record"
	"retro/pkg/rules"
)

// Opener says in at most four sentences what the figures come to. It is the
// first paragraph of the report and of a proposal.
func (f *Figures) Opener() string {
	sentences := []string{f.observed()}
	if s := f.worst(); s != "" {
		sentences = append(sentences, s)
	}
	if t := f.Tokens; t != nil && t.SessionsWithUsage > 0 {
		m := t.MeanPerSession
		sentences = append(sentences, fmt.Sprintf("Sessions average %s output tokens and %s context tokens read back into the model across the session.",
			spaced(m.Output), spaced(m.CacheRead+m.Input+m.CacheCreate)))
		if b := t.BeforeAfter; b != nil {
			sentences = append(sentences, trend(b))
		}
	}
	return strings.Join(sentences, " ")
}

// observed is the first sentence.
func (f *Figures) observed() string {
	s := f.Summary
	n := spaced(int64(s.Sessions))
	unmeasured := s.Registry != record.RegistryPresent || f.unmeasured()
	switch {
	case s.Sessions == 0:
		return "No sessions captured yet."
	case unmeasured && f.Friction != nil && f.Friction.Passed.N > 0:
		return fmt.Sprintf("%s sessions observed; %d of %d were rough enough to pass the friction gate.", n, f.Friction.Passed.Count, f.Friction.Passed.N)
	case unmeasured:
		return n + " sessions observed."
	case len(s.OverThreshold) > 0:
		return fmt.Sprintf("%s sessions observed; %d rules over threshold (%s).", n, len(s.OverThreshold), names(s.OverThreshold))
	}
	return n + " sessions observed; thresholds not met for any rule."
}

// worst names the rule with the most violations, the first of equals.
func (f *Figures) worst() string {
	var most *record.RuleBucket
	for _, r := range f.Rules {
		if r.Events > 0 && (most == nil || r.Events > most.Events) {
			most = r
		}
	}
	switch {
	case most != nil:
		return fmt.Sprintf("The rule broken most often is %s: %s across %s, currently enforced as %s.",
			name(most.Rule), count(most.Events, "event"), count(most.Sessions, "session"), name(most.Enforcement))
	case f.Summary.Sessions > 0 && f.Summary.Registry == record.RegistryPresent && !f.unmeasured():
		return "No rule violations were recorded."
	}
	return ""
}

// trend compares the tokens before and after a change. With few sessions on a
// side it says so: two against two cannot tell a change from chance.
func trend(b *record.BeforeAfter) string {
	way := "up"
	if b.RateAfter < b.RateBefore {
		way = "down"
	}
	doubt := ""
	if min(b.SessionsBefore, b.SessionsAfter) < enough {
		doubt = fmt.Sprintf(" (%s before, %d since: too few to tell)", count(b.SessionsBefore, "session"), b.SessionsAfter)
	}
	return fmt.Sprintf("Since the last rule change on %s, tokens per session went %s from %s to %s%s.",
		b.Since, way, spaced(int64(b.RateBefore)), spaced(int64(b.RateAfter)), doubt)
}

// unmeasured tells that no session was scanned for rules and no hook saw one
// broken: there is nothing to say about rules then, least of all that they
// hold.
func (f *Figures) unmeasured() bool {
	for _, r := range f.Rules {
		if r.Events > 0 {
			return false
		}
	}
	return f.Summary.RulesOff > 0 && f.Summary.RulesOff >= f.Summary.Sessions && len(f.Decisions) == 0
}

// measurementOff is the line of a report without rules; "" when they are
// measured.
func (f *Figures) measurementOff() string {
	if f.Summary.Registry == record.RegistryPresent && f.unmeasured() {
		return "No session was scanned for rules: name the project to `retro-scan` with `--root DIR`, or the registry with `--registry FILE`."
	}
	switch f.Summary.Registry {
	case record.RegistryAbsent:
		return "Rule measurement is off until `retro-episode rules merge-seed`."
	case record.RegistryInvalid:
		return fmt.Sprintf("Rule measurement is off: %s is invalid at %s; `retro-episode rules validate` checks it.", span(rules.Path), span(f.Summary.RegistryFault))
	}
	return ""
}
