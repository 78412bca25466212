package rules

import (
	"slices"

	"retro/pkg/ndjson"
)

// Edit is a change of one rule of a registry. Thresholds, detectors and
// correction patterns are out of its reach.
type Edit struct {
	ID string
	// Remove takes the rule out; the other fields do not count then.
	Remove      bool
	Enforcement Enforcement
	// LastChanged and OutcomesSince are days.
	LastChanged, OutcomesSince string
	// Provenance says what wrote the edit.
	Provenance string
}

// Apply is the text of a registry after the edits; the keys that they do not
// name stay as they are. Edits of rules that are not there change nothing. The
// error is that of [Parse], for the registry or for what the edits made of it.
func Apply(registry []byte, edits []Edit) ([]byte, error) {
	if _, err := Parse(registry); err != nil {
		return nil, err
	}
	root, _ := ndjson.Members(withoutMark(registry))
	at := slices.IndexFunc(root, func(m ndjson.Member) bool { return m.Key == "rules" })
	list, _ := ndjson.Elements(root[at].Value)
	for _, e := range edits {
		i := slices.IndexFunc(list, func(raw ndjson.Raw) bool { return object(raw).text("id") == e.ID })
		switch {
		case i < 0:
		case e.Remove:
			list = slices.Delete(list, i, i+1)
		default:
			list[i] = e.apply(list[i])
		}
	}
	root[at].Value = joinList(list)
	out := ndjson.Indent(ndjson.Join(root))
	_, err := Parse(out)
	return out, err
}

// apply writes the edit's fields into the rule.
func (e Edit) apply(rule ndjson.Raw) ndjson.Raw {
	members, _ := ndjson.Members(rule)
	for _, f := range []struct{ key, value string }{
		{"enforcement", string(e.Enforcement)}, {"last_changed", e.LastChanged},
		{"outcomes_since", e.OutcomesSince}, {"provenance", e.Provenance},
	} {
		value, err := ndjson.Marshal(f.value)
		if f.value == "" || err != nil {
			continue
		}
		at := slices.IndexFunc(members, func(m ndjson.Member) bool { return m.Key == f.key })
		if at < 0 {
			at = len(members)
			members = append(members, ndjson.Member{Key: f.key})
		}
		members[at].Value = value
	}
	return ndjson.Join(members)
}

func joinList(list []ndjson.Raw) ndjson.Raw {
	out := ndjson.Raw{'['}
	for i, raw := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}
