package ranker

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

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

// field is a part of a document that is indexed by itself.
type field uint8

const (
	fieldServer field = iota
	fieldName
	fieldTitle
	fieldDescription
	fieldParameter
	fieldParameterText
	// fieldPhrasing is what people say when they need the tool. It comes from the bank,
	// not from the document.
	fieldPhrasing
	fieldCount
)

// String returns the field's name in an explanation.
func (f field) String() string {
	return [fieldCount]string{
		"server", "name", "title", "description", "parameter", "parameter description", "often asked as",
	}[f]
}

// eachText calls yield for every text of the document with its field.
func (d *Document) eachText(yield func(f field, text string)) {
	yield(fieldServer, d.Server)
	yield(fieldName, d.Name)
	yield(fieldTitle, d.Title)
	yield(fieldDescription, d.Description)
	for i := range d.Parameters {
		yield(fieldParameter, d.Parameters[i].Name)
		yield(fieldParameterText, d.Parameters[i].Description)
	}
}

// same reports whether two documents have the same text, so that the analysis
// of one serves the other.
func (d *Document) same(o *Document) bool {
	return d.Server == o.Server && d.Name == o.Name && d.Title == o.Title &&
		d.Description == o.Description && slices.Equal(d.Parameters, o.Parameters)
}

// maxFieldText is the length in bytes at which a text of a document is cut. The longest
// description of 9,000 real tools measures 18 kB; a longer one is an attempt to match
// everything.
const maxFieldText = 32 << 10

// clipText cuts a text to what is read of it.
func clipText(s string) string { return s[:min(len(s), maxFieldText)] }

// maxParameterText is about how many bytes of parameters' names, and of their
// descriptions, go into a vector. The sum of more words is near the mean of all texts and
// carries no information.
const maxParameterText = 1000

// parameterNames joins the names of the parameters as words.
func parameterNames(d *Document, tokenizer *text.Tokenizer) string {
	var b strings.Builder
	for i := range d.Parameters {
		b.WriteString(spaced(d.Parameters[i].Name, tokenizer))
		b.WriteString(", ")
		if b.Len() > maxParameterText {
			break
		}
	}
	return b.String()
}

// parameterTexts joins the descriptions of the parameters.
func parameterTexts(d *Document) string {
	var b strings.Builder
	for i := range d.Parameters {
		if b.Len() > maxParameterText {
			break
		}
		b.WriteString(d.Parameters[i].Description)
		b.WriteString(". ")
	}
	return b.String()
}

// spaced returns an identifier as words.
func spaced(identifier string, tokenizer *text.Tokenizer) string {
	var words []string
	tokenizer.Each(identifier, func(word []byte, form text.Form) {
		if form != text.Whole {
			words = append(words, string(word))
		}
	})
	return strings.Join(words, " ")
}

// ProviderText returns a document's text for an embedding provider: its name as words,
// its title, its description and the names of its parameters.
func (d *Document) ProviderText() string {
	var tokenizer text.Tokenizer
	parts := []string{spaced(d.Name, &tokenizer)}
	for _, part := range []string{d.Title, d.Description, parameterNames(d, &tokenizer)} {
		if part = strings.TrimSuffix(strings.TrimSpace(part), ","); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ". ")
}
