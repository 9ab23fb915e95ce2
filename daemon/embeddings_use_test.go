package daemon

import (
	"log/slog"
	"net/http"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/embed"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestEmbeddings_newestSettingsWin: a provider whose key came late, after the
// settings named another, is not put into force.
func TestEmbeddings_newestSettingsWin(t *testing.T) {
	t.Parallel()
	e := &embeddings{
		layouts: map[uint64][]*router.Catalog{}, store: embed.Open(embed.Options{}), client: http.DefaultClient, log: slog.New(slog.DiscardHandler),
		catalogs: newCatalogs(learned.OpenTokenCounts("", slog.New(slog.DiscardHandler)), newBuiltinModel(slog.New(slog.DiscardHandler))),
	}
	t.Cleanup(e.close)
	none := ""
	e.provider.Store(&none)
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
