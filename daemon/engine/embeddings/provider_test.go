package embeddings_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// best is the name of the first tool that a search by meaning finds; "" for none.
func best(h *enginetest.Host) string {
	r := enginetest.Call(h, h.CatalogSearch, protocol.CatalogSearchParams{Source: "vscode", Query: "the flurbish", Limit: 1})
	if len(r.Tools) == 0 {
		return ""
	}
	return r.Tools[0].Name
}

func TestEmbeddings_providerRanksAndFallsBack(t *testing.T) {
	t.Parallel()
	meaning := enginetest.MeaningServer(t)
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"ranker": "embeddings", "telemetry": true})
	tools := append(enginetest.HostTools(100), protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."})
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: tools})

	h.ChangeSettings(fmt.Sprintf(`{"embeddings":{"provider":"ollama","url":%q,"model":"stripes","timeoutMs":5000}}`, meaning.URL))
	h.Until("the provider's vectors to rank", func() bool { return best(h) == "mcp_zoo_zebra" })

	// The provider dies in the middle of the session.
	meaning.Close()
	a := enginetest.Call(h, h.TaskOpen,
		protocol.TaskOpenParams{Source: "vscode", Message: "send an e-mail to the keeper of the zebra"})
	if a.Mode != protocol.AttachDynamic || len(a.Tools) != 30 || a.Ranker == "" {
		t.Errorf("without the provider: %s, %d tools, ranked by %q", a.Mode, len(a.Tools), a.Ranker)
	}
	h.Until("the fallback to be told", func() bool {
		return slices.ContainsFunc(h.Events(), func(e protocol.TelemetryEventParams) bool {
			return e.Name == protocol.EventRankerFallback && e.Labels["from"] == "ollama" && e.Labels["reason"] == "failing"
		})
	})
	// Back to the model in the box.
	h.ChangeSettings(`{"embeddings":null}`)
	h.Until("the built-in model to rank", func() bool { return best(h) != "mcp_zoo_zebra" })
}

// TestEmbeddings_newToolsCostNoOtherItsVector: while the provider has no vectors
// for the tools that are new, the others are ranked by those they have.
func TestEmbeddings_newToolsCostNoOtherItsVector(t *testing.T) {
	t.Parallel()
	meaning := enginetest.MeaningServer(t)
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"ranker": "embeddings", "embeddings": map[string]any{
		"provider": "ollama", "url": meaning.URL, "model": "stripes", "timeoutMs": 5000,
	}})
	set := func(tools ...protocol.HostTool) {
		enginetest.Call(h, h.SetHostTools,
			protocol.SetHostToolsParams{Source: "vscode", Tools: append(enginetest.HostTools(100), tools...)})
	}
	zebra := protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."}
	set(zebra)
	h.Until("the provider's vectors to rank", func() bool { return best(h) == "mcp_zoo_zebra" })
	set(zebra, protocol.HostTool{Server: "zoo", Name: "mcp_zoo_okapi", Description: "Show the okapi, which " + enginetest.RefusedText})
	if got := best(h); got != "mcp_zoo_zebra" {
		t.Errorf("got %q, want mcp_zoo_zebra, whose vector is known", got)
	}
}

// TestEmbeddings_rankedTextIsEmbedded: whatever tools are ranked for has a vector:
// a message that is cut, what the conversation was about when a message does not
// say, what a model asks for, and what why explains.
func TestEmbeddings_rankedTextIsEmbedded(t *testing.T) {
	t.Parallel()
	meaning := enginetest.MeaningServer(t)
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{
		"ranker": "embeddings", "initialK": 1, "searchK": 1, "named": 0,
		"embeddings": map[string]any{"provider": "ollama", "url": meaning.URL, "model": "stripes", "timeoutMs": 5000},
	})
	zebra := protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."}
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: append(enginetest.HostTools(100), zebra)})
	h.Until("the provider's vectors to rank", func() bool {
		r := enginetest.Call(h, h.CatalogSearch, protocol.CatalogSearchParams{Source: "vscode", Query: "the flurbish", Limit: 1})
		return len(r.Tools) == 1 && r.Tools[0].Name == zebra.Name
	})
	open := func(message string) protocol.Attachment {
		return enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Source: "vscode", Message: message})
	}
	has := func(what string, a *protocol.Attachment) {
		t.Helper()
		if !slices.ContainsFunc(a.Tools, func(tool protocol.AttachedTool) bool { return tool.Name == zebra.Name }) {
			t.Errorf("%s: %d tools attached, and not %s", what, len(a.Tools), zebra.Name)
		}
	}
	// What is long says nothing besides: its two halves are no steps of their own.
	long := open("the flurbish" + strings.Repeat(" the", 5000))
	has("a message that is cut", &long)
	explained := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: long.Task, Tool: zebra.Name})
	if len(explained.Tools) != 1 || explained.Tools[0].Rank != 1 {
		t.Errorf("why of it: %+v, want rank 1", explained.Tools)
	}
	about := open("qqz")
	about = enginetest.Call(h, h.TaskCompact, protocol.TaskCompactParams{Task: about.Task, Message: "the flurbish"})
	about = enginetest.Call(h, h.TaskTurn, protocol.TaskTurnParams{Task: about.Task, Message: "and now?"})
	compacted := enginetest.Call(h, h.TaskCompact, protocol.TaskCompactParams{Task: about.Task})
	has("a compaction after a message that does not say", &compacted)
	loaded := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{
		Task: open("qqz").Task, Name: protocol.MetaLoad, Arguments: []byte(`{"query":"the flurbish","limit":1}`),
	})
	if loaded.Attachment == nil {
		t.Fatalf("mcp_load attaches nothing: %s", loaded.Content)
	}
	has("what a model asks for", loaded.Attachment)
}

