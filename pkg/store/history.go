package store

import (
	"context"
	"os"
	"path/filepath"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// AppendDecision adds a row to the log of trial decisions, which is never
// shortened. It waits for the lock until the context ends.
func (p Project) AppendDecision(ctx context.Context, row record.TrialDecision) error {
	line, err := ndjson.Marshal(row)
	if err != nil {
		return err
	}
	path := p.DirectiveHistory()
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := lockOpen(ctx, path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := appendLine(f, append(line, '\n')); err != nil {
		return err
	}
	return reason(f.Sync())
}
