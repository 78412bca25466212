#!/bin/sh
# How often each profile is right on the labelled sessions in DIR, and without
# each of its guards. Run by make quality.
set -eu
dir=$1
labels=$dir/labels.json
if [ ! -f "$labels" ]; then
	echo "quality: no labelled sessions in $dir, nothing to measure"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for profile in classic guarded; do
	retro-scan --profile $profile --candidates "$dir"/*.jsonl >"$work/$profile" 2>/dev/null
done
echo "== side by side"
for profile in classic guarded; do
	echo "$profile"
	retro-score calibrate --labels "$labels" "$work/$profile" | grep -E '^(SESSIONS|PROMPTS|all|window|cross-validated) *'
done
echo
echo "== guarded, in full"
retro-score calibrate --labels "$labels" "$work/guarded"
echo
echo "== guarded, without one guard: sessions, prompts"
retro-score profile guarded | tr -d ' \n' | sed 's/.*"guards":\[\([^]]*\)\].*/\1/' | tr -d '"' | tr ',' '\n' | while read -r guard; do
	retro-scan --profile guarded --without "$guard" --candidates "$dir"/*.jsonl 2>/dev/null |
		retro-score calibrate --profile guarded --labels "$labels" | sed -n "s/^all */$guard: /p"
done
