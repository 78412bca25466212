#!/bin/sh
# Makes a project with two weeks of agent sessions, to try the pipeline on:
#
#	sh testdata/example/make.sh DIR
#
# DIR/shop is the project, with what its hooks wrote; DIR/projects holds the
# transcripts, as Claude Code keeps them under ~/.claude/projects. Everything is
# made up. Same script, same sessions.
set -eu
mkdir -p "${1:?usage: make.sh DIR}"
here=$(dirname "$0")
dir=$(cd "$1" && pwd -P)
shop=$dir/shop
folder=$dir/projects/$(printf %s "$shop" | tr -c 'A-Za-z0-9' '-')
store=$shop/.claude/retro/signals.jsonl
mkdir -p "$folder" "$shop/.git" "$shop/.code-graph" "$shop/.claude/retro" \
	"$shop/.github/retro" "$shop/openspec/changes/add-wishlist" "$shop/openspec/changes/archive/2026-10-20-add-cart"
echo 'ref: refs/heads/main' >"$shop/.git/HEAD"
: >"$shop/.code-graph/graph.db"
: >"$store"
echo '- [ ] 1. the list: `src/wishlist/`' >"$shop/openspec/changes/add-wishlist/tasks.md"
cat >"$shop/openspec/changes/archive/2026-10-20-add-cart/tasks.md" <<'END'
- [x] 1. the cart: `src/cart/cart.ts`
- [x] 2. its page: `src/pages/cart.ts`
## Review Fixes
- [ ] 3. round prices once, in `src/cart/cart.ts`
END

# The registry is the seed; the rule about the code graph was changed on the 9th.
awk '!done && sub(/"last_changed": null/, "\"last_changed\": \"2026-11-09\"") { done = 1 } { print }' \
	"$here/../../pkg/rules/seed.json" >"$shop/.github/retro/rules.json"

signal=0

# session NAME DAY HOUR begins a transcript; the clock is now DAY, HOUR:00.
session() {
	id=$1 day=$2 hour=$3 minute=0 line=0
	file=$folder/$id.jsonl
	: >"$file"
}

# later DAY HOUR sets the clock of the session.
later() { day=$1 hour=$2 minute=0; }

now() { printf '%sT%02d:%02d:%02d.000Z' "$day" "$hour" $((minute % 60)) 0; }

# write TYPE MESSAGE writes a line of the transcript, a minute later.
write() {
	minute=$((minute + 1)) line=$((line + 1))
	printf '{"type":"%s","uuid":"%s-%d","sessionId":"%s","timestamp":"%s","cwd":"%s","version":"2.1.37","gitBranch":"main","message":%s}\n' \
		"$1" "$id" "$line" "$id" "$(now)" "$shop" "$2" >>"$file"
}

prompt() { write user "{\"role\":\"user\",\"content\":\"$1\"}"; }

# turn CONTENT writes one message of the agent; tokens is what it read.
tokens=60000
turn() {
	write assistant "{\"id\":\"msg_${id}_$line\",\"role\":\"assistant\",\"model\":\"claude-opus-4-6\",\"content\":[$1],\"usage\":{\"input_tokens\":12,\"output_tokens\":340,\"cache_read_input_tokens\":$tokens,\"cache_creation_input_tokens\":900}}"
}

answer() { turn "{\"type\":\"text\",\"text\":\"$1\"}"; }

