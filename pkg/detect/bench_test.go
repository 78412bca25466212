package detect

import (
	"os"
	"testing"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/rules"
	"retro/pkg/transcript"
)

// BenchmarkSession reads every session of the benchmark set (RETRO_BENCH, made
// by `make bench-go`; else the samples) one after the other: friction
// under both profiles, and with the rules of the seed measured, too.
func BenchmarkSession(b *testing.B) {
	root := os.Getenv("RETRO_BENCH")
	if root == "" {
		root = "../../testdata/transcripts"
	}
	registry, err := rules.Read("../rules/seed.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, with := range []struct {
		name string
		opt  *Options
	}{
		{"classic", &Options{Profile: named(b, profile.Classic)}},
		{"guarded", &Options{Profile: named(b, profile.Guarded)}},
		{"rules", &Options{Profile: named(b, profile.Guarded), Registry: registry}},
	} {
		opt := with.opt
		b.Run(with.name, func(b *testing.B) {
			opt.Buffers = new(Buffers)
			b.ReportAllocs()
			for b.Loop() {
				size := int64(0)
				for _, s := range transcript.NewFinder(true).Path(root) {
					if err := Session(s, opt, func(sig *record.Signal) {
						if e, ok := sig.Evidence.(*record.SessionEvidence); ok {
							size += e.SourceBytes
						}
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(size)
			}
		})
	}
}

func named(b *testing.B, name string) *profile.Profile {
	p, ok := profile.Named(name)
	if !ok {
		b.Fatal("no profile " + name)
	}
	return p
}
