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

// Log lists the commits that HEAD of the worktree at dir can reach and that
// are not older than since, newest first, without merges. A repository
// without commits has an empty log.
func (g *Git) Log(ctx context.Context, dir string, since time.Time) ([]Commit, error) {
	if _, err := g.read(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); exitOf(err) == 1 {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, dir, "log", "-z", "--no-merges", "--name-only", "--find-renames", "--no-ext-diff",
		"--ignore-submodules=none", "--no-mailmap", "--no-notes", "--no-decorate",
		"--since="+since.UTC().Format(time.RFC3339), "--format="+logFormat, "HEAD", "--")
	if err != nil {
		return nil, err
	}
	return parseLog(string(out))
}

// logFormat is a commit as fields that begin and end with a NUL byte; the
// files follow, the first with a line end before it.
const logFormat = "%x00%H%x00%ct%x00%s%x00"

var errLogForm = errors.New("git log: output not understood")

// parseLog reads the output of Log.
func parseLog(out string) ([]Commit, error) {
	var commits []Commit
	for out != "" {
		head := strings.SplitN(out, "\x00", 6)
		if len(head) < 6 || head[0] != "" {
			return nil, errLogForm
		}
		seconds, err := strconv.ParseInt(head[2], 10, 64)
		if err != nil {
			return nil, errLogForm
		}
		c := Commit{Hash: head[1], Time: time.Unix(seconds, 0).UTC(), Subject: head[3]}
		c.Files, out = cutFiles(head[5])
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
