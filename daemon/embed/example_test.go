package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/winnow-mcp/winnow/daemon/embed"
)

// corpus stands for the daemon's catalogue version: the texts of its tools and
// their vectors, nil until they are complete.
type corpus struct {
	texts   []string
	vectors *embed.Vectors
}

// The daemon's use of a store: open it once, set the provider when settings
// change and the texts when the catalogue does, take over published vectors,
// and ask for a query's vector before ranking.
func ExampleStore() {
	server := exampleServer()
	defer server.Close()
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	published := make(chan *embed.Vectors, 1) // the daemon swaps an atomic pointer
	store := embed.Open(embed.Options{
		Dir:       dir,
		Published: func(v *embed.Vectors) { published <- v },
	})
	defer store.Close()
	store.SetDeadline(time.Minute)

	provider, err := embed.New(embed.Config{
		Provider: "ollama", URL: server.URL, Model: "nomic-embed-text",
	}, server.Client())
	if err != nil {
		fmt.Println(err)
		return
	}
	store.SetProvider(provider)

	tools := corpus{texts: []string{"read file", "send message"}}
	store.SetTexts(1, tools.texts)
	tools.vectors = <-published

	vector, reason := store.Query(context.Background(), tools.vectors, "open the notes")
	if reason != embed.ReasonNone {
		fmt.Println("the built-in model ranks:", reason)
		return
	}
	fmt.Println(len(tools.vectors.Rows()), "vectors of dimension", tools.vectors.Space().Dim, "and a query's of", len(vector))
	// Output: 2 vectors of dimension 3 and a query's of 3
}

// exampleServer answers as Ollama does.
func exampleServer() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var answer struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		for range request.Input {
			answer.Embeddings = append(answer.Embeddings, []float32{1, 2, 2})
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
}
