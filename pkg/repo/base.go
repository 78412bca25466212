package repo

import (
	"context"
	"slices"
	"strings"
)

// base is what the branches are compared with.
type base struct {
	name   string // full ref name, or the object id when it is no ref
	oid    string
	remote string // the remote it comes from, "" when it is local
	// defaults are the names that a default branch has here, without prefix:
	// none of these is ever a leftover, on any remote.
	defaults []string
}

// findBase takes the base that the caller names, else what origin/HEAD points
// to, else origin/main. Other names are not guessed: a stale `master` would
// make a wrong base that looks right. A zero base means there is none.
func (r *Repository) findBase(ctx context.Context, named string, refs []ref, remotes []remote) base {
	b := base{defaults: defaultNames(refs, remotes)}
	if named != "" {
		b.name, b.oid = r.resolve(ctx, named)
	} else {
		b.name, b.oid = originBase(refs)
	}
	if remote, branch, ok := origin(remotes, b.name); ok {
		b.remote = remote
		b.defaults = append(b.defaults, strings.TrimPrefix(branch, headsPrefix))
	} else if short, ok := strings.CutPrefix(b.name, headsPrefix); ok {
		b.defaults = append(b.defaults, short)
	}
	return b
}

// originBase is the base that origin names. A HEAD that points to a branch which
// is gone (as after main was renamed there) counts for nothing.
func originBase(refs []ref) (name, oid string) {
	const head, main = remotesPrefix + "origin/HEAD", remotesPrefix + "origin/main"
	target := main
	if at := slices.IndexFunc(refs, func(r ref) bool { return r.name == head }); at >= 0 && refs[at].symref != "" {
		target = refs[at].symref
	}
	for _, want := range []string{target, main} {
		for _, r := range refs {
			if r.name == want && r.symref == "" {
				return r.name, r.oid
			}
		}
	}
	return "", ""
}

// defaultNames are the branch names that the HEAD of a remote points to.
func defaultNames(refs []ref, remotes []remote) []string {
	var names []string
	for _, r := range refs {
		if r.symref == "" {
			continue
		}
		if _, branch, ok := origin(remotes, r.symref); ok {
			names = append(names, strings.TrimPrefix(branch, headsPrefix))
		}
	}
	return names
}

// resolve finds a base by the name a person gives it: as git resolves it, else
// as a branch of origin.
func (r *Repository) resolve(ctx context.Context, named string) (name, oid string) {
	for _, candidate := range []string{named, remotesPrefix + "origin/" + named} {
		out, err := r.git.read(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", candidate+"^{commit}")
		if err != nil {
			continue
		}
		oid = line(out)
		full, err := r.git.read(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", candidate)
		if name = line(full); err != nil || !strings.HasPrefix(name, "refs/") {
			name = oid
		}
		return name, oid
	}
	return "", ""
}
