// Package static is Winnow's built-in embedding model: sentence vectors from a
// table lookup, in microseconds, without network, cgo or GPU.
//
// The model holds one int8 row and one scale per WordPiece token. A text is
// tokenised, the rows of its tokens are summed, each with a weight that the
// caller gives, and the sum is brought to unit length; the dot product of two
// such vectors is their cosine similarity.
//
//	model, err := static.Load()
//	if err != nil {
//		return fmt.Errorf("load the built-in embedding model: %w", err)
//	}
//	v := make([]float32, model.Dim())
//	tokens := model.Tokens(nil, "take a picture of the page")
//	if !model.Embed(v, tokens, slices.Repeat([]float32{1}, len(tokens))) {
//		// No known token: rank by words alone.
//	}
//
// The arithmetic is done in integers up to the final scaling, so the same text
// gives the same bits on every platform.
//
// The model reads English. Its vocabulary is plain ASCII: accents are folded
// away, and words of other scripts are unknown to it and count for nothing, so
// a text of such words alone has no vector. It is no ranker either: package
// ranker fuses these similarities with its lexical score, which is better than
// either.
//
// The file static-256d-20k-int8.sem is derived from
// sentence-transformers/all-MiniLM-L6-v2 by the tool in the folder train; see
// NOTICE beside it.
package static
