package embed

import "encoding/json"

// cohereRequest is the body of POST /v2/embed.
// https://docs.cohere.com/reference/embed
type cohereRequest struct {
	Model           string   `json:"model"`
	Texts           []string `json:"texts"`
	InputType       string   `json:"input_type"`
	EmbeddingTypes  []string `json:"embedding_types"`
	OutputDimension int      `json:"output_dimension,omitempty"`
	Truncate        string   `json:"truncate"`
}

// cohere speaks Cohere's API.
func cohere() dialect {
	return dialect{
		url:       "https://api.cohere.com",
		modelHint: `a usual one is "embed-v4.0"`,
		needsKey:  true,
		texts:     96,
		path:      fixed("/v2/embed"),
		authorize: bearer,
		body: func(c Config, purpose Purpose, texts []string) any {
			kind := "search_document"
			if purpose == ForQuery {
				kind = "search_query"
			}
			return cohereRequest{
				Model: c.Model, Texts: texts, InputType: kind, EmbeddingTypes: []string{"float"},
				OutputDimension: c.Dimensions, Truncate: "END",
			}
		},
		vectors: func(answer []byte) ([][]float32, error) {
			var body struct {
				Embeddings struct {
					Float [][]float32 `json:"float"`
				} `json:"embeddings"`
			}
			err := json.Unmarshal(answer, &body)
			return body.Embeddings.Float, err
		},
	}
}
