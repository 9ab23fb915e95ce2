package ranker

import "github.com/winnow-mcp/winnow/ranker/signals"

// Query is a query for the documents that fit a message. The zero value of every field
// except Text is a valid default.
type Query struct {
	// Text is the latest user message, or the model's search words.
	Text string
	// Earlier holds the task's earlier user messages, oldest first.
	Earlier []string
	// Called holds the ordinals of the documents already called in the task.
	Called []int
	// Eligible reports whether a document may be returned; nil admits all.
	Eligible func(doc int) bool
	// Uses counts a document's recent uses in this workspace; nil means none.
	Uses func(doc int) float64
	// Pinned reports whether the user pinned a document by its identity; nil
	// means none. Only the keyword ranker scores it.
	Pinned func(doc int) bool
	// Vector is the text's embedding by the corpus's provider model; nil if it is not
	// available in time.
	Vector []float32
	// Memory finds documents that had to be fetched for similar messages; nil means none.
	// Only fused ranking uses it.
	Memory *Memory
	// Families are the families of servers that the context, such as the folder's files,
	// supports, strongest first. Fused ranking uses the first three.
	Families []Family
	// Limit is the most matches to return; 0 or less returns all of them.
	Limit int
	// Explain fills Match.Parts. It costs time and is off on the hot path.
	Explain bool
}

// Match is one document found for a query.
type Match struct {
	// Doc is the document's ordinal in its corpus.
	Doc int
	// Score is positive and comparable within one answer only.
	Score float64
	// Parts sum to Score; set only if Query.Explain was.
	Parts []Part
}

// Part is one named summand of a score, and Word a word that a part is based on.
type (
	Part = signals.Part
	Word = signals.Word
)

// Ranker orders the documents of one corpus by how well they fit a query. It is immutable
// and safe for concurrent use. Equal queries get equal answers, byte for byte.
type Ranker interface {
	// Name is the ranker's name in answers and telemetry, such as "bm25".
	Name() string
	// Rank returns the documents with a positive score, best first, ties by
	// Document.Server, Name and ID.
	Rank(q Query) []Match
}

// Family is a family of servers that the context supports.
type Family struct {
	// Name is its servers' name, such as "kubernetes", or one server's name.
	Name string
	// Evidence describes the reason, such as "this folder has a Chart.yaml".
	Evidence string
}

// Kind is a way of ranking, as spelled in the setting winnow.ranker.
type Kind string

// The kinds of ranker.
const (
	// Auto is the best ranker that the corpus has the data for.
	Auto Kind = "auto"
	// Hybrid fuses words and embeddings.
	Hybrid Kind = "hybrid"
	// Embeddings ranks by the similarity of embeddings.
	Embeddings Kind = "embeddings"
	// BM25 ranks by words.
	BM25 Kind = "bm25"
	// Keyword counts shared words of four letters and more.
	Keyword Kind = "keyword"
)
