package episode

import (
	"testing"
	"testing/fstest"

	"retro/pkg/record"
)

func TestArchives(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	a := readArchives(fstest.MapFS{
		"2026-01-01-a/tasks.md": file("# Tasks\n- [x] edit `./src/a.go` and `src/a.go`\n  - [X] run `go test ./...` `https://x/y` `--flag/x`\n- [x] see `README.md`, `.md`, `word`\n- [ ] `main.rs`\n## Review Fixes\n"),
		"2026-01-02-b/notes.md": file("`src/a.go`"),
		"README.md":             file("- [x] no change"),
	})
	if a.ArchivedChanges != 2 || a.MeanTasksPerChange != 2 || *a.ReviewFixes.Rate != 0.5 || *a.Incomplete.Rate != 0.5 {
		t.Errorf("got %+v", a)
	}
	want := []record.PathCount{{Path: "src/a.go", Changes: 1}, {Path: "README.md", Changes: 1}, {Path: "main.rs", Changes: 1}}
	if len(a.MostReferenced) != len(want) {
		t.Fatalf("got %v, want %v", a.MostReferenced, want)
	}
	for i := range want {
		if a.MostReferenced[i] != want[i] {
			t.Errorf("got %v, want %v", a.MostReferenced[i], want[i])
		}
	}
	if readArchives(fstest.MapFS{}) != nil {
		t.Error("an empty archive has figures")
	}
}
