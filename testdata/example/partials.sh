#!/bin/sh
# Scans every transcript below a folder by itself, as a cluster would, into one
# partial a session:
#
#	cd DIR/shop && sh partials.sh ../projects ../partials
set -eu
mkdir -p "$2"
for file in "$1"/*/*.jsonl; do
	retro-scan --root . "$file" | retro-score --tee | retro-episode --partial >"$2/$(basename "$file" .jsonl)"
done
