// Package embeddings ranks by the vectors of the user's embedding provider, if there is
// one. It follows the settings, asks the user for a key, submits the texts of the newest
// catalogues and applies their vectors.
//
// Package embed implements the providers, the cache and the deadline; package ranker the
// built-in model.
package embeddings

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/embed"
	"github.com/winnow-mcp/winnow/daemon/engine/catalog"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options configures an [Embeddings].
type Options struct {
	Catalogs *catalog.Store
	Host     host.Host
	// Fallback is called for each ranking that had to do without the provider.
	Fallback func(from, to, reason string)
	Log      *slog.Logger
	Client   *http.Client
	// Dir is where vectors are stored; "" keeps them in memory.
	Dir string
}

// Embeddings ranks by the vectors of the user's embedding provider, if there is one. The
// built-in model is used for missing vectors. No request waits for a catalogue's vectors,
// and for a message's vector only until the deadline.
type Embeddings struct {
	options Options
	store   *embed.Store

	// provider is the current one; empty means the built-in model.
	provider atomic.Pointer[string]
	// ranked holds the current vectors, of some catalogue.
	ranked atomic.Pointer[embed.Vectors]

	// refusals signals that the current provider refuses its key.
	refusals chan struct{}

	// using is held while a provider is applied and while the store is given texts, so
	// that concurrent changes do not mix. It is never held during a call of the host.
	using sync.Mutex

	// mu guards the following fields.
	mu sync.Mutex
	// asked holds the settings requested last.
	asked protocol.EmbeddingsSettings
	// version counts the lists of texts. layouts holds the content of those whose vectors
	// are pending.
	version uint64
	layouts map[uint64][]*router.Catalog
}

// Open starts the store. The built-in model ranks until Follow finds another provider in
// the settings.
func Open(o Options) *Embeddings {
	e := &Embeddings{
		options:  o,
		refusals: make(chan struct{}, 1),
		asked:    protocol.DefaultSettings().Embeddings,
		layouts:  map[uint64][]*router.Catalog{},
	}
	none := ""
	e.provider.Store(&none)
	e.store = embed.Open(embed.Options{Dir: o.Dir, Published: e.published, Refused: e.refused, Log: o.Log})
	return e
}

// Follow applies changed settings. It returns the work to do in a goroutine, because a
// key may have to be requested; nil if there is none.
func (e *Embeddings) Follow(settings protocol.EmbeddingsSettings) func(ctx context.Context) {
	if !e.ask(settings) {
		return nil
	}
	return func(ctx context.Context) {
		provider, err := e.open(ctx, settings)
		e.use(settings, provider, err)
	}
}

// ask stores the newest settings, and reports whether they have changed.
func (e *Embeddings) ask(s protocol.EmbeddingsSettings) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == s {
		return false
	}
	e.asked = s
	return true
}

// use applies a provider, nil for the built-in model, and reports err to the user.
// Settings that are no longer the newest change nothing.
func (e *Embeddings) use(s protocol.EmbeddingsSettings, provider embed.Provider, err error) {
	if e.install(s, provider) && err != nil {
		e.options.Host.ShowMessage(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: err.Error(), Setting: "winnow.embeddings",
			Next: "Correct the settings; until then the built-in model ranks.",
		})
	}
}

// install applies a provider if the settings are still the newest, and reports whether
// they are.
func (e *Embeddings) install(s protocol.EmbeddingsSettings, provider embed.Provider) bool {
	e.using.Lock()
	defer e.using.Unlock()
	e.mu.Lock()
	stale := e.asked != s
	e.mu.Unlock()
	if stale {
		return false
	}
	name := string(s.Provider)
	if provider == nil {
		name = ""
	}
	e.provider.Store(&name)
	e.ranked.Store(nil)
	e.store.SetDeadline(time.Duration(s.TimeoutMs) * time.Millisecond)
	e.store.SetProvider(provider)
	e.dropVectors()
	e.sendTexts()
	e.options.Log.Debug("another model ranks", "provider", cmp.Or(name, string(protocol.EmbeddingsBuiltin)))
	return true
}

// dropVectors removes the previous provider's vectors from the catalogues, which would
// otherwise carry them from version to version.
func (e *Embeddings) dropVectors() {
	for _, source := range e.options.Catalogs.Sources() {
		c, ok := e.options.Catalogs.Get(source)
		if !ok || c.VectorModel() == "" {
			continue
		}
		if plain, err := c.WithVectors("", make([][]float32, len(c.Tools))); err == nil {
			e.options.Catalogs.Replace(c, plain)
		}
	}
}

// open returns the provider of the settings, nil for the built-in model. It asks the host
// for a key and may wait for the user.
func (e *Embeddings) open(ctx context.Context, s protocol.EmbeddingsSettings) (embed.Provider, error) {
	if s.Provider == protocol.EmbeddingsBuiltin {
		return nil, nil //nolint:nilnil // no provider is what the settings ask for
	}
	key, err := e.key(ctx, s)
	if err != nil {
		return nil, err
	}
	return e.newProvider(s, key)
}

