package embed

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Builtin is the name of the ranker's own model, which is not a provider.
const Builtin = "builtin"

// Config chooses a provider. It holds the settings winnow.embeddings.* and the key.
type Config struct {
	// Provider is one of [Providers].
	Provider string
	// URL is the API's base address. Empty means the provider's own; Azure has
	// none. For "openai" it includes the version, as in
	// "http://localhost:1234/v1".
	URL string
	// Model is the model's name, for Azure the deployment's. It is required.
	Model string
	// Dimensions is the requested length of vectors, if the model offers a choice; 0
	// means the model's own.
	Dimensions int
	// Key is the API key; local servers need none.
	Key Secret
	// Timeout bounds one request for documents; 0 means 30 s. Queries are
	// bounded by their context.
	Timeout time.Duration
}

// Providers lists the names that [Config.Provider] takes, sorted.
func Providers() []string {
	return slices.Sorted(maps.Keys(dialects()))
}

// New returns the provider of config, or nil for [Builtin]. client has the user's proxy
// and certificates; nil means http.DefaultClient. The error names the faulty setting.
func New(config Config, client *http.Client) (Provider, error) {
	if config.Provider == "" || config.Provider == Builtin {
		return nil, nil //nolint:nilnil // no provider is what the setting asks for, not a failure
	}
	speaks, ok := dialects()[config.Provider]
	if !ok {
		return nil, fmt.Errorf("winnow.embeddings.provider: %q is unknown; choose %s or one of %s",
			config.Provider, Builtin, strings.Join(Providers(), ", "))
	}
	config.URL = cmp.Or(config.URL, speaks.url)
	config.Timeout = cmp.Or(config.Timeout, 30*time.Second)
	if err := config.check(speaks); err != nil {
		return nil, err
	}
	return newRemote(config, speaks, client), nil
}

// check validates the configuration, after defaults are applied.
func (c Config) check(speaks dialect) error {
	if c.Model == "" {
		return fmt.Errorf("winnow.embeddings.model: provider %s needs a model; %s", c.Provider, speaks.modelHint)
	}
	if c.Dimensions < 0 || c.Timeout < 0 {
		return fmt.Errorf("winnow.embeddings: dimensions %d and timeout %v must not be negative", c.Dimensions, c.Timeout)
	}
	if speaks.needsKey && c.Key == "" {
		return fmt.Errorf("winnow.embeddings.provider: %s needs an API key and none is stored", c.Provider)
	}
	base, err := url.Parse(c.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return fmt.Errorf("winnow.embeddings.url: provider %s needs an address such as %s", c.Provider,
			cmp.Or(speaks.url, "https://NAME.openai.azure.com"))
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return fmt.Errorf("winnow.embeddings.url: give the base address of provider %s alone, without user, query or fragment", c.Provider)
	}
	return nil
}
