package daemon_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// refusedText is of what a meaningServer has no time for.
const refusedText = "nobody has time for"

// meaningServer answers as Ollama does. It knows one thing that no
// other model does: that a flurbish is a zebra.
func meaningServer(t *testing.T) *httptest.Server {
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
			if strings.Contains(text, refusedText) {
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

func TestEmbeddings_providerRanksAndFallsBack(t *testing.T) {
	t.Parallel()
	meaning := meaningServer(t)
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(map[string]any{"ranker": "embeddings", "telemetry": true})
	tools := append(hostTools(100), protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."})
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: tools})

	best := func() string {
		r := daemontest.Call[protocol.CatalogSearchResult](h, protocol.MethodCatalogSearch,
			protocol.CatalogSearchParams{Source: "vscode", Query: "the flurbish", Limit: 1})
		if len(r.Tools) == 0 {
			return ""
		}
		return r.Tools[0].Name
	}
	h.Notify(protocol.MethodDidChangeSettings, map[string]any{"settings": map[string]any{
		"embeddings": map[string]any{"provider": "ollama", "url": meaning.URL, "model": "stripes", "timeoutMs": 5000},
	}})
	h.Until("the provider's vectors to rank", func() bool { return best() == "mcp_zoo_zebra" })

	// The provider dies in the middle of the session.
	meaning.Close()
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
		protocol.TaskOpenParams{Source: "vscode", Message: "send an e-mail to the keeper of the zebra"})
	if a.Mode != protocol.AttachDynamic || len(a.Tools) != 30 || a.Ranker == "" {
		t.Errorf("without the provider: %s, %d tools, ranked by %q", a.Mode, len(a.Tools), a.Ranker)
	}
	h.Until("the fallback to be told", func() bool {
		for _, n := range h.Notes() {
			p := string(n.Params)
			if n.Method == protocol.MethodTelemetryEvent && strings.Contains(p, "ranker_fallback") &&
				strings.Contains(p, `"from":"ollama"`) && strings.Contains(p, `"reason":"failing"`) {
				return true
			}
		}
		return false
	})
	// Back to the model in the box.
	h.Notify(protocol.MethodDidChangeSettings, map[string]any{"settings": map[string]any{"embeddings": nil}})
	h.Until("the built-in model to rank", func() bool { return best() != "mcp_zoo_zebra" })
}

// TestEmbeddings_newToolsCostNoOtherItsVector: while the provider has no vectors
// for the tools that are new, the others are ranked by those they have.
func TestEmbeddings_newToolsCostNoOtherItsVector(t *testing.T) {
	t.Parallel()
	meaning := meaningServer(t)
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(map[string]any{"ranker": "embeddings", "embeddings": map[string]any{
		"provider": "ollama", "url": meaning.URL, "model": "stripes", "timeoutMs": 5000,
	}})
	set := func(tools ...protocol.HostTool) {
		daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
			protocol.SetHostToolsParams{Source: "vscode", Tools: append(hostTools(100), tools...)})
	}
	best := func() string {
		r := daemontest.Call[protocol.CatalogSearchResult](h, protocol.MethodCatalogSearch,
			protocol.CatalogSearchParams{Source: "vscode", Query: "the flurbish", Limit: 1})
		if len(r.Tools) == 0 {
			return ""
		}
		return r.Tools[0].Name
	}
	zebra := protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."}
	set(zebra)
	h.Until("the provider's vectors to rank", func() bool { return best() == "mcp_zoo_zebra" })
	set(zebra, protocol.HostTool{Server: "zoo", Name: "mcp_zoo_okapi", Description: "Show the okapi, which " + refusedText})
	if got := best(); got != "mcp_zoo_zebra" {
		t.Errorf("got %q, want mcp_zoo_zebra, whose vector is known", got)
	}
}

func TestEmbeddings_wrongSettingsAreTold(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(map[string]any{"embeddings": map[string]any{"provider": "voyage", "model": "voyage-4"}})
	h.Until("the missing key to be told", func() bool {
		for _, n := range h.Notes() {
			if n.Method == protocol.MethodShowMessage && strings.Contains(string(n.Params), "API key") {
				return true
			}
		}
		return false
	})
}

