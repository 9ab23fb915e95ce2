package embed

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNew_Builtin(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", Builtin} {
		provider, err := New(Config{Provider: name}, nil)
		if provider != nil || err != nil {
			t.Errorf("New(%q) = %v, %v; want no provider and no error", name, provider, err)
		}
	}
}

// TestNew_Faults checks that each message names the setting that is wrong.
func TestNew_Faults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config Config
		want   []string
	}{
		{"unknown provider", Config{Provider: "opneai"}, []string{"winnow.embeddings.provider", `"opneai"`, "builtin", "openai", "voyage"}},
		{"no model", Config{Provider: "openai"}, []string{"winnow.embeddings.model", "text-embedding-3-small"}},
		{"no key", Config{Provider: "voyage", Model: "m"}, []string{"winnow.embeddings.provider", "voyage", "API key"}},
		{"no address", Config{Provider: "azure", Model: "m", Key: "k"}, []string{"winnow.embeddings.url", "openai.azure.com"}},
		{"relative address", Config{Provider: "ollama", Model: "m", URL: "localhost:11434"}, []string{"winnow.embeddings.url", "http://localhost:11434"}},
		{"file address", Config{Provider: "ollama", Model: "m", URL: "file:///etc/passwd"}, []string{"winnow.embeddings.url"}},
		{"password in the address", Config{Provider: "openai", Model: "m", URL: "https://me:pw@example.org/v1"}, []string{"winnow.embeddings.url", "without user"}},
		{"query in the address", Config{Provider: "openai", Model: "m", URL: "https://example.org/v1?key=pw"}, []string{"winnow.embeddings.url"}},
		{"negative dimension", Config{Provider: "openai", Model: "m", Dimensions: -1}, []string{"winnow.embeddings", "dimensions -1"}},
		{"negative timeout", Config{Provider: "openai", Model: "m", Timeout: -1}, []string{"timeout"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(test.config, nil)
			if err == nil {
				t.Fatal("New accepted it")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not mention %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "pw") {
				t.Errorf("%q shows a password", err)
			}
		})
	}
}

func TestNew_Defaults(t *testing.T) {
	t.Parallel()
	for _, name := range Providers() {
		provider, err := New(Config{Provider: name, Model: "m", Key: "k", URL: map[string]string{"azure": "https://n.example"}[name]}, nil)
		if err != nil {
			t.Errorf("New(%q): %v", name, err)
			continue
		}
		if limits := provider.Limits(); limits.Texts < 1 || limits.Bytes < maxTextBytes || limits.Calls != 4 {
			t.Errorf("%s: limits %+v", name, limits)
		}
		if timeout := provider.(*remote).config.Timeout; timeout != 30*time.Second {
			t.Errorf("%s: timeout %v", name, timeout)
		}
		if space := provider.Space(); space.Provider != name || space.Model != "m" || space.Endpoint == "" || space.Dim != 0 {
			t.Errorf("%s: space %+v", name, space)
		}
	}
}

func TestProviders_Sorted(t *testing.T) {
	t.Parallel()
	want := []string{"azure", "cohere", "gemini", "ollama", "openai", "voyage"}
	if got := Providers(); !slices.Equal(got, want) {
		t.Errorf("Providers() = %v, want %v", got, want)
	}
}
