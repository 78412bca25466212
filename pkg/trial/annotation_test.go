package trial

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const comment10 = "<!-- trial start=2026-07-14 source=abc-1#m_2 review-after=10-sessions -->"

func TestParse(t *testing.T) {
	tests := []struct{ line, text, note string }{
		{"3. Run the tests. " + comment10, "3. Run the tests.", comment10},
		{"3. Run the tests." + comment10, "3. Run the tests.", comment10},
		{"3. Run the tests.  \t" + comment10 + " \r", "3. Run the tests.", comment10},
		{"  3. X <!--trial review-after=2-days  source=s start=2026-07-14T12:00:00Z-->", "  3. X",
			"<!-- trial start=2026-07-14T12:00:00Z source=s review-after=2-days -->"},
		{"4. See `" + comment10 + "` first " + comment10, "4. See `" + comment10 + "` first", comment10},
		{"4. Ein <b>Über</b> <!-- note --> " + comment10, "4. Ein <b>Über</b> <!-- note -->", comment10},
	}
	for _, test := range tests {
		text, a, err := Parse(test.line)
		if err != nil || text != test.text || a.String() != test.note {
			t.Errorf("Parse(%q) = %q, %s, %v; want %q, %s", test.line, text, a, err, test.text, test.note)
		}
	}
}

// permanent are lines that no call may change or name.
var permanent = []string{
	"", " ", "3. Run the tests.", "- bullet", "3. X <!-- note -->", "3. X <!-- trials start=1 -->",
	"3. X <!--  trial start=2026-07-14 source=a#b review-after=1-days -->", // two spaces
	"3. X <!-- Trial start=2026-07-14 source=a#b review-after=1-days -->",
	"3. X " + comment10 + " tail", "3. See `" + comment10 + "`", "3. X <!-- trial start=2026-07-14 >-->",
	"3. X <!-- trial", "-->", "<!---->", "<!-->", "3. X -->", "\xff\xfe", comment10 + "\u00a0",
}

func TestPermanentLines(t *testing.T) {
	for _, line := range permanent {
		if _, _, err := Parse(line); !errors.Is(err, ErrPermanent) {
			t.Errorf("Parse(%q): %v, want ErrPermanent", line, err)
		}
		if got, err := Strip(line); got != line || err != nil {
			t.Errorf("Strip(%q) = %q, %v", line, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ body, want string }{
		{"start=2026-07-14 source=a#b", "without review-after"},
		{"", "without start"},
		{"start=* source=a#b review-after=10-sessions", "start must be"},
		{"start=yesterday source=a#b review-after=10-sessions", "start must be"},
		{"start=2026-7-3 source=a#b review-after=10-sessions", "start must be"},
		{"start=2026-02-30 source=a#b review-after=10-sessions", "start must be"},
		{"start= source=a#b review-after=10-sessions", "start must be"},
		{"start=2026-07-14T12:00:00.5Z source=a#b review-after=10-sessions", "start must be"},
		{"start=2026-07-14 source=a/b#c review-after=10-sessions", "source must be"},
		{"start=2026-07-14 source=a#$(id) review-after=10-sessions", "source must be"},
		{"start=2026-07-14 source=#c review-after=10-sessions", "source must be"},
		{"start=2026-07-14 source=a# review-after=10-sessions", "source must be"},
		{"start=2026-07-14 source=a#b review-after=0-days", "bad review-after"},
		{"start=2026-07-14 source=a#b review-after=010-days", "bad review-after"},
		{"start=2026-07-14 source=a#b review-after=-1-days", "review-after must be"},
		{"start=2026-07-14 source=a#b review-after=10000-days", "bad review-after"},
		{"start=2026-07-14 source=a#b review-after=10-weeks", "review-after must be"},
		{"start=2026-07-14 source=a#b review-after=10", "review-after must be"},
		{"start=2026-07-14 start=2026-07-15 source=a#b review-after=10-days", "a key twice"},
		{"start=2026-07-14 source=a#b review-after=10-days owner=me", "unknown key"},
		{"start=2026-07-14 source=a#b review-after=10-days maybe", "no key=value"},
		{"start=2026-07-14\u00a0source=a#b review-after=10-days", "start must be"},
	}
	for _, test := range tests {
		line := "3. X <!-- trial " + test.body + " -->"
		_, _, err := Parse(line)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q): %v, want %q", line, err, test.want)
		}
		if got, err := Strip(line); got != "3. X" || err != nil {
			t.Errorf("Strip(%q) = %q, %v", line, got, err)
		}
	}
	twice := "3. X " + comment10 + " " + comment10
	if _, _, err := Parse(twice); !errors.Is(err, errTwice) {
		t.Errorf("two annotations: %v", err)
	}
	if got, err := Strip(twice); got != twice || !errors.Is(err, errTwice) {
		t.Errorf("two annotations stripped: %q, %v", got, err)
	}
	if _, _, err := Parse(" " + comment10); err == nil || errors.Is(err, ErrPermanent) {
		t.Errorf("annotation without a directive: %v", err)
	}
}

