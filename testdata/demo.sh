#!/bin/sh
# The main job on the sample transcripts, and on the reader's own.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/bin:$PATH"

echo "# The sample transcripts: one verdict a session"
echo
echo '$ retro-scan testdata/transcripts | retro-score | retro-render'
echo
retro-scan testdata/transcripts | retro-score | retro-render
echo
echo "# Why the first of them scored what it did"
echo
echo '$ retro-scan testdata/transcripts/*/00000001*.jsonl | retro-score --tee | retro-render why'
echo
retro-scan testdata/transcripts/*/00000001*.jsonl | retro-score --tee | retro-render why

root="${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects"
if [ -d "$root" ] && [ -n "$(find "$root" -name '*.jsonl' 2>/dev/null | head -n 1)" ]; then
  echo
  echo "# Your own sessions"
  echo
  echo '$ retro-scan --all | retro-score | retro-render'
  echo
  retro-scan --all 2>/dev/null | retro-score | retro-render | head -n 30
fi
