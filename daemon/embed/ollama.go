package embed

import "encoding/json"

// ollamaRequest is the body of POST /api/embed.
// https://docs.ollama.com/api/embed
type ollamaRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"`
	Dimensions int      `json:"dimensions,omitempty"`
}

// ollama speaks Ollama's own API. The key is for servers behind a proxy.
func ollama() dialect {
	return dialect{
		url:       "http://localhost:11434",
		modelHint: `a usual one is "nomic-embed-text"`,
		texts:     64,
		path:      fixed("/api/embed"),
		authorize: bearer,
		body: func(c Config, _ Purpose, texts []string) any {
			return ollamaRequest{Model: c.Model, Input: texts, Truncate: true, Dimensions: c.Dimensions}
		},
		vectors: func(answer []byte) ([][]float32, error) {
			var body struct {
				Embeddings [][]float32 `json:"embeddings"`
			}
			err := json.Unmarshal(answer, &body)
			return body.Embeddings, err
		},
	}
}
