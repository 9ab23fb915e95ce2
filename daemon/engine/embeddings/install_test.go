package embeddings

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/catalog"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestEmbeddings_newestSettingsWin: a provider whose key came late, after the
// settings named another, is not put into force.
func TestEmbeddings_newestSettingsWin(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	known, err := learned.Open("", log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	e := Open(Options{
		Catalogs: catalog.NewStore(catalog.StoreOptions{Log: log, Settings: settings.NewStore(), Learned: known}),
		Host:     host.None{}, Log: log, Client: http.DefaultClient,
	})
	t.Cleanup(e.Close)
	slow := protocol.EmbeddingsSettings{Provider: protocol.EmbeddingsOpenAI, URL: "http://127.0.0.1:1", Model: "m"}
	provider, err := e.newProvider(slow, "key")
	if err != nil {
		t.Fatal(err)
	}
	newest := slow
	newest.Model = "n"
	if !e.ask(slow) || e.ask(slow) || !e.ask(newest) {
		t.Error("what is asked for is not noted in order")
	}
	if e.install(slow, provider) || *e.provider.Load() != "" {
		t.Errorf("%q is in force by settings that were replaced", *e.provider.Load())
	}
	if !e.install(newest, provider) || *e.provider.Load() != "openai" {
		t.Errorf("%q is in force", *e.provider.Load())
	}
}
