package embed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// dialect describes the requests and responses of one API.
type dialect struct {
	// url is the API's base address; "" if it depends on the user.
	url string
	// modelHint suggests a model in the message for a missing one.
	modelHint string
	needsKey  bool
	// texts is the most texts in one request.
	texts int
	// path is appended to the base address.
	path func(Config) string
	// authorize sets the header with the key, if there is one.
	authorize func(http.Header, Secret)
	// body returns the request, to be encoded as JSON.
	body func(c Config, purpose Purpose, texts []string) any
	// vectors reads a response. The caller validates the result.
	vectors func(answer []byte) ([][]float32, error)
}

// fields are the members of a request.
type fields map[string]any

// with adds the number of dimensions under the API's name for it, if the user requests
// one.
func (f fields) with(name string, dimensions int) fields {
	if dimensions > 0 {
		f[name] = dimensions
	}
	return f
}

// azureVersion is the newest generally available version of the API by
// deployment.
const azureVersion = "2024-10-21"

// dialects returns the known APIs by the name in the settings.
func dialects() map[string]dialect {
	return map[string]dialect{
		// Most servers imitate OpenAI's API. The key is optional because local ones
		// need none; the real one says so itself. Of encodings, compatible servers
		// often know "float" only.
		// https://platform.openai.com/docs/api-reference/embeddings/create
		"openai": {
			url: "https://api.openai.com/v1", modelHint: `OpenAI's own is "text-embedding-3-small"`,
			texts: 128, path: fixed("/embeddings"), authorize: bearer, vectors: indexedVectors,
			body: func(c Config, _ Purpose, texts []string) any {
				return fields{"model": c.Model, "input": texts, "encoding_format": "float"}.with("dimensions", c.Dimensions)
			},
		},
		// OpenAI's bodies, with the deployment in the path.
		// https://learn.microsoft.com/azure/ai-foundry/openai/reference#embeddings
		"azure": {
			modelHint: "give the deployment's name", needsKey: true,
			texts: 128, authorize: header("api-key"), vectors: indexedVectors,
			path: func(c Config) string {
				return "/openai/deployments/" + url.PathEscape(c.Model) +
					"/embeddings?api-version=" + azureVersion
			},
			body: func(c Config, _ Purpose, texts []string) any {
				return fields{"input": texts, "encoding_format": "float"}.with("dimensions", c.Dimensions)
			},
		},
		// https://docs.voyageai.com/reference/embeddings-api
		"voyage": {
			url: "https://api.voyageai.com/v1", modelHint: `a usual one is "voyage-3.5-lite"`, needsKey: true,
			texts: 128, path: fixed("/embeddings"), authorize: bearer, vectors: indexedVectors,
			body: func(c Config, purpose Purpose, texts []string) any {
				return fields{"model": c.Model, "input": texts, "input_type": purpose.word("document", "query"), "truncation": true}.
					with("output_dimension", c.Dimensions)
			},
		},
		// https://docs.cohere.com/reference/embed
		"cohere": {
			url: "https://api.cohere.com", modelHint: `a usual one is "embed-v4.0"`, needsKey: true,
			texts: 96, path: fixed("/v2/embed"), authorize: bearer,
			body: func(c Config, purpose Purpose, texts []string) any {
				return fields{
					"model": c.Model, "texts": texts, "input_type": purpose.word("search_document", "search_query"),
					"embedding_types": []string{"float"}, "truncate": "END",
				}.with("output_dimension", c.Dimensions)
			},
			vectors: func(answer []byte) ([][]float32, error) {
				var body struct {
					Embeddings struct{ Float [][]float32 }
				}
				err := json.Unmarshal(answer, &body)
				return body.Embeddings.Float, err
			},
		},
		// Ollama's own API. The key is for servers behind a proxy.
		// https://docs.ollama.com/api/embed
		"ollama": {
			url: "http://localhost:11434", modelHint: `a usual one is "nomic-embed-text"`,
			texts: 64, path: fixed("/api/embed"), authorize: bearer,
			body: func(c Config, _ Purpose, texts []string) any {
				return fields{"model": c.Model, "input": texts, "truncate": true}.with("dimensions", c.Dimensions)
			},
			vectors: func(answer []byte) ([][]float32, error) {
				var body struct{ Embeddings [][]float32 }
				err := json.Unmarshal(answer, &body)
				return body.Embeddings, err
			},
		},
		// The key is sent in a header, because the URL would appear in errors and logs.
		// https://ai.google.dev/api/embeddings
		"gemini": {
			url: "https://generativelanguage.googleapis.com/v1beta", modelHint: `a usual one is "gemini-embedding-001"`, needsKey: true,
			texts: 100, authorize: header("x-goog-api-key"), body: geminiBody,
			path: func(c Config) string {
				return "/models/" + url.PathEscape(geminiModel(c)) + ":batchEmbedContents"
			},
			vectors: func(answer []byte) ([][]float32, error) {
				var body struct {
					Embeddings []struct{ Values []float32 }
				}
				err := json.Unmarshal(answer, &body)
				vectors := make([][]float32, len(body.Embeddings))
				for i, embedding := range body.Embeddings {
					vectors[i] = embedding.Values
				}
				return vectors, err
			},
		},
	}
}

// geminiModel returns the model without the "models/" of the API's lists.
func geminiModel(c Config) string { return strings.TrimPrefix(c.Model, "models/") }

func geminiBody(c Config, purpose Purpose, texts []string) any {
	requests := make([]fields, len(texts))
	for i, text := range texts {
		requests[i] = fields{
			"model":    "models/" + geminiModel(c),
			"content":  fields{"parts": []fields{{"text": text}}},
			"taskType": purpose.word("RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"),
		}.with("outputDimensionality", c.Dimensions)
	}
	return fields{"requests": requests}
}

// word returns an API's word for a purpose.
func (p Purpose) word(document, query string) string {
	if p == ForQuery {
		return query
	}
	return document
}

// bearer sends the key as an OAuth 2.0 bearer token.
func bearer(header http.Header, key Secret) {
	header.Set("Authorization", "Bearer "+string(key))
}

// header sends the key in a header of the API's own.
func header(name string) func(http.Header, Secret) {
	return func(header http.Header, key Secret) { header.Set(name, string(key)) }
}

// fixed returns a path that does not depend on the configuration.
func fixed(path string) func(Config) string {
	return func(Config) string { return path }
}

// indexedVectors reads the vectors of OpenAI's and Voyage's responses, ordered by index,
// not by position.
func indexedVectors(answer []byte) ([][]float32, error) {
	var list struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(list.Data))
	for _, entry := range list.Data {
		if entry.Index < 0 || entry.Index >= len(vectors) || vectors[entry.Index] != nil {
			return nil, fmt.Errorf("index %d among %d vectors is out of range or there twice", entry.Index, len(vectors))
		}
		vectors[entry.Index] = entry.Embedding
	}
	return vectors, nil
}
