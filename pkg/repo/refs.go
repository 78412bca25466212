package repo

import (
	"context"
	"path"
	"strings"
)

const (
	headsPrefix   = "refs/heads/"
	remotesPrefix = "refs/remotes/"
)

// ref is one branch: a local one or a remote-tracking one.
type ref struct {
	name     string // full
	oid      string
	upstream string // full name of the tracking ref that the configuration names; it need not exist
	symref   string // full name of the ref it stands for, as origin/HEAD does
}

func (r *ref) local() bool { return strings.HasPrefix(r.name, headsPrefix) }

// refs lists the branches in the order of their names. Nothing in the format
// reads an object, so one damaged branch does not hide the others; nor does it
// ask for [gone], which walks the history of every branch.
func (r *Repository) refs(ctx context.Context) ([]ref, error) {
	out, err := r.git.read(ctx, r.Root, "for-each-ref",
		"--format=%(refname)%00%(objectname)%00%(upstream)%00%(symref)%00", headsPrefix, remotesPrefix)
	if err != nil {
		return nil, err
	}
	var refs []ref
	values := strings.Split(string(out), "\x00")
	for ; len(values) > 4; values = values[4:] {
		refs = append(refs, ref{
			name:     strings.TrimPrefix(values[0], "\n"), // the end of the line before
			oid:      values[1],
			upstream: values[2],
			symref:   values[3],
		})
	}
	return refs, nil
}

// remote is a configured remote.
type remote struct {
	name  string
	fetch []string // refspecs
}

// remotes reads the configured remotes, in their order.
func (r *Repository) remotes(ctx context.Context) ([]remote, error) {
	out, err := r.git.read(ctx, r.Root, "config", "-z", "--get-regexp", `^remote\..*\.(url|fetch)$`)
	if exitOf(err) == 1 {
		return nil, nil // none
	}
	if err != nil {
		return nil, err
	}
	var remotes []remote
	for _, entry := range fields(out) {
		key, value, _ := strings.Cut(entry, "\n")
		name := strings.TrimPrefix(key[:strings.LastIndexByte(key, '.')], "remote.")
		if len(remotes) == 0 || remotes[len(remotes)-1].name != name {
			remotes = append(remotes, remote{name: name})
		}
		if strings.HasSuffix(key, ".fetch") {
			last := &remotes[len(remotes)-1]
			last.fetch = append(last.fetch, value)
		}
	}
	return remotes, nil
}

// origin is where a remote-tracking ref comes from: the remote and the name of
// the branch there. False when no configured remote fetches into that ref.
func origin(remotes []remote, tracking string) (name, branch string, ok bool) {
	for _, m := range remotes {
		for _, spec := range m.fetch {
			src, dst, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
			if branch, ok := unmapped(tracking, src, dst); ok {
				return m.name, branch, true
			}
		}
	}
	return "", "", false
}

// unmapped goes a refspec backwards: what of src becomes the ref in dst.
func unmapped(tracking, src, dst string) (string, bool) {
	before, after, glob := strings.Cut(dst, "*")
	if !glob {
		return src, dst == tracking && dst != ""
	}
	middle, ok := strings.CutPrefix(tracking, before)
	if !ok || len(middle) <= len(after) || !strings.HasSuffix(middle, after) {
		return "", false
	}
	return strings.Replace(src, "*", strings.TrimSuffix(middle, after), 1), true
}

// kept tells whether a branch name matches one of the patterns of names that
// are never leftovers.
func kept(patterns []string, short string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, short); ok && err == nil {
			return true
		}
	}
	return false
}
