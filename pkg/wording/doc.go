// Package wording reads the words of a prompt or of an agent's answer: what is
// said in them, in ten languages at once, without finding out which language
// it is.
//
// # Process
//
//  1. [Clean] takes out of a text what is not its writer's own words: code
//     fences, quotations, pasted logs and traces, inline code, addresses and
//     paths. The rest is the prose; its start, 300 characters at most, is the
//     head, where people say what they think of an answer.
//  2. Folding makes spellings equal: lower case, apostrophes of all kinds and
//     Latin accents gone, full-width marks narrow, traditional Chinese
//     characters simplified.
//  3. The folded text is cut into tokens: words, single characters of scripts
//     that put no blanks between words, and marks.
//  4. A [Lexicon] holds patterns of words by kind. [Lexicon.Find] tells which
//     kinds are in a text.
//
// # Patterns
//
// A pattern is a list of elements with blanks between them:
//
//	word        this word
//	a/b/c       one of these; `does+not` and `peux-tu` stand for two words
//	fail~       a word that begins so
//	_           up to two words, no mark between them
//	|           any mark, or the end of the text; at the front: a mark or the start
//	, ? . !     this mark
//	$           the end of a sentence
//	^ ...       at the start of a sentence, behind a mark, or behind opening fillers
//	^^ ...      at the start of the text, or there behind fillers ("hmm", "ok so")
//
// A pattern with a Chinese, Japanese or Korean character, or without any
// letter, is a plain piece of text; `^^` puts it at the start.
//
// Two kinds of pattern have a meaning of their own. What an [Excuse] covers
// matches nothing else ("no problem", "don't push directly"). A [Condition] at
// the head of a sentence takes the failures in it for a case to think of and
// not for a report ("if it fails, ...").
package wording
