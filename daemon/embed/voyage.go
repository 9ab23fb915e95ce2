package embed

// voyageRequest is the body of POST /embeddings.
// https://docs.voyageai.com/reference/embeddings-api
type voyageRequest struct {
	Model           string   `json:"model"`
	Input           []string `json:"input"`
	InputType       string   `json:"input_type"`
	OutputDimension int      `json:"output_dimension,omitempty"`
	Truncation      bool     `json:"truncation"`
}

// voyage speaks Voyage AI's API.
func voyage() dialect {
	return dialect{
		url:       "https://api.voyageai.com/v1",
		modelHint: `a usual one is "voyage-3.5-lite"`,
		needsKey:  true,
		texts:     128,
		path:      fixed("/embeddings"),
		authorize: bearer,
		body: func(c Config, purpose Purpose, texts []string) any {
			kind := "document"
			if purpose == ForQuery {
				kind = "query"
			}
			return voyageRequest{Model: c.Model, Input: texts, InputType: kind, OutputDimension: c.Dimensions, Truncation: true}
		},
		vectors: indexedVectors,
	}
}
