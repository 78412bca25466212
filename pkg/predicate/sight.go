package predicate

import (
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"retro/pkg/record"
)

// Sight notes what a project sees of the file system when it follows the names
// that agents wrote: see [Project.Watched]. From its places a [Ground] tells
// later whether the same names would lead to the same paths.
//
// What a name leads to depends on links alone: a name that is none, be it a
// directory, a file or nothing at all, stands for itself. So a Sight keeps the
// directories and the links that it came through, and of the names at which it
// came to an end a hash: many were never names of anything but words of a
// command.
type Sight struct {
	dirs  map[string]*seenDir
	links map[string]string
	lost  bool // something cannot be told later
}

// seenDir is a directory that is reached without a link.
type seenDir struct {
	last, through map[uint32]struct{}
	repository    *bool
}

// Place is what was seen at one path.
type Place struct {
	// Path is a directory or a link, reached without another link.
	Path string `json:"path"`
	// Link is a hash of where a link leads; empty for a directory.
	Link string `json:"link,omitempty"`
	// Repository tells whether there was a `.git`; absent when nobody looked.
	Repository *bool `json:"repository,omitempty"`
	// Last are hashes of names in the directory that were no directories, and
	// Through of those that would have had to be.
	Last    []uint32 `json:"last,omitempty"`
	Through []uint32 `json:"through,omitempty"`
}

// Watched is the same project, which notes in s what it sees; a nil s notes
// nothing.
func (p *Project) Watched(s *Sight) *Project {
	if s == nil || p.Files == nil {
		return p
	}
	own := *p
	own.sight = s
	// Noted first: a change in between is one that is noticed later.
	s.follow(p.Root)
	own.real = realPath(p.Root)
	return &own
}

// follow notes what there is on an absolute path. When that is a directory, its
// path without links is returned.
func (s *Sight) follow(abs string) (dir string, found bool) {
	if s == nil {
		return "", false
	}
	if !path.IsAbs(abs) || runtime.GOOS == "windows" {
		s.lost = true // depends on the working directory, or on more than links
		return "", false
	}
	dir = "/"
	for rest := strings.Trim(path.Clean(abs), "/"); rest != ""; {
		name, more, _ := strings.Cut(rest, "/")
		child := path.Join(dir, name)
		if s.dirs[child] == nil {
			names := s.at(dir).names(more != "")
			key := nameKey(name)
			if _, again := names[key]; again {
				return "", false
			}
			info, err := os.Lstat(child)
			switch {
			case err == nil && info.Mode()&fs.ModeSymlink != 0:
				return s.followLink(child, more)
			case err != nil || !info.IsDir():
				names[key] = struct{}{}
				return "", false
			}
			s.at(child)
		}
		dir, rest = child, more
	}
	return dir, true
}

func (s *Sight) followLink(link, rest string) (dir string, found bool) {
	to, err := filepath.EvalSymlinks(link)
	if s.links == nil {
		s.links = make(map[string]string)
	}
	if _, again := s.links[link]; !again {
		s.links[link] = leadsTo(to, err)
	}
	if err != nil {
		return "", false
	}
	return s.follow(path.Join(slashed(to), rest))
}

// leadsTo is a hash of where a link leads.
func leadsTo(to string, err error) string {
	if err != nil {
		return "nowhere"
	}
	return record.HashOf(16, to).String()
}

func (s *Sight) at(dir string) *seenDir {
	d := s.dirs[dir]
	if d == nil {
		if s.dirs == nil {
			s.dirs = make(map[string]*seenDir)
		}
		d = new(seenDir)
		s.dirs[dir] = d
	}
	return d
}

func (d *seenDir) names(through bool) map[uint32]struct{} {
	names := &d.last
	if through {
		names = &d.through
	}
	if *names == nil {
		*names = make(map[uint32]struct{})
	}
	return *names
}

// repository notes whether there is a `.git` in a directory on a path that has
// been followed.
func (s *Sight) repository(dir string) {
	if dir, found := s.follow(dir); found {
		if d := s.at(dir); d.repository == nil {
			_, err := os.Lstat(path.Join(dir, ".git"))
			there := err == nil
			d.repository = &there
		}
	}
}

