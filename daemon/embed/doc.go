// Package embed turns texts into vectors by an embedding provider the user has
// chosen: an OpenAI-compatible endpoint, Ollama, Azure OpenAI, Gemini, Voyage
// or Cohere. It is for users who want better vectors than the model built into
// the ranker; without a provider nothing here runs and nothing leaves the
// machine.
//
// A [Provider] asks one API. A [Store] owns everything around it: it embeds a
// catalogue version's texts in the background, keeps the vectors on disk so
// that a restart embeds nothing again, publishes them as one immutable
// [Vectors] value, and embeds queries under a deadline. A task never waits
// longer than that deadline, and never for a catalogue: until its vectors are
// complete, or while the provider is slow, failing or out of quota,
// [Store.Query] answers at once with a [Reason] and the built-in model ranks.
//
// Vectors of different models or dimensions are never mixed. A Vectors value
// belongs to one [Space], holds every text of one catalogue version, and
// Store.Query answers only with vectors of the same space.
//
// # Wiring
//
// The daemon opens one store for its life, gives it a provider whenever the
// settings or the key change and the texts of each new catalogue version, and
// swaps in a corpus with vectors when they are published:
//
//	store := embed.Open(embed.Options{
//		Dir:       filepath.Join(storagePath, "vectors"),
//		Published: func(v *embed.Vectors) { … corpus.WithVectors(v.Space().String(), v.Rows()) … },
//		Log:       log,
//	})
//	defer store.Close()
//
//	provider, err := embed.New(config, httpClient) // nil for "builtin"
//	store.SetProvider(provider)
//	store.SetTexts(version, texts)
//
//	vector, reason := store.Query(ctx, vectors, message) // those of the corpus, or nil
//	// reason != embed.ReasonNone: telemetry dynamic_tools.ranker_fallback
//
// The example of [Store] is the same, complete.
//
// The package does not rank, does not decide which text stands for a tool, and
// does not read settings or secrets: keys arrive as values of type [Secret],
// which never print.
package embed
