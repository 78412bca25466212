// Package phrase finds the phrases of a lexicon in running text: many phrases,
// one pass, no allocation.
//
// # Vocabulary
//
// A phrase is a short text with optional parts, written as data:
//
//	don'?t               the rune before ? may be missing
//	fuck(ing)?           so may a group
//	(please|kindly) stop a group lists alternatives
//	what\?               a backslash takes away the meaning of ( | ) ? and \
//
// A [Border] says at which ends of the phrase a word must end as well. A word
// character is any rune of class L or N, or `_`, in every language; the
// standard library's \b knows ASCII alone. Languages written without blanks
// want no border.
//
// # What matches
//
// Case does not count, with the folding of the original gate (Python's
// re.IGNORECASE): Unicode simple case folding, and besides it U+0130 and U+0131
// match i. Of the places where a phrase matches the leftmost is taken; of the
// phrases that match there the one listed first, longest form of its optional
// parts first. That is the rule of a backtracking regular expression
// `\b(p1|p2|...)\b`. Matches do not overlap. Invalid UTF-8 in the text matches
// nothing and is no word character.
//
// # How
//
// A table over two neighbouring bytes says where a phrase may begin; only there
// are the folded runes compared, along a trie of all phrases.
package phrase
