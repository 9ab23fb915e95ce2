package embed

// openAIRequest is the body of POST /embeddings.
// https://platform.openai.com/docs/api-reference/embeddings/create
type openAIRequest struct {
	Model      string   `json:"model,omitempty"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
	// EncodingFormat is "float": compatible servers often know no other.
	EncodingFormat string `json:"encoding_format"`
}

// openAI speaks OpenAI's API, which most servers imitate. The key is optional
// because local ones need none; the real one says so itself.
func openAI() dialect {
	return dialect{
		url:       "https://api.openai.com/v1",
		modelHint: `OpenAI's own is "text-embedding-3-small"`,
		texts:     128,
		path:      fixed("/embeddings"),
		authorize: bearer,
		body: func(c Config, _ Purpose, texts []string) any {
			return openAIRequest{Model: c.Model, Input: texts, Dimensions: c.Dimensions, EncodingFormat: "float"}
		},
		vectors: indexedVectors,
	}
}