func TestAnnotateReplaces(t *testing.T) {
	_, old, _ := Parse("1. X " + comment10)
	_, a, err := Parse("1. X <!-- trial start=2026-08-01 source=s#na review-after=5-days -->")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"1. X", "1. X " + old.String(), "1. X <!-- trial nonsense -->"} {
		if got, err := Annotate(line, a); err != nil || got != "1. X "+a.String() {
			t.Errorf("Annotate(%q) = %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", " \t", "a\nb", comment10} {
		if got, err := Annotate(line, a); err == nil {
			t.Errorf("Annotate(%q) = %q, want an error", line, got)
		}
	}
}

// FuzzAnnotation holds the two promises: annotate then strip gives the line
// back, and a line without annotation is never changed.
func FuzzAnnotation(f *testing.F) {
	for _, line := range permanent {
		f.Add(line)
	}
	f.Add("1. X " + comment10)
	f.Add("1. X " + comment10 + comment10 + "\r")
	f.Add("1. X \r\r")
	_, a, _ := Parse("1. X " + comment10)
	f.Fuzz(func(t *testing.T, line string) {
		bare, stripErr := Strip(line)
		text, note, err := Parse(line)
		if errors.Is(err, ErrPermanent) && (bare != line || stripErr != nil) {
			t.Fatalf("Strip(%q) = %q, %v", line, bare, stripErr)
		}
		if err == nil {
			again, noteAgain, err := Parse(text + " " + note.String())
			if err != nil || again != text || noteAgain != note {
				t.Fatalf("%q: parsed again: %q, %v, %v", line, again, noteAgain, err)
			}
		}
		annotated, err := Annotate(line, a)
		if err != nil {
			return
		}
		if back, err := Strip(annotated); back != bare || err != nil {
			t.Fatalf("%q annotated and stripped: %q, %v, want %q", line, back, err, bare)
		}
		if text, got, err := Parse(annotated); err != nil || got != a || text != strings.TrimRight(bare, blank) {
			t.Fatalf("%q annotated and parsed: %q, %v, %v", line, text, got, err)
		}
	})
}

func TestElapsed(t *testing.T) {
	at := func(s string) time.Time {
		moment, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	sessions := []time.Time{at("2026-07-13T23:59:59Z"), at("2026-07-14T00:00:00Z"), at("2026-07-14T12:00:00Z")}
	tests := []struct {
		start, window, today string
		want                 bool
	}{
		{"2026-07-14", "2-sessions", "2026-07-14T00:00:00Z", true},
		{"2026-07-14", "3-sessions", "2026-07-14T00:00:00Z", false},
		{"2026-07-14T00:00:01Z", "2-sessions", "2026-07-14T00:00:00Z", false},
		{"2026-07-14", "1-days", "2026-07-14T23:59:59Z", false},
		{"2026-07-14T23:00:00Z", "1-days", "2026-07-15T00:00:00Z", true},
		{"2026-07-14", "1-days", "2026-07-13T00:00:00Z", false},
	}
	for _, test := range tests {
		start, err := ParseStart(test.start)
		if err != nil {
			t.Fatal(err)
		}
		window, err := ParseWindow(test.window)
		if err != nil {
			t.Fatal(err)
		}
		if got := window.Elapsed(start, sessions, at(test.today)); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
