package ranker

import "github.com/winnow-mcp/winnow/ranker/signals"

// Document is a tool as the rankers see it.
type Document struct {
	// ID is the tool's identity, unique in a corpus.
	ID string
	// Server and Name are the server's own names, whatever the host's. Ties of score are
	// broken by them, then by ID, in ascending byte order.
	Server      string
	Name        string
	Title       string
	Description string
	Parameters  []Parameter
	// ReadOnly and Destructive are the hints of MCP's tool annotations.
	ReadOnly    Hint
	Destructive Hint
}

// Parameter is one property of a tool's input schema, nested ones included.
type Parameter struct {
	Name        string
	Description string
	// Required reports that every call needs it: its schema and those of all enclosing
	// properties require it.
	Required bool
}

// Hint is an optional annotation of a server.
type Hint int8

// The values of a [Hint].
const (
	Unsaid Hint = iota
	Yes
	No
)

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
