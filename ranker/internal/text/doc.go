// Package text turns the prose and the identifiers of tools and messages into
// the words that an index compares.
//
// [Tokenizer] finds words and splits identifiers, [Fold] removes differences of case and
// accent, [Stem] removes inflection, and [IsStop] reports words without meaning. The
// package has no index and no score.
package text
