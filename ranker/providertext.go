package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

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