// TestEmbeddings_selectionIsNotSent: names by which a model selects tools rank
// nothing, so no provider is told of them.
func TestEmbeddings_selectionIsNotSent(t *testing.T) {
	t.Parallel()
	meaning := enginetest.MeaningServer(t)
	var mu sync.Mutex
	var sent strings.Builder
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		sent.Write(body)
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		meaning.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{
		"ranker": "embeddings", "strategy": "dispatch",
		"embeddings": map[string]any{"provider": "ollama", "url": listening.URL, "model": "stripes", "timeoutMs": 5000},
	})
	zebra := protocol.HostTool{Server: "zoo", Name: "mcp_zoo_zebra", Description: "Show the zebra."}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: append(enginetest.HostTools(100), zebra)})
	h.Until("the provider's vectors to rank", func() bool { return best(h) == zebra.Name })
	task := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Source: "vscode", Message: "hello"}).Task
	for _, query := range []string{"select:mcp_zoo_zebra,qqselected", "a qqquery"} {
		enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{
			Task: task, Name: protocol.MetaSearch, Arguments: fmt.Appendf(nil, `{"query":%q}`, query),
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if text := sent.String(); strings.Contains(text, "qqselected") || !strings.Contains(text, "qqquery") {
		t.Errorf("names sent: %v, query sent: %v; want the query alone",
			strings.Contains(text, "qqselected"), strings.Contains(text, "qqquery"))
	}
}

func TestEmbeddings_wrongSettingsAreTold(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"embeddings": map[string]any{"provider": "voyage", "model": "voyage-4"}})
	h.Until("the missing key to be told", func() bool {
		return slices.ContainsFunc(h.Messages(), func(p protocol.ShowMessageParams) bool { return strings.Contains(p.Message, "API key") })
	})
}

func TestEmbeddings_keyIsAskedForOnce(t *testing.T) {
	t.Parallel()
	secrets, asked := make(chan string, 1), make(chan protocol.InputRequestParams, 8)
	h := enginetest.Start(t, enginetest.Options{User: &enginetest.User{
		Can: protocol.ClientCapabilities{Prompt: true, Secrets: true},
		OnInput: func(p protocol.InputRequestParams) (string, error) {
			asked <- p
			return "k-123", nil
		},
		OnSecret: func(key, value string) { secrets <- key + "=" + value },
	}}, map[string]any{"embeddings": map[string]any{"provider": "cohere", "model": "embed-v4.0"}})
	if p := <-asked; !p.Password || !strings.Contains(p.Description, "cohere") {
		t.Errorf("asked with %+v, want a password for cohere", p)
	}
	if p := <-secrets; !strings.Contains(p, "winnow.embeddings.cohere") || !strings.HasSuffix(p, "=k-123") {
		t.Errorf("stored %s, want the key k-123 of cohere", p)
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
	h := enginetest.Start(t, enginetest.Options{User: &enginetest.User{
		Can: protocol.ClientCapabilities{Prompt: true, Secrets: true},
		OnInput: func(p protocol.InputRequestParams) (string, error) {
			asked <- p
			return <-keys, nil
		},
		OnSecret: func(key, value string) { secrets <- key + "=" + value },
	}}, map[string]any{"embeddings": map[string]any{"provider": "openai", "url": server.URL, "model": "m"}})
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: enginetest.HostTools(3)})
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
	h := enginetest.Start(t, enginetest.Options{User: &enginetest.User{
		Can: protocol.ClientCapabilities{Prompt: true, Secrets: true},
	}}, map[string]any{"embeddings": map[string]any{"provider": "openai", "url": server.URL, "model": "m"}})
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: enginetest.HostTools(3)})
	h.Until("the refusal to be told", func() bool {
		return slices.ContainsFunc(h.Messages(), func(p protocol.ShowMessageParams) bool {
			return strings.Contains(p.Message, "openai refused") && strings.Contains(p.Message+p.Next, "Restart Daemon")
		})
	})
}
