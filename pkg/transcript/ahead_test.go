package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"retro/pkg/ndjson"
)

// TestAheadIsTheSame checks that a file parsed ahead delivers what it delivers
// line by line, damaged and overlong lines included.
func TestAheadIsTheSame(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines,
			user(fmt.Sprintf(`"prompt %d"`, i)),
			assistant(fmt.Sprintf("m%d", i), textBlock+","+strings.ReplaceAll(bashCall, "t1", fmt.Sprintf("t%d", i))),
			user(strings.ReplaceAll(bashResult, "t1", fmt.Sprintf("t%d", i))))
		switch i % 500 {
		case 7:
			lines = append(lines, "", "junk", user(`"cut`)[:30]+user(`"spliced"`))
		case 9:
			lines = append(lines, user(`"`+strings.Repeat("long ", ndjson.MaxHeld/4)+`"`))
		}
	}
	want := trace(t, stream("", lines...))
	for parsers := 1; parsers <= 3; parsers++ {
		s := stream("", lines...)
		s.Pace.Parsers, s.Main.Size = parsers, 16<<20
		if got := trace(t, s); !slices.Equal(got, want) {
			t.Fatalf("with %d parsers: %d events, want %d", parsers, len(got), len(want))
		}
	}
}
