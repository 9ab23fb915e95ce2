// Package ranker orders tools by how well they fit a message.
//
// A [Corpus] is one version of the catalogue: an immutable list of documents,
// one a tool, with the indexes that were built over it. A [Ranker] answers
// queries over one corpus:
//
//	corpus := ranker.NewCorpus(docs, previous, ranker.WithEmbedder(model), ranker.WithBank(phrasings))
//	matches := corpus.Ranker(ranker.Auto).Rank(ranker.Query{Text: "send a slack message", Limit: 30})
//
// A document is identified by its ordinal, its index in the list that the corpus was made
// of. The first query that needs an index builds it, if nothing prepared it. A new version
// reuses an earlier one's results for every unchanged document (succession.go), with identical bytes.
//
// There are three rankers. [Keyword] counts shared words and [BM25] is the textbook one;
// both are for comparison. The third, named by [Auto], [Hybrid] and [Embeddings], fuses
// all available evidence:
//
//   - words: BM25 over weighted fields, with synonyms, developers' jargon
//     written out, and what paths, addresses and the like imply (index.go,
//     query.go)
//   - other languages: what descriptions say in English, by word lists
//     (otherlanguages.go, internal/dictionary)
//   - pasted text: what a log or a mail in the message says is evidence, not
//     what is asked (pasted.go)
//   - phrasings: what people say when they need a tool and no description says,
//     from the bank of package bank, a field of the words and a part of the
//     vector (expansion.go, and parts.go for the explanation)
//   - names: how much of a tool's name the message has (view.go)
//   - meaning: the similarity of vectors, built in or from a provider
//     (embedding.go, provider.go, similarity.go); tokens that the catalogue has
//     everywhere count less in it (commonness.go)
//   - feedback: words that the names of the best tools share count as said, so
//     that a message in other words finds those that are called alike
//     (feedback.go)
//   - steps: the same for every clause of the message, or every sentence of a long
//     one, so that each thing it asks for finds its tools (steps.go)
//   - servers: the one the message names, tools whose siblings fit, and those that
//     the task or the folder speaks for (servers.go, serverscores.go); copies of one tool do not fill
//     the answer (duplicates.go)
//   - the task: earlier messages and calls, recent use, and what the model had to
//     fetch by itself before (work.go, memory.go)
//   - companions: what the best tools need first, such as the list that gives the
//     identifier they require, and the generic tools of the servers that lead
//     (kit.go, companions.go, generic.go, late.go)
//
// No file uses one that uses it: documents and indexes (document.go to fusionindex.go) are
// below views of a message (view.go, steps.go), these below one query's work (work.go,
// facts.go, late.go), this below the rankers (fusion.go, bm25.go, keyword.go) and
// corpus.go, which makes them.
//
// Words and meaning are normalised by the best and the average that this message can
// reach, never by fixed thresholds (view.go). The results for a tool are facts
// (facts.go), from which package signals computes the named parts of its score: one file
// each, with its weight, its sentence and its measured worth. [fusion.Rank] combines all.
// What was tried and did not help is in eval/README.md.
//
// The package is pure: values in, values out. It does no I/O, starts no goroutine that
// outlives a call and reads no clock. MCP, scopes, pins and limits on attachments are the
// caller's, by [Query.Eligible]. The same corpus and query give the same answer byte for
// byte on every architecture: products are rounded before they are summed, scores are on
// a fixed grid, and ties break by server, name and ID.
package ranker
