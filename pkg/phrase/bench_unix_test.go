//go:build unix

package phrase

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time of the process so far: on a machine that is
// shared the clock on the wall says little.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// prose is text as people type and paste it: about one word in a hundred
// begins a phrase, and a few phrases are there.
func prose(size int) []byte {
	const paragraph = `The build started at 10:42 and stopped after the third step; the reviewer wants the retry loop in
pkg/store/lock.go to give up after five seconds. Don't change the public interface. Error: cannot open "x.jsonl":
no such file or directory (errno 2). We should look at what the previous version did, then undo the rename of the
column, since readers of the old format would be wrong about it. Über den Umbau reden wir später; нет, не сейчас.
`
	return []byte(strings.Repeat(paragraph, size/len(paragraph)+1)[:size])
}

func benchmark(b *testing.B, phrases []Phrase, size int) {
	set, text := MustCompile(phrases, Options{}), prose(size)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	started := cpuTime()
	for b.Loop() {
		for range set.All(text) {
		}
	}
	b.ReportMetric(float64(b.N)*float64(size)/1e6/(cpuTime()-started).Seconds(), "MB/cpu-s")
}

func BenchmarkRejections(b *testing.B)      { benchmark(b, rejections, 1<<20) }
func BenchmarkRejectionsShort(b *testing.B) { benchmark(b, rejections, 120) }
func BenchmarkRetries(b *testing.B)         { benchmark(b, retries, 1<<20) }

// BenchmarkHundreds is a lexicon of a guarded profile: phrases of several
// scripts, some thousand forms.
func BenchmarkHundreds(b *testing.B) {
	var phrases []Phrase
	for _, head := range strings.Fields("no nein non нет не 不对 不是 esto isso cela that das это stop arrête 停 please wrong falsch revert undo why warum pourquoi почему") {
		for _, tail := range []string{"", " so", " again", " (is|ist|est)", " так", " 的", " that'?s", " not", " what", " i", " you"} {
			phrases = append(phrases, Phrase{head + tail, Word})
		}
	}
	benchmark(b, phrases, 1<<20)
}

// BenchmarkRegexp is what the same lexicon costs with the standard library.
func BenchmarkRegexp(b *testing.B) {
	re := regexp.MustCompile(`(?i)\b(revert|stop|wrong|don'?t|why did you|no that'?s|undo|that'?s not|nope)\b`)
	text := prose(64 << 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		re.FindAllIndex(text, -1)
	}
}
