package report

import (
	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Figures are the buckets of one run of retro-episode. A pointer is nil and a
// list empty when the stream has no such bucket; its section is left out then.
type Figures struct {
	Summary   *record.Summary
	Coverage  *record.Coverage
	Friction  *record.FrictionBucket
	Rules     []*record.RuleBucket
	Decisions []*record.DecisionsBucket
	Clusters  []*record.PathCluster
	Retries   []*record.BuildRetry
	Gotchas   []*record.Gotcha
	Tokens    *record.Tokens
	Adherence *record.Adherence
	Archives  *record.Archives
	Layout    *record.Layout
	Entries   []*record.GotchaEntry // of the layout
}

// any tells whether there is any bucket at all.
func (f *Figures) any() bool {
	return f.Summary != nil || f.Coverage != nil || f.Friction != nil || f.Tokens != nil || f.Adherence != nil || f.Archives != nil || f.Layout != nil ||
		len(f.Rules)+len(f.Decisions)+len(f.Clusters)+len(f.Retries)+len(f.Gotchas) > 0
}

// add takes a bucket. The summary comes first in every run, so a second one
// means that the stream holds two runs; the later counts. The layout may come
// from a run of its own, before or after.
func (f *Figures) add(line []byte) error {
	var head record.BucketHead
	if err := ndjson.Unmarshal(line, &head); err != nil {
		return errRecord
	}
	switch head.Bucket {
	case record.BucketSummary:
		*f = Figures{Layout: f.Layout, Entries: f.Entries}
		return read(line, &f.Summary)
	case record.BucketCoverage:
		return read(line, &f.Coverage)
	case record.BucketFriction:
		return read(line, &f.Friction)
	case record.BucketRule:
		return readInto(line, &f.Rules)
	case record.BucketDecisions:
		return readInto(line, &f.Decisions)
	case record.BucketPathCluster:
		return readInto(line, &f.Clusters)
	case record.BucketBuildRetry:
		return readInto(line, &f.Retries)
	case record.BucketGotcha:
		return readInto(line, &f.Gotchas)
	case record.BucketTokens:
		return read(line, &f.Tokens)
	case record.BucketAdherence:
		return read(line, &f.Adherence)
	case record.BucketArchives:
		return read(line, &f.Archives)
	case record.BucketLayout:
		err := read(line, &f.Layout)
		if err == nil {
			f.Entries = nil
		}
		return err
	case record.BucketGotchaEntry:
		return readInto(line, &f.Entries)
	}
	return nil
}

func read[T any](line []byte, to **T) error {
	v := new(T)
	if ndjson.Unmarshal(line, v) != nil {
		return errRecord
	}
	*to = v
	return nil
}

func readInto[T any](line []byte, to *[]*T) error {
	v := new(T)
	if ndjson.Unmarshal(line, v) != nil {
		return errRecord
	}
	*to = append(*to, v)
	return nil
}
