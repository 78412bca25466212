package repo

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"strings"
)

// changedPaths reads which paths changed, for each line: a commit (against its
// parent) or a commit and what to compare it with. The answer is by the first
// commit of the line, sorted; a commit that changes nothing has no entry.
func (q *quarantine) changedPaths(ctx context.Context, lines []string) (map[string][]string, error) {
	out, err := q.read(ctx, lines, "diff-tree", "--stdin", "-r", "-z", "--root", "--name-status", "--no-renames")
	if err != nil {
		return nil, err
	}
	paths := make(map[string][]string)
	current := ""
	// Status letters stand before names, so a file that is named like an
	// object id is not taken for one.
	for values := fields(out); len(values) > 0; {
		if len(values[0]) > 1 || len(values) == 1 {
			current, values = values[0], values[1:]
			continue
		}
		paths[current] = append(paths[current], values[1])
		values = values[2:]
	}
	for _, p := range paths {
		slices.Sort(p)
	}
	return paths, nil
}

// patchID identifies a patch apart from where in the file it applies.
type patchID [sha256.Size]byte

// patches reads the patch identity of each line, a line being as in
// changedPaths.
//
// Note: git's own patch-id ignores white space, and takes all changes of a
// binary file for equal before git 2.39. An indentation that differs is a
// change in some languages and always one that would be lost, so the identity
// is made here: everything but line numbers counts.
func (q *quarantine) patches(ctx context.Context, lines []string) (map[string]patchID, error) {
	ids := make(map[string]patchID)
	if len(lines) == 0 {
		return ids, nil
	}
	read, write := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := scanPatches(read, len(strings.Fields(lines[0])[0]), ids)
		read.CloseWithError(err)
		done <- err
	}()
	err := q.git.stream(ctx, q.call(lines, []string{"diff-tree", "--stdin", "-r", "-p", "--root", "--full-index",
		"--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3", "--diff-algorithm=myers"}), write)
	write.CloseWithError(err)
	return ids, cmp.Or(err, <-done)
}

// scanPatches reads what diff-tree prints: a line with an object id, and its
// patch. Nothing in a patch is a line of hexadecimal digits alone, because
// each line of content has a mark before it.
func scanPatches(r io.Reader, oidLength int, ids map[string]patchID) error {
	in := bufio.NewReaderSize(r, 64<<10)
	current, sum := "", sha256.New()
	var index []byte
	finish := func() {
		if current != "" {
			ids[current] = patchID(sum.Sum(nil))
		}
		sum.Reset()
	}
	for {
		text, err := in.ReadBytes('\n')
		switch {
		case len(text) == oidLength+1 && text[oidLength] == '\n' && isOID(string(text[:oidLength]), oidLength):
			finish()
			current = string(text[:oidLength])
		case bytes.HasPrefix(text, []byte("@@ ")):
			sum.Write([]byte("@@\n"))
		case bytes.HasPrefix(text, []byte("index ")):
			index = text
		case bytes.HasPrefix(text, []byte("Binary files ")):
			sum.Write(index) // the only thing that tells one change from another
			sum.Write(text)
		default:
			sum.Write(text)
		}
		if err == io.EOF {
			finish()
			return nil
		}
		if err != nil {
			return err
		}
	}
}
