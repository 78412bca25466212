package predicate

import (
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestSight changes a file system at random: whenever a name leads elsewhere
// than before, the places that were seen must tell.
func TestSight(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is seen there is not noted")
	}
	rng := rand.New(rand.NewPCG(4, 2))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	name := func() string {
		parts := []string{dir}
		for range 1 + rng.IntN(4) {
			parts = append(parts, []string{"root", "a", "a", "b", "src", ".git"}[rng.IntN(6)])
		}
		return filepath.Join(parts...)
	}
	change := func() {
		path := name()
		switch rng.IntN(6) {
		case 0:
			os.RemoveAll(path)
		case 1:
			os.WriteFile(path, nil, 0o600)
		case 2:
			os.RemoveAll(path)
			os.Symlink(name(), path)
		case 3:
			os.RemoveAll(path)
			os.Symlink("../"+filepath.Base(name()), path)
		default:
			os.MkdirAll(path, 0o700)
		}
	}
	kept, told := 0, 0
	for round := range 100 {
		if round%10 == 0 { // else there is little left but links in circles
			os.RemoveAll(filepath.Join(dir, "a"))
			os.RemoveAll(filepath.Join(dir, "b"))
			os.RemoveAll(root)
			os.MkdirAll(filepath.Join(root, "a/src"), 0o700)
			os.MkdirAll(filepath.Join(dir, "a/b/src/.git"), 0o700)
		}
		change()
		var names []string
		for range 1 + rng.IntN(12) {
			names = append(names, name())
		}
		results := func(s *Sight) (out []string) {
			p := NewProject(root, os.DirFS(root), DefaultSettings()).Watched(s)
			for _, n := range names {
				out = append(out, p.Path("", n).String(), p.codePath("", n))
				if got, want := realPath(n), slowRealPath(n); got != want {
					t.Fatalf("%s leads to %s, want %s", n, got, want)
				}
			}
			return out
		}
		sight := new(Sight)
		before := results(sight)
		places, ok := sight.Places()
		if !ok || !new(Ground).Same(places) {
			t.Fatalf("nothing changed, but %+v is not the same", places)
		}
		for range 1 + rng.IntN(3) {
			change()
		}
		same := new(Ground).Same(places)
		if after := results(nil); !slices.Equal(after, before) {
			told++
			if same {
				t.Fatalf("%q led to %q and leads to %q, and nobody noticed: %+v", names, before, after, places)
			}
		} else if same {
			kept++
		}
	}
	if told < 3 || kept < 20 {
		t.Errorf("%d times a name led elsewhere, %d times all was the same: too few to tell", told, kept)
	}
}

// slowRealPath is the judge of realPath.
func slowRealPath(abs string) string {
	for dir, rest := abs, ""; ; dir, rest = path.Dir(dir), path.Join(path.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return path.Join(real, rest)
		}
	}
}

func TestSightKnowsWhatMatters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is seen there is not noted")
	}
	const dir, file = "dir", "file"
	tests := []struct {
		before []string // path, what is there: a directory, a file or the target of a link
		name   string   // looked up; with a slash at the end, for the repository that it is in
		after  []string // "" takes it away
		same   bool
	}{
		{nil, "x", []string{"x", file}, true},
		{nil, "x", []string{"x", dir}, true},
		{nil, "x", []string{"x", "nowhere"}, false},
		{nil, "x", []string{"y", "nowhere", "z", dir}, true},
		{nil, "x/y", []string{"x", dir}, false}, // there may be links in it
		{nil, "x/y", []string{"x", file}, true},
		{nil, "x/y", []string{"z", dir}, true},
		{[]string{"x", file}, "x/y", []string{"x", "."}, false},
		{[]string{"x", dir}, "x", []string{"x", ""}, true},
		{[]string{"x", dir}, "x", []string{"x", "."}, false},
		{[]string{"x", dir}, "x/y", []string{"x", ""}, true},
		{[]string{"x", dir}, "x/y", []string{"x/y", "."}, false},
		{[]string{"x/y", dir}, "x/y/z", []string{"x", "."}, false},
		{[]string{"x", "a", "a", dir, "b", dir}, "x/y", []string{"x", "b"}, false},
		{[]string{"x", "a", "a", dir}, "x/y", []string{"x", ""}, false},
		{[]string{"x", "a", "a", dir}, "x/y", []string{"a/y", "."}, false},
		{[]string{"x", "a", "a", dir}, "x/y", []string{"a/z", "."}, true},
		{[]string{"x", "a"}, "x/y", []string{"a", dir}, false},
		{[]string{"x", "a"}, "x/y", []string{"b", dir}, true},
		{[]string{"x", dir}, "../x/y/", []string{"../x", dir}, false},
		{[]string{"../x", dir}, "../x/y/", []string{"../x/.git", dir}, false},
		{[]string{"../x", dir}, "../x/y/", []string{"../.git", file}, false},
		{[]string{"../x/.git", dir}, "../x/y/", []string{"../x/.git", ""}, false},
		{[]string{"../x/.git", dir}, "../x/y/", []string{"../x", ""}, false},
		{[]string{"../x/.git", dir}, "../x/y/", []string{"../.git", file, "../x/z", file}, true},
	}
	for _, test := range tests {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(base, "root")
		build := func(things []string) {
			for i := 0; i < len(things); i += 2 {
				path, what := filepath.Join(root, things[i]), things[i+1]
				os.RemoveAll(path)
				os.MkdirAll(filepath.Dir(path), 0o700)
				switch what {
				case "":
				case dir:
					err = os.MkdirAll(path, 0o700)
				case file:
					err = os.WriteFile(path, nil, 0o600)
				default:
					err = os.Symlink(what, path)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		build([]string{"kept", dir})
		build(test.before)
		s := new(Sight)
		p := NewProject(root, os.DirFS(root), DefaultSettings()).Watched(s)
		if name, ok := strings.CutSuffix(test.name, "/"); ok {
			p.codePath(root, name)
		} else {
			p.Path(root, name)
		}
		places, _ := s.Places()
		build(test.after)
		if got := new(Ground).Same(places); got != test.same {
			t.Errorf("%q, %s looked up, %q: same is %v, want %v (%+v)", test.before, test.name, test.after, got, test.same, places)
		}
	}
}

// TestPlacesHoldNoWords looks up words of a command that are no paths.
func TestPlacesHoldNoWords(t *testing.T) {
	root := t.TempDir()
	s := new(Sight)
	p := NewProject(root, os.DirFS(root), DefaultSettings()).Watched(s)
	for _, word := range []string{"SENTINEL", "SENTINEL/SENTINEL", "/SENTINEL/x", root + "/a/SENTINEL", "Bearer SENTINEL"} {
		p.Path("", word)
		p.codePath("/", word)
	}
	places, ok := s.Places()
	if !ok || len(places) == 0 {
		t.Fatalf("got %+v, %v", places, ok)
	}
	for _, place := range places {
		if strings.Contains(place.Path, "SENTINEL") {
			t.Errorf("got %+v", place)
		}
	}
	if p.Path("relative", "x"); !s.lost {
		t.Error("a path that depends on the working directory was noted")
	}
}
