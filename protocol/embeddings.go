package protocol

// EmbeddingsSettings are the settings under `winnow.embeddings.`.
type EmbeddingsSettings struct {
	// Who turns texts into vectors for ranking by meaning. The built-in model
	// needs no network; with any other, tool descriptions and the messages that
	// are ranked are sent to that provider. The key is asked for once, kept in
	// the secret store, and never part of the settings.
	Provider EmbeddingsProvider `json:"provider" restricted:"builtin" title:"Who makes embeddings"`
	// The base address of the provider's API. Empty means the provider's own;
	// `openai` takes the address of any compatible server, with the version, as
	// in `http://localhost:1234/v1`. Azure has no own one.
	URL string `json:"url" scope:"machine" title:"Address of the embeddings"`
	// The model's name; for Azure the deployment's. Each provider but the
	// built-in one needs it.
	Model string `json:"model" scope:"machine" title:"Model of the embeddings"`
	// The length of the vectors, where the model offers a choice. 0 means the
	// model's own.
	Dimensions int `json:"dimensions" limits:"0,100000" scope:"machine" title:"Length of the embeddings"`
	// Milliseconds that a message's ranking waits for the provider. After them
	// the built-in model ranks it.
	TimeoutMs int `json:"timeoutMs" limits:"1,10000" title:"Milliseconds for the embeddings"`
}

// EmbeddingsProvider is who turns texts into vectors.
type EmbeddingsProvider string

// The values of [EmbeddingsProvider].
const (
	// The model in the box: offline, and a matter of microseconds.
	EmbeddingsBuiltin EmbeddingsProvider = "builtin"
	// OpenAI, or any server that speaks its API.
	EmbeddingsOpenAI EmbeddingsProvider = "openai"
	// A local Ollama.
	EmbeddingsOllama EmbeddingsProvider = "ollama"
	// Azure OpenAI.
	EmbeddingsAzure EmbeddingsProvider = "azure"
	// Google Gemini.
	EmbeddingsGemini EmbeddingsProvider = "gemini"
	// Voyage AI.
	EmbeddingsVoyage EmbeddingsProvider = "voyage"
	// Cohere.
	EmbeddingsCohere EmbeddingsProvider = "cohere"
)

// EmbeddingsProviders returns every value of [EmbeddingsProvider].
func EmbeddingsProviders() []EmbeddingsProvider {
	return []EmbeddingsProvider{
		EmbeddingsBuiltin, EmbeddingsOpenAI, EmbeddingsOllama, EmbeddingsAzure,
		EmbeddingsGemini, EmbeddingsVoyage, EmbeddingsCohere,
	}
}
