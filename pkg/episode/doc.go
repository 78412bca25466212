// Package episode adds signals and verdicts up by session and day, holds the
// sums against the registry's thresholds and says what they come to as bucket
// records.
//
// # Vocabulary
//
// An episode is one session on one day of one zone. It is the unit of every
// threshold: three violations in one afternoon are one mishap, three on three
// days are a habit. A partial is an episode as a record: counts, sums and
// sorted id lists, never a mean. A window is all episodes of one run without
// the sessions that the registry ignores.
//
// # Process
//
//  1. A [Collector] takes records in any order: signals, verdicts, and partials
//     of earlier runs. It counts a signal once however often its id comes.
//  2. [Collector.Episodes] closes it: signals become episodes, and of several
//     records for one session and day the one with more source bytes stands.
//     This is an order, not a sum, so merging is associative, commutative and
//     idempotent: a job that ran twice changes nothing, and any split of the
//     sessions over any number of runs gives the same bytes.
//  3. [Buckets] adds the episodes up. It is a pure function of the episodes and
//     of what is known of the project; means, rates and statuses are made here
//     and nowhere before.
//
// Memory of a merge is bounded by the number of episodes. Raw signals are held
// until the end, because only their order of arrival would tell otherwise which
// of two with one id is the right one.
package episode
