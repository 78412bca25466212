// Package trial keeps score of directives on trial: a new rule in an agent's
// instruction file is a trial until figures say keep or revert.
//
// # Annotation
//
// A directive is on trial when its line ends with the comment
//
//	<!-- trial start=2026-07-14T12:00:00Z source=SESSION#ANCHOR review-after=10-sessions -->
//
// The three keys may stand in any order, each once, and there are no others.
// Start is a day or, better, a moment; source names the session that gave birth
// to the directive and the message in it; review-after is `N-sessions` or
// `N-days`. A line whose end is anything else is a permanent directive and is
// never touched. A trial comment further left is text: a directive may quote
// one. Nothing here edits a file: the package reads lines and gives lines back.
//
// # Review
//
//  1. A trial is left alone until its window is over.
//  2. The sessions of the project are divided: baseline started before the
//     directive, in-trial after it. A session runs by the rules it started
//     with, so its start counts and not the time of its file. The session that
//     gave birth to the directive is on neither side: it was picked for being
//     rough, and would make any directive look good. Nor are the sessions of
//     the first day when the start is only a day.
//  3. With fewer than the minimum of sessions on a side nothing is decided. Of
//     four against four the smallest possible p is 0.029, of three 0.10.
//  4. The friction score per turn of the two sides is compared by a two-sided
//     Mann-Whitney test, exact for small samples. A p above alpha, or all values
//     equal, zero against zero for one, is UNDECIDED. Else lower friction is
//     KEEP and higher REVERT, provided that the bootstrap interval of the
//     difference of means lies on the same side of zero and that the raw score
//     does not say the opposite beyond chance.
//
// The original helper's rule (two sessions a side, the lower mean wins, a tie
// reverts) is there as [ByMean]. By it two equal processes are always decided,
// and a smooth project loses every directive.
//
// # What can be found
//
// Two equal processes are decided in at most 6 of 100 reviews. How often a
// change for the better is found, of 200 simulated reviews with sessions of
// equal length, and for comparison of 20 to 60 turns whatever their friction:
//
//	sessions a side              5    10    20    40    80
//	4 a session, halved       25 %  67 %  92 % 100 % 100 %
//	  of uneven sessions      17 %  46 %  86 %  98 % 100 %
//	2 a session, halved       16 %  34 %  70 %  91 % 100 %
//	1 a session, halved        8 %  16 %  34 %  69 %  94 %
//	0.5 a session, halved      2 %   8 %  14 %  38 %  68 %
//	1 a session, gone         42 %  88 % 100 % 100 % 100 %
//	20 % rough, halved         0 %   2 %   9 %  20 %  44 %
//	20 % rough, none           1 %   2 %  33 %  99 % 100 %
//
// Rare friction takes many sessions: a review that says UNDECIDED does not say
// that the directive is useless.
//
// The figures are for one look. Whoever reviews the same trial every night until
// it is decided looks many times, and chance gets as many tries. A repeated
// review therefore looks only when the window has passed once, twice, four
// times and so on, at the sessions up to then, and asks four times as much of
// each further look. Its looks together keep to the 6 of 100.
//
// An outcome is a proposal. What somebody decided is written to the audit file
// as a record of its own.
package trial
