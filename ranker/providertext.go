package ranker

import "strings"

// ProviderText returns the text that stands for a document at an embedding
// provider: its name as words, its title, its description and the names of its
// parameters.
func (d *Document) ProviderText() string {
	var e documentEmbedder
	parts := []string{e.spaced(d.Name)}
	for _, part := range []string{d.Title, d.Description, e.parameters(d)} {
		if part = strings.TrimSuffix(strings.TrimSpace(part), ","); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ". ")
}
