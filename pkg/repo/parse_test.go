package repo

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseWorktrees(t *testing.T) {
	const out = "worktree /main\x00HEAD 1111\x00branch refs/heads/main\x00\x00" +
		"worktree /with\nline end\x00HEAD 2222\x00detached\x00locked because of\nthis\x00\x00" +
		"worktree /gone\x00HEAD 3333\x00branch refs/heads/a b\x00something new\x00locked\x00prunable gitdir file points to non-existent location\x00\x00" +
		"worktree /bare\x00bare\x00\x00"
	want := []worktree{
		{path: "/main", head: "1111", branch: "refs/heads/main"},
		{path: "/with\nline end", head: "2222", detached: true, locked: true},
		{path: "/gone", head: "3333", branch: "refs/heads/a b", locked: true, prunable: true},
		{path: "/bare", bare: true},
	}
	if got := parseWorktrees(out); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseMerges(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	out := "1\x00" + a + "\x00\x000\x00" + b + "\x00100644 " + a + " 1\t1\x00100644 " + b + " 2\t" + a + "\x00\x00" + "1\x00" + b + "\x00\x00"
	want := []mergeResult{{a, true, true}, {b, false, true}, {b, true, true}}
	if got := parseMerges(out, 40); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestScanPatches(t *testing.T) {
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	ids := make(map[string]patchID)
	text := func(oid, at, index, added string) string {
		return oid + "\ndiff --git a/x b/x\nindex " + index + "\n--- a/x\n+++ b/x\n@@ -" + at + " +" + at + " @@\n-old\n+" + added + "\n"
	}
	in := text(a, "1", "1..2", "new") + text(b, "7", "3..4", "new") + text(c, "1", "1..2", "new ") + "\\ No newline at end of file\n"
	if err := scanPatches(strings.NewReader(in), 40, ids); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 3 || ids[a] != ids[b] || ids[a] == ids[c] {
		t.Errorf("got %x", ids)
	}
	binary := func(oid, index string) string {
		return oid + "\ndiff --git a/x b/x\nindex " + index + "\nBinary files a/x and b/x differ\n"
	}
	if err := scanPatches(strings.NewReader(binary(a, "1..2")+binary(b, "1..3")), 40, ids); err != nil {
		t.Fatal(err)
	}
	if ids[a] == ids[b] {
		t.Error("two changes of a binary file are one")
	}
}

// Whatever git prints, or another version of it, is read without a fault of
// our own.
func FuzzGitOutput(f *testing.F) {
	f.Add("worktree /a\x00HEAD 1\x00locked x\x00\x00bare\x00")
	f.Add("1\x00aaaaaaaa\x00\x000\x00bbbbbbbb\x00100644 x\x00\x00")
	f.Add("\x00aaaaaaaa\x00bbbbbbbb cccccccc\x00\x00\na\x00b\x00\x00bbbbbbbb\x00aaaaaaaa\x00\x00")
	f.Add("aaaaaaaa\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\nbbbbbbbb\n")
	f.Add("tree aaaaaaaa\nparent b\ncommitter A <a@b> 12 +0000\n\ntext")
	f.Fuzz(func(t *testing.T, out string) {
		if got := len(parseWorktrees(out)); got > strings.Count(out, "worktree") {
			t.Errorf("%d worktrees", got)
		}
		if got := len(parseMerges(out, 8)); got*2 > strings.Count(out, "\x00")+1 {
			t.Errorf("%d merges", got)
		}
		ids := make(map[string]patchID)
		if err := scanPatches(strings.NewReader(out), 8, ids); err != nil || len(ids) > strings.Count(out, "\n") {
			t.Errorf("%d patches, %v", len(ids), err)
		}
		parseCommit(out)
		if h, err := parseHistory(out, "aaaaaaaa"); err == nil {
			h.covering(&candidate{since: h.since("bbbbbbbb"), paths: []string{"a"}}, 3)
			workOf(map[string][]string{"aaaaaaaa": {"bbbbbbbb", "aaaaaaaa"}}, "aaaaaaaa")
		}
	})
}
