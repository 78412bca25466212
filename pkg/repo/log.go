package repo

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Commit is a commit as the log shows it.
type Commit struct {
	// Hash is the full object id.
	Hash string
	// Time is when it was committed, to the second, in UTC.
	Time time.Time
	// Subject is the first paragraph of the message on one line. It is free
	// text: it must not get into a record.
	Subject string
	// Files are the paths that it changed, relative to the root of the
	// repository, as bytes. A renamed file has its new path only.
	Files []string
}

// History is what HEAD could reach when it was read, back to a time.
type History struct{ commits []logged }

// logged is a commit of a history, which knows merges too.
type logged struct {
	Commit
	merge bool
}

// Between lists the commits that `git log --since` names for a time that is not
// before that of the history, newest first, without merges and from the first
// one on that is not newer than until. So it depends on the two times and the
// repository alone, not on how much further back the history reaches.
//
// Git walks from HEAD to parents, always on from the newest commit that it
// knows, and not on from one that is too old. What it would name is therefore
// what it names before the first commit that is older than since: behind that,
// all it has left to walk on from is too old. Commits behind it may well be
// newer, where clocks were wrong; git does not name them either.
func (h *History) Between(since, until time.Time) []Commit {
	var out []Commit
	for _, c := range h.commits {
		if c.Time.Before(since.Truncate(time.Second)) {
			break
		}
		if !c.merge && (len(out) > 0 || !c.Time.After(until)) {
			out = append(out, c.Commit)
		}
	}
	return out
}

// Log reads the history of the worktree at dir back to a time. A repository
// without commits has an empty one.
func (g *Git) Log(ctx context.Context, dir string, since time.Time) (*History, error) {
	if _, err := g.read(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); exitOf(err) == 1 {
		return new(History), nil
	} else if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, dir, "log", "-z", "--name-only", "--find-renames", "--no-ext-diff",
		"--ignore-submodules=none", "--no-mailmap", "--no-notes", "--no-decorate",
		"--since="+since.UTC().Format(time.RFC3339), "--format="+logFormat, "HEAD", "--")
	if err != nil {
		return nil, err
	}
	commits, err := parseLog(string(out))
	if err != nil {
		return nil, err
	}
	return &History{commits}, nil
}

// logFormat is a commit as fields that begin and end with a NUL byte; the
// files follow, the first with a line end before it.
const logFormat = "%x00%H%x00%P%x00%ct%x00%s%x00"

var errLogForm = errors.New("git log: output not understood")

// parseLog reads the output of Log.
func parseLog(out string) ([]logged, error) {
	var commits []logged
	for out != "" {
		head := strings.SplitN(out, "\x00", 7)
		if len(head) < 7 || head[0] != "" {
			return nil, errLogForm
		}
		seconds, err := strconv.ParseInt(head[3], 10, 64)
		if err != nil {
			return nil, errLogForm
		}
		c := logged{Commit{Hash: head[1], Time: time.Unix(seconds, 0).UTC(), Subject: head[4]}, strings.Contains(head[2], " ")}
		c.Files, out = cutFiles(head[6])
		commits = append(commits, c)
	}
	return commits, nil
}

// cutFiles takes the NUL-terminated names that follow a commit's fields; an
// empty name ends them, since it is the first byte of the next commit.
func cutFiles(out string) (files []string, rest string) {
	out, found := strings.CutPrefix(out, "\n")
	if !found {
		return nil, out
	}
	for out != "" && out[0] != 0 {
		name, after, _ := strings.Cut(out, "\x00")
		files, out = append(files, name), after
	}
	return files, out
}
