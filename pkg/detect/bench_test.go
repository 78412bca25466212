package detect

import (
	"os"
	"testing"

	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

// BenchmarkSession reads every session of the benchmark set (RETRO_BENCH, made
// by `make bench-go`; else the samples) with all detectors on, one after the other.
func BenchmarkSession(b *testing.B) {
	root := os.Getenv("RETRO_BENCH")
	if root == "" {
		root = "../../testdata/transcripts"
	}
	for _, name := range []string{profile.Classic, profile.Guarded} {
		b.Run(name, func(b *testing.B) {
			p, _ := profile.Named(name)
			opt := &Options{Profile: p, Buffers: new(transcript.Buffers)}
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