# call TOOL INPUT [ERROR] writes a tool call and its result.
call() {
	use=toolu_${id}_$((line + 1))
	turn "{\"type\":\"tool_use\",\"id\":\"$use\",\"name\":\"$1\",\"input\":$2}"
	if [ $# -gt 2 ]; then
		write user "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"$use\",\"is_error\":true,\"content\":\"$3\"}]}"
	else
		write user "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"$use\",\"content\":\"ok\"}]}"
	fi
}

edit() { call Edit "{\"file_path\":\"$shop/$1\",\"old_string\":\"a\",\"new_string\":\"b$line\"}"; }
grep_() { call Grep "{\"pattern\":\"$1\"}"; }
graph() { call mcp__code-graph__query "{\"q\":\"$1\"}"; }
make_() { call Bash "{\"command\":\"make $1\"}"; }
fails() { call Bash "{\"command\":\"make $1\"}" "make: *** [$1] Error 2"; }

# hook KIND RULE DETECTOR EVIDENCE writes what a hook wrote at that moment.
hook() {
	signal=$((signal + 1))
	printf '{"v":1,"ts":"%s","tool":"claude-code","session_id":"%s","kind":"%s","rule":"%s","detector":"%s","confidence":"deterministic","origin":"hook","evidence":%s,"id":"%016x"}\n' \
		"$(now)" "$id" "$1" "$2" "$3" "$4" $signal >>"$store"
}

# strays PATH edits a file outside the change's list; the scope hook warns once a file.
strays() {
	hook violation scope scope-warning "{\"path\":\"$1\",\"openspec\":\"add-wishlist\"}"
	hook decision scope decision "{\"action\":\"warned\",\"tool_use_id\":\"toolu_${id}_$((line + 1))\",\"hook\":\"scope\",\"path\":\"$1\"}"
	edit "$1"
}

# The first week: the code graph is asked too late, if at all, and every second
# edit leaves the change.
session 01-list 2026-11-02 9
prompt 'Add a wishlist page.'
grep_ wishlist
grep_ cart
graph 'who calls cart'
edit src/wishlist/list.ts
strays src/cart/cart.ts
strays src/cart/total.ts
prompt 'No, that is not what I asked for. Undo the change to the cart.'
edit src/cart/cart.ts
answer 'The cart is as it was.'

session 02-build 2026-11-03 10
prompt 'Generate the clients for the new endpoint.'
graph 'wishlist endpoint'
fails proto
fails proto
edit src/wishlist/api.ts
fails proto
edit src/wishlist/api.ts
make_ proto
answer 'The clients are generated.'

session 03-price 2026-11-04 9
prompt 'Show the price on the wishlist.'
grep_ price
edit src/wishlist/price.ts
edit src/wishlist/price.ts
edit src/wishlist/price.ts
edit src/wishlist/price.ts
prompt 'Again: the price is in cents. Stop guessing.'
call Bash '{"command":"npm install dinero.js"}'
prompt 'No, we do not add dependencies. Revert it.'
edit package.json
later 2026-11-05 9
prompt 'Continue with the price.'
grep_ cents
strays src/cart/price.ts
strays src/cart/round.ts
answer 'Prices are shown.'

session 04-smooth 2026-11-06 14
prompt 'Rename Wish to WishItem.'
graph 'references of Wish'
edit src/wishlist/wish.ts
make_ test
answer 'Renamed in four places.'

# The second week, after the rule about the code graph was written anew.
tokens=41000
session 05-share 2026-11-09 9
prompt 'Let people share a wishlist.'
graph 'wishlist routes'
grep_ share
edit src/wishlist/share.ts
strays src/mail/send.ts
call Skill '{"skill":"code-review"}'
answer 'Sharing works.'

session 06-mail 2026-11-10 9
prompt 'Send the mail from the queue.'
grep_ queue
edit src/wishlist/mail.ts
strays src/mail/queue.ts
edit openspec/changes/add-wishlist/tasks.md
answer 'Mails go through the queue.'

session 07-proto 2026-11-11 11
prompt 'The share endpoint needs a client.'
graph 'share endpoint'
fails proto
fails proto
make_ proto
answer 'Done.'

session 08-smooth 2026-11-12 9
prompt 'Write the test for sharing.'
graph 'tests of wishlist'
edit src/wishlist/share.test.ts
make_ test
call Skill '{"skill":"code-review"}'
answer 'The test passes.'

session 09-close 2026-11-13 9
prompt 'Close the change.'
graph 'add-wishlist'
edit openspec/changes/add-wishlist/tasks.md
answer 'All tasks are ticked.'
