package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWriteScheduledKeepsTheNewest(t *testing.T) {
	p, err := FindProject(layout(t, map[string]string{".git/HEAD": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	dir := p.StateDir()
	if err := makeDir(dir); err != nil {
		t.Fatal(err)
	}
	others := []string{"scheduled-notes.md", "scheduled-2026-01-01.md", "scheduled.lock", "friction.jsonl", "xscheduled-2026-01-01T000000Z.md"}
	for _, name := range others {
		write(t, filepath.Join(dir, name), "kept")
	}
	write(t, filepath.Join(dir, "scheduled-2026-01-01T000000Z.md.tmp"), "left by a killed writer")
	for n := range 14 {
		write(t, filepath.Join(dir, fmt.Sprintf("scheduled-2026-03-%02dT060000Z.md", n+1)), "old")
	}
	write(t, filepath.Join(dir, "scheduled-2026-03-14T060000Z-7.md"), "old")
	path, err := p.WriteScheduled("2026-03-20T060000Z", 99, []byte("new\n"))
	if err != nil || read(t, path) != "new\n" {
		t.Fatalf("%q, %v", path, err)
	}
	var want []string
	for n := 5; n <= 14; n++ {
		want = append(want, fmt.Sprintf("scheduled-2026-03-%02dT060000Z.md", n))
	}
	want = append(want, "scheduled-2026-03-14T060000Z-7.md", "scheduled-2026-03-20T060000Z.md")
	want = append(want, others...)
	slices.Sort(want)
	if got := namesIn(t, dir); got != strings.Join(want, " ") {
		t.Errorf("got  %s\nwant %s", got, strings.Join(want, " "))
	}

	// A report of the same moment gets another name; one older than all others
	// is not deleted by its own writing.
	path, err = p.WriteScheduled("2026-03-20T060000Z", 99, nil)
	if err != nil || filepath.Base(path) != "scheduled-2026-03-20T060000Z-99.md" {
		t.Errorf("%q, %v", path, err)
	}
	path, err = p.WriteScheduled("1999-12-31T060000Z", 99, nil)
	if err != nil || !exists(path) {
		t.Errorf("%q, %v", path, err)
	}
}

func namesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
