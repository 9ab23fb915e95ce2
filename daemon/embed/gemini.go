package embed

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// geminiRequest is one of the requests of batchEmbedContents.
// https://ai.google.dev/api/embeddings
type geminiRequest struct {
	Model   string        `json:"model"`
	Content geminiContent `json:"content"`
	// TaskType is what the text is for.
	TaskType             string `json:"taskType"`
	OutputDimensionality int    `json:"outputDimensionality,omitempty"`
}

type geminiContent struct {
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text string `json:"text"`
}

// gemini speaks the Gemini API. The key goes into a header, not into the
// address, where it would end up in errors and logs.
func gemini() dialect {
	return dialect{
		url:       "https://generativelanguage.googleapis.com/v1beta",
		modelHint: `a usual one is "gemini-embedding-001"`,
		needsKey:  true,
		texts:     100,
		path: func(c Config) string {
			return "/models/" + url.PathEscape(geminiModel(c)) + ":batchEmbedContents"
		},
		authorize: func(header http.Header, key Secret) { header.Set("x-goog-api-key", string(key)) },
		body:      geminiBody,
		vectors: func(answer []byte) ([][]float32, error) {
			var body struct {
				Embeddings []struct {
					Values []float32 `json:"values"`
				} `json:"embeddings"`
			}
			err := json.Unmarshal(answer, &body)
			vectors := make([][]float32, len(body.Embeddings))
			for i, embedding := range body.Embeddings {
				vectors[i] = embedding.Values
			}
			return vectors, err
		},
	}
}

// geminiModel is the model without the "models/" that the API's lists show.
func geminiModel(c Config) string { return strings.TrimPrefix(c.Model, "models/") }

func geminiBody(c Config, purpose Purpose, texts []string) any {
	task := "RETRIEVAL_DOCUMENT"
	if purpose == ForQuery {
		task = "RETRIEVAL_QUERY"
	}
	requests := make([]geminiRequest, len(texts))
	for i, text := range texts {
		requests[i] = geminiRequest{
			Model:                "models/" + geminiModel(c),
			Content:              geminiContent{Parts: []geminiPart{{Text: text}}},
			TaskType:             task,
			OutputDimensionality: c.Dimensions,
		}
	}
	return struct {
		Requests []geminiRequest `json:"requests"`
	}{requests}
}
