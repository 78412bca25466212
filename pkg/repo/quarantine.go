package repo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// quarantine is a bare repository in a temporary directory that borrows the
// objects of another. What git writes there is gone with it, and what the
// other repository configures (merge drivers, replacements, promises to fetch
// what is missing) has no part in it.
//
// Note: one trace is left. When git is about to write an object that the other
// repository has, it renews the time of that file instead, which only keeps it
// from being pruned as early.
type quarantine struct {
	git *Git
	dir string
	env []string
}

// open makes the quarantine of a repository whose object ids have the given
// length. The caller closes it.
func (r *Repository) quarantine(oidLength int) (*quarantine, error) {
	dir, err := os.MkdirTemp(r.git.tempDir, "retro-git-")
	if err != nil {
		return nil, err
	}
	q := &quarantine{git: r.git, dir: dir, env: []string{
		"GIT_DIR=" + dir, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
	}}
	if err := q.lay(r.CommonDir, oidLength); err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

// close removes what was written.
func (q *quarantine) close() { os.RemoveAll(q.dir) }

// lay writes the files that make the directory a repository.
func (q *quarantine) lay(commonDir string, oidLength int) error {
	for _, dir := range []string{"objects/info", "refs"} {
		if err := os.MkdirAll(filepath.Join(q.dir, dir), 0o700); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if oidLength == 64 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
	}
	files := []struct{ name, text string }{
		{"HEAD", "ref: refs/heads/none\n"},
		{"config", config},
		{"objects/info/alternates", cQuote(filepath.Join(commonDir, "objects")) + "\n"},
	}
	// Without it git takes the cut end of a shallow history for damage.
	if shallow, err := os.ReadFile(filepath.Join(commonDir, "shallow")); err == nil {
		files = append(files, struct{ name, text string }{"shallow", string(shallow)})
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(q.dir, f.name), []byte(f.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// cQuote quotes a path as git reads it in a list of alternates.
func cQuote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\' || c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// read runs git in the quarantine with the lines on stdin.
func (q *quarantine) read(ctx context.Context, lines []string, args ...string) ([]byte, error) {
	return q.git.run(ctx, q.call(lines, args))
}

func (q *quarantine) call(lines, args []string) call {
	stdin := ""
	if len(lines) > 0 {
		stdin = strings.Join(lines, "\n") + "\n"
	}
	return call{dir: q.dir, env: q.env, stdin: strings.NewReader(stdin), args: args}
}

// commit is the head of a commit object.
type commit struct {
	tree string
	time time.Time // when it was committed
}

// commits reads commit objects. What is missing, or no commit, is not in the
// answer.
func (q *quarantine) commits(ctx context.Context, oids []string) (map[string]commit, error) {
	out, err := q.read(ctx, oids, "cat-file", "--batch", "--buffer")
	if err != nil {
		return nil, err
	}
	found := make(map[string]commit)
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		words := strings.Fields(string(head))
		out = rest
		if len(words) != 3 { // "missing" has two
			continue
		}
		size, err := strconv.Atoi(words[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, io.ErrUnexpectedEOF
		}
		if words[1] == "commit" {
			found[words[0]] = parseCommit(string(rest[:size]))
		}
		out = rest[size+1:]
	}
	return found, nil
}

// parseCommit reads the header lines of a commit object.
func parseCommit(object string) (c commit) {
	header, _, _ := strings.Cut(object, "\n\n")
	for _, l := range strings.Split(header, "\n") {
		if tree, ok := strings.CutPrefix(l, "tree "); ok && c.tree == "" {
			c.tree = tree
		}
		if who, ok := strings.CutPrefix(l, "committer "); ok {
			words := strings.Fields(who[strings.LastIndexByte(who, '>')+1:])
			if len(words) > 0 {
				if seconds, err := strconv.ParseInt(words[0], 10, 64); err == nil {
					c.time = time.Unix(seconds, 0)
				}
			}
		}
	}
	return c
}

// mergeResult is the outcome of one trial merge.
type mergeResult struct {
	tree  string
	clean bool
	ok    bool // git could do it at all
}

// mergeChunk is how many trial merges one git process does: few enough that
// the time limit of a call means something.
const mergeChunk = 100

// merge merges pairs of commits without a worktree. A pair that git cannot
// merge (a missing object, unrelated histories) ends its process; the next one
// goes on behind it.
func (q *quarantine) merge(ctx context.Context, pairs [][2]string) ([]mergeResult, error) {
	results := make([]mergeResult, 0, len(pairs))
	for len(results) < len(pairs) {
		chunk := pairs[len(results):min(len(results)+mergeChunk, len(pairs))]
		lines := make([]string, len(chunk))
		for i, p := range chunk {
			lines[i] = p[0] + " " + p[1]
		}
		out, err := q.read(ctx, lines, "merge-tree", "--write-tree", "--stdin", "-z", "--no-messages")
		if err != nil && exitOf(err) != 128 {
			return nil, err
		}
		done := parseMerges(string(out), len(chunk[0][0]))
		results = append(results, done[:min(len(done), len(chunk))]...)
		if len(done) < len(chunk) {
			results = append(results, mergeResult{}) // the pair it ended at
		}
	}
	return results, nil
}

// parseMerges reads merge results: a status, the tree, and for a conflict a
// list of files, which never look like a status with an object id behind it.
func parseMerges(out string, oidLength int) []mergeResult {
	var results []mergeResult
	values := strings.Split(out, "\x00")
	for i := 0; i+1 < len(values); i++ {
		if (values[i] == "0" || values[i] == "1") && isOID(values[i+1], oidLength) {
			results = append(results, mergeResult{tree: values[i+1], clean: values[i] == "1", ok: true})
			i++
		}
	}
	return results
}

// isOID tells whether s is an object id of the length.
func isOID(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}