func TestEmbeddings_keyIsAskedForOnce(t *testing.T) {
	t.Parallel()
	secrets, asked := make(chan string, 1), make(chan string, 8)
	h := daemontest.Run(t, daemontest.Options{
		Capabilities: protocol.ClientCapabilities{Prompt: true, Secrets: true},
		Answer: func(m daemontest.Message) (any, *daemontest.Error) {
			switch m.Method {
			case protocol.MethodInputRequest:
				asked <- string(m.Params)
				return map[string]any{"value": "k-123"}, nil
			case protocol.MethodSecretSet:
				secrets <- string(m.Params)
			}
			return map[string]any{}, nil
		},
	})
	h.Initialize(map[string]any{"embeddings": map[string]any{"provider": "cohere", "model": "embed-v4.0"}})
	if p := <-asked; !strings.Contains(p, `"password":true`) || !strings.Contains(p, "cohere") {
		t.Errorf("asked with %s", p)
	}
	if p := <-secrets; !strings.Contains(p, "winnow.embeddings.cohere") || !strings.Contains(p, "k-123") {
		t.Errorf("stored %s", p)
	}
	if strings.Contains(h.Log(), "k-123") {
		t.Error("the key is in the log")
	}
}

// TestEmbeddings_refusedKeyIsAskedForAgain: a key that was mistyped, or that a
// server turns out to need, can be given without looking for a secret store.
func TestEmbeddings_refusedKeyIsAskedForAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k-good" {
			http.Error(w, "no such key", http.StatusUnauthorized)
			return
		}
		http.Error(w, "the key is good", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	keys := make(chan string, 2)
	keys <- "k-mistyped"
	keys <- "k-good"
	asked, secrets := make(chan protocol.InputRequestParams, 8), make(chan string, 8)
	h := daemontest.Run(t, daemontest.Options{
		Capabilities: protocol.ClientCapabilities{Prompt: true, Secrets: true},
		Answer: func(m daemontest.Message) (any, *daemontest.Error) {
			switch m.Method {
			case protocol.MethodInputRequest:
				var p protocol.InputRequestParams
				if err := json.Unmarshal(m.Params, &p); err != nil {
					t.Error(err)
				}
				asked <- p
				return map[string]any{"value": <-keys}, nil
			case protocol.MethodSecretSet:
				secrets <- string(m.Params)
			}
			return map[string]any{}, nil
		},
	})
	h.Initialize(map[string]any{"embeddings": map[string]any{"provider": "openai", "url": server.URL, "model": "m"}})
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: hostTools(3)})
	for _, key := range []string{"k-mistyped", "k-good"} {
		if p := <-asked; p.Server != "" || !p.Password || !strings.Contains(p.Description, "openai refused") {
			t.Errorf("asked with %+v", p)
		}
		if p := <-secrets; !strings.Contains(p, "winnow.embeddings.openai") || !strings.Contains(p, key) {
			t.Errorf("stored %s, want %s", p, key)
		}
	}
	h.Until("the new key to be used", func() bool { return strings.Contains(h.Log(), "the key is good") })
}

// TestEmbeddings_refusedKeyAndNoOtherOne: who gives no other key is told how to
// be asked again, and not pestered.
func TestEmbeddings_refusedKeyAndNoOtherOne(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such key", http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	h := daemontest.Run(t, daemontest.Options{
		Capabilities: protocol.ClientCapabilities{Prompt: true, Secrets: true},
		Answer:       func(daemontest.Message) (any, *daemontest.Error) { return map[string]any{}, nil },
	})
	h.Initialize(map[string]any{"embeddings": map[string]any{"provider": "openai", "url": server.URL, "model": "m"}})
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: hostTools(3)})
	h.Until("the refusal to be told", func() bool {
		for _, n := range h.Notes() {
			p := string(n.Params)
			if n.Method == protocol.MethodShowMessage && strings.Contains(p, "openai refused") && strings.Contains(p, "Restart Daemon") {
				return true
			}
		}
		return false
	})
}
