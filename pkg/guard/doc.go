// Package guard is the rule hooks: it is told of a call that an agent is about to
// make, or of a prompt that a person has typed, and answers with a warning, a
// block, or nothing.
//
// # Vocabulary
//
// An [Event] is what the agent tells a hook. A hook belongs to one rule of the
// registry; the rule's enforcement decides whether a finding of the hook is kept
// quiet (prose), said once (hook-warn), or refuses the call (hook-block), so a
// rule climbs the ladder by one word in the registry. A decision is the record of
// what a hook did: warned, blocked, suppressed (it had warned in this session
// already and said nothing), surfaced (a gotcha was shown). A marker is an empty
// file that remembers something about a session between two events.
//
// # Process
//
//  1. Each hook whose rule is enforced judges the event, by the predicates that
//     the detectors use too, and remembers what later events need.
//  2. If a finding blocks, the call is refused and only the blocks are told.
//     Otherwise each finding is said once a session, or held back.
//  3. Gotchas about the call are shown, each once a session.
//  4. What was decided comes back as signals. Only scope and generated-files make
//     violations: the others have a detector that reads the transcript, and would
//     be counted twice.
//
// Without a registry there is no guard. Nothing here reads the clock or writes
// anything but markers.
package guard
