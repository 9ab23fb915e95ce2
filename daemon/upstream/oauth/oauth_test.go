package oauth

import (
	"slices"
	"testing"
)

// TestChallenge reads what a refusal says about where to sign in.
func TestChallenge(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		challenge []string
		scopes    []string
		metadata  string
	}{
		"nothing":        {nil, nil, "https://host/.well-known/oauth-protected-resource/mcp"},
		"bare":           {[]string{"Bearer"}, nil, "https://host/.well-known/oauth-protected-resource/mcp"},
		"scope":          {[]string{`Basic realm="x"`, `Bearer scope="a b", error="e"`}, []string{"a", "b"}, "https://host/.well-known/oauth-protected-resource/mcp"},
		"own metadata":   {[]string{`Bearer resource_metadata="https://host/meta"`}, nil, "https://host/meta"},
		"other metadata": {[]string{`Bearer resource_metadata="https://evil/meta"`}, nil, "https://host/.well-known/oauth-protected-resource/mcp"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &signInFlow{session: &Session{account: Account{URL: "https://host/mcp?x=1"}}, challenge: test.challenge}
			if got := challengeScopes(test.challenge); !slices.Equal(got, test.scopes) {
				t.Errorf("scopes %q, want %q", got, test.scopes)
			}
			if got := f.metadataURL(); got != test.metadata {
				t.Errorf("metadata at %s, want %s", got, test.metadata)
			}
		})
	}
}
