package daemon

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/embed"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// embeddings ranks by the vectors of the user's embedding provider, when there
// is one. Whatever it lacks, the built-in model does: no request waits for a
// catalogue's vectors, and for a message's only until the deadline.
type embeddings struct {
	store     *embed.Store
	catalogs  *catalogs
	host      *host
	telemetry *telemetry
	log       *slog.Logger
	client    *http.Client

	// provider is the one in force; empty is the built-in model.
	provider atomic.Pointer[string]
	// ranked holds the vectors and the catalogues that are ranked by them.
	ranked atomic.Pointer[rankedVectors]

	// mu guards what follows.
	mu sync.Mutex
	// asked are the settings that were last asked for.
	asked protocol.EmbeddingsSettings
	// version counts the lists of texts; layouts says what is in those that
	// may still come back.
	version uint64
	layouts map[uint64][]*router.Catalog
}

// rankedVectors are vectors in force. It is immutable.
type rankedVectors struct {
	vectors  *embed.Vectors
	catalogs map[*router.Catalog]bool
}

// openEmbeddings starts the store. Without a storage path it keeps vectors in
// memory only.
func openEmbeddings(w *workspace, client *http.Client) *embeddings {
	e := &embeddings{
		catalogs: w.catalogs, host: w.host, telemetry: w.telemetry, log: w.log, client: client,
		asked:   protocol.DefaultSettings().Embeddings,
		layouts: map[uint64][]*router.Catalog{},
	}
	none := ""
	e.provider.Store(&none)
	e.store = embed.Open(embed.Options{Dir: w.paths.vectors(), Published: e.published, Log: w.log})
	return e
}

// followEmbeddings applies changed settings. A key may have to be asked for,
// so it is done beside everything else.
func (w *workspace) followEmbeddings() {
	settings := w.settings.Load().Embeddings
	w.running.Go(func() { w.embeddings.configure(w.life, settings) })
}

// configure follows the settings. It asks the host for a key and may wait for
// the user; the newest settings win.
func (e *embeddings) configure(ctx context.Context, s protocol.EmbeddingsSettings) {
	e.mu.Lock()
	same := e.asked == s
	e.asked = s
	e.mu.Unlock()
	if same {
		return
	}
	provider, err := e.open(ctx, s)
	e.mu.Lock()
	stale := e.asked != s
	e.mu.Unlock()
	if stale {
		return
	}
	name := string(s.Provider)
	if err != nil {
		e.host.show(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: err.Error(), Setting: "winnow.embeddings",
			Next: "Correct the settings; until then the built-in model ranks.",
		})
	}
	if provider == nil {
		name = ""
	}
	e.provider.Store(&name)
	e.ranked.Store(nil)
	e.store.SetDeadline(time.Duration(s.TimeoutMs) * time.Millisecond)
	e.store.SetProvider(provider)
	e.setTexts()
}

// open makes the provider that the settings ask for; nil for the built-in
// model.
func (e *embeddings) open(ctx context.Context, s protocol.EmbeddingsSettings) (embed.Provider, error) {
	c := embed.Config{Provider: string(s.Provider), URL: s.URL, Model: s.Model, Dimensions: s.Dimensions}
	if s.Provider == protocol.EmbeddingsBuiltin {
		return nil, nil //nolint:nilnil // no provider is what the settings ask for
	}
	key, err := e.key(ctx, s)
	if err != nil {
		return nil, err
	}
	c.Key = embed.Secret(key)
	return embed.New(c, e.client)
}

// key returns the provider's key from the host's secret store. Where there is
// none and the provider is not a local server, the user is asked once.
func (e *embeddings) key(ctx context.Context, s protocol.EmbeddingsSettings) (string, error) {
	name := "winnow.embeddings." + string(s.Provider)
	key, err := e.host.secretGet(ctx, name)
	if err != nil || key != "" || s.URL != "" || s.Provider == protocol.EmbeddingsOllama || !e.host.can.Prompt {
		return key, err
	}
	key, err = e.host.ask(ctx, protocol.InputRequestParams{
		ID: name, Kind: protocol.InputPromptString, Password: true,
		Description: "API key of the embedding provider " + string(s.Provider),
	})
	if err != nil {
		return "", err
	}
	return key, e.host.secretSet(ctx, name, key)
}

// setTexts hands the texts of the newest catalogues to the store, all sources
// in one list.
func (e *embeddings) setTexts() {
	if *e.provider.Load() == "" {
		return
	}
	var texts []string
	var layout []*router.Catalog
	for _, source := range e.catalogs.sources() {
		if c, ok := e.catalogs.get(source); ok {
			layout = append(layout, c)
			texts = append(texts, c.ProviderTexts()...)
		}
	}
	e.mu.Lock()
	e.version++
	version := e.version
	e.layouts[version] = layout
	e.mu.Unlock()
	e.store.SetTexts(version, texts)
}

// published takes over the vectors of a list of texts. Catalogues that were
// replaced meanwhile get theirs with the next list.
func (e *embeddings) published(v *embed.Vectors) {
	e.mu.Lock()
	layout := e.layouts[v.Version()]
	for version := range e.layouts {
		if version <= v.Version() {
			delete(e.layouts, version)
		}
	}
	e.mu.Unlock()
	next := &rankedVectors{vectors: v, catalogs: map[*router.Catalog]bool{}}
	rows := v.Rows()
	for _, c := range layout {
		mine := rows[:len(c.Tools)]
		rows = rows[len(c.Tools):]
		ranked, err := c.WithVectors(v.Space().String(), mine)
		if err != nil {
			e.log.Error("vectors not used", "error", err)
			continue
		}
		if e.catalogs.replace(c, ranked) {
			next.catalogs[ranked] = true
		}
	}
	e.ranked.Store(next)
}

// see returns the view with the provider's vector of a text that is about to
// be ranked. Without a provider it is the view.
func (e *embeddings) see(ctx context.Context, v *router.View, text string) *router.View {
	provider := *e.provider.Load()
	if provider == "" {
		return v
	}
	var vectors *embed.Vectors
	if ranked := e.ranked.Load(); ranked != nil && ranked.catalogs[v.Catalog] {
		vectors = ranked.vectors
	}
	vector, reason := e.store.Query(ctx, vectors, text)
	if reason != embed.ReasonNone {
		e.telemetry.rankerFallback(provider, v.RankerName(), string(reason))
	}
	if vector == nil {
		return v
	}
	return v.WithQueryVector(text, vector)
}

func (e *embeddings) close() { e.store.Close() }