// nameKey is a hash of a name that is the same for all names that some file
// system takes for the same: there are such that know no case, and one that
// knows several forms of one letter.
func nameKey(name string) uint32 {
	if runtime.GOOS != "linux" && strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) >= 0 {
		name = "\x80"
	}
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(name)))
	return h.Sum32()
}

// Places lists what was seen, in the order of the paths; false when something
// was seen that cannot be told later. Directories on the way to others are
// left out.
func (s *Sight) Places() (places []Place, ok bool) {
	onTheWay := make(map[string]bool)
	for dir := range s.dirs {
		onTheWay[path.Dir(dir)] = true
	}
	for dir, d := range s.dirs {
		if len(d.last)+len(d.through) > 0 || d.repository != nil || !onTheWay[dir] {
			places = append(places, Place{Path: dir, Repository: d.repository, Last: sortedKeys(d.last), Through: sortedKeys(d.through)})
		}
	}
	for link, to := range s.links {
		places = append(places, Place{Path: link, Link: to})
	}
	slices.SortFunc(places, func(a, b Place) int { return strings.Compare(a.Path, b.Path) })
	return places, !s.lost
}

func sortedKeys(names map[uint32]struct{}) []uint32 {
	var out []uint32
	for key := range names {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// Ground is the file system as one run finds it. It looks at every place once,
// and may be used by several goroutines. The zero value is ready.
type Ground struct {
	mu    sync.Mutex
	kinds map[string]fs.FileMode
	lists map[string]*listing
}

// listing are the names in a directory that are no plain files, as hashes.
type listing struct {
	dirs, links []uint32
	err         error
}

// nothing is the kind of what is not there.
const nothing = fs.ModeIrregular

// Same tells whether everything that was seen would be seen again.
func (g *Ground) Same(places []Place) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !slices.ContainsFunc(places, func(p Place) bool { return !g.same(&p) })
}

func (g *Ground) same(p *Place) bool {
	if p.Link != "" {
		to, err := filepath.EvalSymlinks(p.Path)
		return leadsTo(to, err) == p.Link
	}
	there, linked := g.reach(p.Path)
	switch {
	case linked:
		return false
	case p.Repository != nil && *p.Repository != (there && g.kind(path.Join(p.Path, ".git")) != nothing):
		return false
	case !there || len(p.Last)+len(p.Through) == 0:
		return true
	}
	list := g.list(p.Path)
	for _, key := range list.links {
		if listed(p.Last, key) || listed(p.Through, key) {
			return false
		}
	}
	// What would have had to be a directory and has become one may hold links.
	return list.err == nil && !slices.ContainsFunc(list.dirs, func(key uint32) bool { return listed(p.Through, key) })
}

func listed(sorted []uint32, key uint32) bool {
	_, found := slices.BinarySearch(sorted, key)
	return found
}

// reach tells whether a path is a directory, and whether there is a link on the
// way to it or at its end.
func (g *Ground) reach(dir string) (there, linked bool) {
	if dir != "/" {
		if there, linked = g.reach(path.Dir(dir)); linked || !there {
			return false, linked
		}
	}
	kind := g.kind(dir)
	return kind == fs.ModeDir, kind == fs.ModeSymlink
}

func (g *Ground) kind(path string) fs.FileMode {
	kind, known := g.kinds[path]
	if !known {
		kind = nothing
		if info, err := os.Lstat(path); err == nil {
			kind = info.Mode().Type()
		}
		if g.kinds == nil {
			g.kinds = make(map[string]fs.FileMode)
		}
		g.kinds[path] = kind
	}
	return kind
}

func (g *Ground) list(dir string) *listing {
	l := g.lists[dir]
	if l != nil {
		return l
	}
	l = new(listing)
	entries, err := os.ReadDir(dir)
	l.err = err
	for _, e := range entries {
		switch e.Type() {
		case fs.ModeSymlink:
			l.links = append(l.links, nameKey(e.Name()))
		case fs.ModeDir:
			l.dirs = append(l.dirs, nameKey(e.Name()))
		}
	}
	if g.lists == nil {
		g.lists = make(map[string]*listing)
	}
	g.lists[dir] = l
	return l
}
