package rules

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"retro/pkg/ndjson"
)

// ErrSeedMalformed is the error for a seed that is not JSON.
var ErrSeedMalformed = errors.New("seed is not one JSON value")

// MergeSeed brings the registry in the file up to a seed: rules with an id that
// is not there are appended whole, thresholds, retention and settings keys that
// are missing get the seed's values, and seed_version becomes the seed's. What
// is there is not touched, so a field that a seed adds to a known rule does not
// reach it. Where there is no registry the seed becomes it.
//
// It returns the ids of the rules that were added. A result that is no valid
// registry is not written: the error is [*Invalid] then; others are
// [ErrMalformed], [ErrSeedMalformed] and those of the file system.
func MergeSeed(path string, seed []byte) (added []string, err error) {
	from, ok := ndjson.Members(withoutMark(seed))
	if !ok {
		return nil, ErrSeedMalformed
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return mergeInto(path, nil, nil, from)
	}
	if err != nil {
		return nil, err
	}
	into, ok := ndjson.Members(withoutMark(data))
	if !ok {
		if _, err := Parse(data); err != nil {
			return nil, err
		}
		return nil, ErrMalformed
	}
	return mergeInto(path, data, into, from)
}

// mergeInto merges and writes; data is the file as it stands, nil for none.
func mergeInto(path string, data []byte, into, from []ndjson.Member) (added []string, err error) {
	out := slices.Clone(into)
	for _, m := range from {
		at := slices.IndexFunc(out, func(have ndjson.Member) bool { return have.Key == m.Key })
		if at < 0 {
			out = append(out, m)
			if m.Key == "rules" {
				_, added = mergeRules(nil, m.Value)
			}
			continue
		}
		switch m.Key {
		case "seed_version":
			out[at].Value = m.Value
		case "rules":
			out[at].Value, added = mergeRules(out[at].Value, m.Value)
		case "thresholds", "retention", "settings":
			out[at].Value = mergeKeys(out[at].Value, m.Value)
		}
	}
	merged := ndjson.Join(out)
	if _, err := Parse(merged); err != nil {
		return nil, err
	}
	if data != nil && bytes.Equal(merged, ndjson.Join(into)) {
		return nil, nil
	}
	return added, replace(path, merged)
}

// mergeRules appends the rules of the seed whose id is not there.
func mergeRules(have, seed ndjson.Raw) (merged ndjson.Raw, added []string) {
	list, _ := ndjson.Elements(have)
	var ids []string
	for _, raw := range list {
		ids = append(ids, object(raw).text("id"))
	}
	fresh, _ := ndjson.Elements(seed)
	for _, raw := range fresh {
		if id := object(raw).text("id"); !slices.Contains(ids, id) {
			list, added = append(list, raw), append(added, id)
		}
	}
	if len(added) == 0 {
		return have, nil
	}
	return joinList(list), added
}

// mergeKeys adds the seed's members that are not there; anything but an object
// stays as it is, for the check to find.
func mergeKeys(have, seed ndjson.Raw) ndjson.Raw {
	list, ok := ndjson.Members(have)
	if !ok {
		return have
	}
	fresh, _ := ndjson.Members(seed)
	n := len(list)
	for _, m := range fresh {
		if !slices.ContainsFunc(list, func(have ndjson.Member) bool { return have.Key == m.Key }) {
			list = append(list, m)
		}
	}
	if len(list) == n {
		return have
	}
	return ndjson.Join(list)
}

// MarkRetro notes a retrospective in the registry. Errors are those of [Read]
// and of the file system; a registry at fault is left as it is.
func MarkRetro(path string, last LastRetro) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if _, err := Parse(data); err != nil {
		return err
	}
	list, _ := ndjson.Members(withoutMark(data))
	value, err := ndjson.Marshal(last)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(m ndjson.Member) bool { return m.Key == "last_retro" })
	if at < 0 {
		at = len(list)
		list = append(list, ndjson.Member{Key: "last_retro"})
	}
	list[at].Value = value
	return replace(path, ndjson.Join(list))
}

// replace puts a registry in the place of the file in one step, making the
// folder where there is none.
func replace(path string, registry []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return ndjson.WriteFile(path, ndjson.Indent(registry), 0o644)
}
