package embed

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// dialect is how one API wants to be asked, and what it answers.
type dialect struct {
	// url is the API's own base address; empty when every user has another.
	url string
	// modelHint names a usual model, for the message that one is missing.
	modelHint string
	needsKey  bool
	// texts is the most texts that the API takes in one request.
	texts int
	// path is appended to the base address.
	path func(Config) string
	// authorize sets the header that carries the key, when there is one.
	authorize func(http.Header, Secret)
	// body is the request, to be encoded as JSON.
	body func(c Config, purpose Purpose, texts []string) any
	// vectors reads an answer. The caller checks what it finds.
	vectors func(answer []byte) ([][]float32, error)
}

// dialects returns the known APIs by the name in the settings.
func dialects() map[string]dialect {
	return map[string]dialect{
		"azure":  azure(),
		"cohere": cohere(),
		"gemini": gemini(),
		"ollama": ollama(),
		"openai": openAI(),
		"voyage": voyage(),
	}
}

// bearer sends the key as OAuth 2.0 bearer tokens are sent.
func bearer(header http.Header, key Secret) {
	header.Set("Authorization", "Bearer "+string(key))
}

// fixed is a path that does not depend on the configuration.
func fixed(path string) func(Config) string {
	return func(Config) string { return path }
}

// indexed is the list of vectors in OpenAI's and Voyage's answers. The index
// counts, not the position.
type indexed struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// indexedVectors reads vectors in the order of their index.
func indexedVectors(answer []byte) ([][]float32, error) {
	var list indexed
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
