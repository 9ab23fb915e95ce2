package enginetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// RefusedText is in texts for which a [MeaningServer] returns an error.
const RefusedText = "nobody has time for"

// MeaningServer is a server with Ollama's API. Its model alone treats "flurbish" as a
// synonym of "zebra".
func MeaningServer(t testing.TB) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := struct {
			Embeddings [][]float32 `json:"embeddings"`
		}{}
		for _, text := range request.Input {
			if strings.Contains(text, RefusedText) {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			vector := []float32{0, 1}
			if strings.Contains(text, "zebra") || strings.Contains(text, "flurbish") {
				vector = []float32{1, 0}
			}
			answer.Embeddings = append(answer.Embeddings, vector)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server
}