func (e *Embeddings) newProvider(s protocol.EmbeddingsSettings, key string) (embed.Provider, error) {
	return embed.New(embed.Config{
		Provider: string(s.Provider), URL: s.URL, Model: s.Model, Dimensions: s.Dimensions, Key: embed.Secret(key),
	}, e.options.Client)
}

// key returns the provider's key from the host's secret store. If there is none and the
// provider is not a local server, it asks the user once.
func (e *Embeddings) key(ctx context.Context, s protocol.EmbeddingsSettings) (string, error) {
	key, err := e.options.Host.Secret(ctx, keyName(s))
	if err != nil || key != "" || s.URL != "" || s.Provider == protocol.EmbeddingsOllama || !e.options.Host.Capabilities().Prompt {
		return key, err
	}
	return e.askKey(ctx, s, "API key of the embedding provider "+string(s.Provider))
}

// keyName returns the name of a provider's key in the host's secret store.
func keyName(s protocol.EmbeddingsSettings) string {
	return "winnow.embeddings." + string(s.Provider)
}

// askKey asks the user for the provider's key, and stores it in place of any other. If
// that fails, the key is used until the daemon ends.
func (e *Embeddings) askKey(ctx context.Context, s protocol.EmbeddingsSettings, description string) (string, error) {
	key, err := e.options.Host.Input(ctx, protocol.InputRequestParams{
		ID: keyName(s), Kind: protocol.InputPromptString, Password: true, Description: description,
	})
	if err != nil {
		return "", err
	}
	if err := e.options.Host.SetSecret(ctx, keyName(s), key); err != nil {
		e.options.Log.Warn("the key of the embedding provider is good until the daemon ends: it cannot be kept", "error", err)
	}
	return key, nil
}

// refused records that the current provider refuses its key.
func (e *Embeddings) refused() {
	select {
	case e.refusals <- struct{}{}:
	default: // it is recorded already
	}
}

// ReplaceKeys asks for another key each time the provider refuses its key, until ctx
// ends.
func (e *Embeddings) ReplaceKeys(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.refusals:
			e.replaceKey(ctx)
		}
	}
}

func (e *Embeddings) replaceKey(ctx context.Context) {
	e.mu.Lock()
	s := e.asked
	e.mu.Unlock()
	if s.Provider == protocol.EmbeddingsBuiltin {
		return // the settings have changed since
	}
	refused := "The embedding provider " + string(s.Provider) + " refused access"
	key, err := "", host.ErrDismissed
	if e.options.Host.Capabilities().Prompt {
		key, err = e.askKey(ctx, s, refused+". Enter its API key")
	}
	if err == nil {
		provider, err := e.newProvider(s, key)
		e.use(s, provider, err)
		return
	}
	if ctx.Err() == nil {
		e.options.Host.ShowMessage(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: refused, Setting: "winnow.embeddings",
			Next: "Until it has a valid API key the built-in model ranks; run “Winnow: Restart Daemon” to be asked again.",
		})
	}
}

// SetTexts gives the texts of the newest catalogues to the store, all sources in one
// list.
func (e *Embeddings) SetTexts() {
	e.using.Lock()
	defer e.using.Unlock()
	e.sendTexts()
}

// sendTexts is SetTexts for callers that hold using, so that an older list never follows
// a newer one.
func (e *Embeddings) sendTexts() {
	if *e.provider.Load() == "" {
		return
	}
	var texts []string
	var layout []*router.Catalog
	for _, source := range e.options.Catalogs.Sources() {
		if c, ok := e.options.Catalogs.Get(source); ok {
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

// published applies the vectors of a list of texts. Catalogues that were replaced
// meanwhile get theirs with the next list.
func (e *Embeddings) published(v *embed.Vectors) {
	e.mu.Lock()
	layout := e.layouts[v.Version()]
	for version := range e.layouts {
		if version <= v.Version() {
			delete(e.layouts, version)
		}
	}
	e.mu.Unlock()
	rows := v.Rows()
	for _, c := range layout {
		mine := rows[:len(c.Tools)]
		rows = rows[len(c.Tools):]
		ranked, err := c.WithVectors(v.Space().String(), mine)
		if err != nil {
			e.options.Log.Error("vectors not used", "error", err)
			continue
		}
		e.options.Catalogs.Replace(c, ranked) // fails if a newer one has its own list
	}
	e.ranked.Store(v)
}

// WithVector returns the view with the provider's vector of a text to be ranked. Without
// a provider it returns v.
func (e *Embeddings) WithVector(ctx context.Context, v *router.View, text string) *router.View {
	provider := *e.provider.Load()
	if provider == "" {
		return v
	}
	vectors := e.ranked.Load()
	if vectors != nil && v.Catalog.VectorModel() != vectors.Space().String() {
		vectors = nil // its own are pending
	}
	vector, reason := e.store.Query(ctx, vectors, text)
	if reason != embed.ReasonNone {
		e.options.Fallback(provider, v.RankerName(), string(reason))
	}
	if vector == nil {
		return v
	}
	return v.WithQueryVector(text, vector)
}

// ClearCache deletes the stored vectors.
func (e *Embeddings) ClearCache() error { return e.store.ClearCache() }

// Close ends the store.
func (e *Embeddings) Close() { e.store.Close() }
