package embed

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"
)

// exchange is one request as an API's documentation shows it, and its answer
// with the vectors (3, 4) and (0, 2) for the two texts.
type exchange struct {
	path, header, value string
	document, query     string
	answer              string
}

func exchanges() map[string]exchange {
	const indexed = `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"usage":{"total_tokens":2}}`
	return map[string]exchange{
		"openai": {
			path: "/embeddings", header: "Authorization", value: "Bearer sk-1",
			document: `{"model":"m/1","input":["a","b"],"dimensions":2,"encoding_format":"float"}`,
			query:    `{"model":"m/1","input":["a","b"],"dimensions":2,"encoding_format":"float"}`,
			answer:   indexed,
		},
		"azure": {
			path: "/openai/deployments/m%2F1/embeddings?api-version=2024-10-21", header: "api-key", value: "sk-1",
			document: `{"input":["a","b"],"dimensions":2,"encoding_format":"float"}`,
			query:    `{"input":["a","b"],"dimensions":2,"encoding_format":"float"}`,
			answer:   indexed,
		},
		"ollama": {
			path: "/api/embed", header: "Authorization", value: "Bearer sk-1",
			document: `{"model":"m/1","input":["a","b"],"truncate":true,"dimensions":2}`,
			query:    `{"model":"m/1","input":["a","b"],"truncate":true,"dimensions":2}`,
			answer:   `{"model":"m/1","embeddings":[[3,4],[0,2]]}`,
		},
		"gemini": {
			path: "/models/m%2F1:batchEmbedContents", header: "X-Goog-Api-Key", value: "sk-1",
			document: `{"requests":[
				{"model":"models/m/1","content":{"parts":[{"text":"a"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2},
				{"model":"models/m/1","content":{"parts":[{"text":"b"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2}]}`,
			query: `{"requests":[
				{"model":"models/m/1","content":{"parts":[{"text":"a"}]},"taskType":"RETRIEVAL_QUERY","outputDimensionality":2},
				{"model":"models/m/1","content":{"parts":[{"text":"b"}]},"taskType":"RETRIEVAL_QUERY","outputDimensionality":2}]}`,
			answer: `{"embeddings":[{"values":[3,4]},{"values":[0,2]}]}`,
		},
		"voyage": {
			path: "/embeddings", header: "Authorization", value: "Bearer sk-1",
			document: `{"model":"m/1","input":["a","b"],"input_type":"document","output_dimension":2,"truncation":true}`,
			query:    `{"model":"m/1","input":["a","b"],"input_type":"query","output_dimension":2,"truncation":true}`,
			answer:   indexed,
		},
		"cohere": {
			path: "/v2/embed", header: "Authorization", value: "Bearer sk-1",
			document: `{"model":"m/1","texts":["a","b"],"input_type":"search_document","embedding_types":["float"],"output_dimension":2,"truncate":"END"}`,
			query:    `{"model":"m/1","texts":["a","b"],"input_type":"search_query","embedding_types":["float"],"output_dimension":2,"truncate":"END"}`,
			answer:   `{"id":"x","embeddings":{"float":[[3,4],[0,2]]}}`,
		},
	}
}

// TestDialects_Exchange has every API asked over HTTP and compares what goes
// over the wire.
func TestDialects_Exchange(t *testing.T) {
	t.Parallel()
	want := [][]float32{{.6, .8}, {0, 1}}
	for _, name := range Providers() {
		for purpose, label := range map[Purpose]string{ForDocument: "document", ForQuery: "query"} {
			t.Run(name+"/"+label, func(t *testing.T) {
				t.Parallel()
				expected, ok := exchanges()[name]
				if !ok {
					t.Fatal("no exchange is written down for this provider")
				}
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					checkRequest(t, r, expected, purpose)
					if _, err := io.WriteString(w, expected.answer); err != nil {
						t.Error(err)
					}
				}))
				defer server.Close()
				provider, err := New(Config{Provider: name, URL: server.URL + "/", Model: "m/1", Dimensions: 2, Key: "sk-1"}, server.Client())
				if err != nil {
					t.Fatal(err)
				}
				got, err := provider.Embed(context.Background(), purpose, []string{"a", "b"})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.EqualFunc(got, want, func(a, b []float32) bool { return slices.Equal(a, b) }) {
					t.Errorf("vectors %v, want %v", got, want)
				}
			})
		}
	}
}

func checkRequest(t *testing.T, r *http.Request, want exchange, purpose Purpose) {
	t.Helper()
	if got := r.URL.RequestURI(); r.Method != http.MethodPost || got != want.path {
		t.Errorf("%s %s, want POST %s", r.Method, got, want.path)
	}
	if got := r.Header.Get(want.header); got != want.value {
		t.Errorf("%s: %q, want %q", want.header, got, want.value)
	}
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: %q", got)
	}
	body := want.document
	if purpose == ForQuery {
		body = want.query
	}
	var gotBody, wantBody any
	if err := json.NewDecoder(r.Body).Decode(&gotBody); err != nil {
		t.Errorf("body: %v", err)
	}
	if err := json.Unmarshal([]byte(body), &wantBody); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(gotBody, wantBody) {
		t.Errorf("body %v, want %v", gotBody, wantBody)
	}
}

// TestDialects_OmitWhatIsUnset keeps absent options out of the request: not
// every model takes them.
func TestDialects_OmitWhatIsUnset(t *testing.T) {
	t.Parallel()
	for name, speaks := range dialects() {
		body, err := json.Marshal(speaks.body(Config{Model: "m"}, ForDocument, []string{"a"}))
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"dimensions", "output_dimension", "outputDimensionality"} {
			if _, ok := fields[field]; ok {
				t.Errorf("%s sends %s though none is configured: %s", name, field, body)
			}
		}
	}
}

func TestIndexedVectors_Faults(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{"data":[{"index":1,"embedding":[1]}]}`,
		`{"data":[{"index":-1,"embedding":[1]}]}`,
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		`{"data":[{"index":0,"embedding":"AAAA"}]}`,
		`not JSON`,
	} {
		if vectors, err := indexedVectors([]byte(answer)); err == nil {
			t.Errorf("%s was read as %v", answer, vectors)
		}
	}
}

// FuzzDialects checks that no answer makes a reader panic, and that what is
// accepted is fit for use.
func FuzzDialects(f *testing.F) {
	for _, one := range exchanges() {
		f.Add([]byte(one.answer))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for name, speaks := range dialects() {
			vectors, err := speaks.vectors(answer)
			if err != nil || checkVectors(vectors, 2) != nil {
				continue
			}
			for _, v := range vectors {
				if !unit(v) {
					t.Errorf("%s: accepted %v", name, v)
				}
			}
		}
	})
}
