package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol"
)

// credentials are the result of a sign-in. They are kept only in the host's secret store.
type credentials struct {
	Token transport.Token `json:"token"`
	// The registered client, required to refresh the token.
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	AuthMethod   string `json:"authMethod,omitempty"`
	// Issuer is the authorization server of these credentials; they are sent to no other.
	// It is empty in credentials of older versions.
	Issuer string `json:"issuer,omitempty"`
	// Challenge holds the WWW-Authenticate headers that named the
	// authorization server.
	Challenge []string `json:"challenge,omitempty"`
}

// secretKeyFor returns the key in the secret store. It includes the name, because two
// servers at one address may use two accounts. For the local user it equals the key of
// versions without principals.
func secretKeyFor(server Account) string {
	name := server.Name + "\x00" + server.URL
	if server.Principal != principal.Local {
		name = server.Principal.Key(name)
	}
	sum := sha256.Sum256([]byte(name))
	return "oauth." + hex.EncodeToString(sum[:16])
}

// Account identifies a sign-in.
type Account struct {
	// Principal is the user who signs in.
	Principal principal.Principal
	// Name and URL are those of the server.
	Name, URL string
	// Entry is what the user registered by hand.
	Entry protocol.OAuthEntry
	// Client returns a new HTTP client for requests outside a connection. The caller must
	// call done.
	Client func() (client *http.Client, done func(), err error)
	// Redact collects the tokens.
	Redact *clean.Redactor
}

// Hooks reach the user and the host's secret store.
type Hooks struct {
	// SecretGet reads from the store, SecretSet writes; "" means none. Either may be nil.
	SecretGet func(ctx context.Context, key string) (string, error)
	SecretSet func(ctx context.Context, key, value string) error
	// OpenExternal opens the user's browser; nil if there is none. ExternalURL returns
	// the address at which the browser reaches an address of this machine. If nil, both
	// are the same.
	OpenExternal func(ctx context.Context, url string) error
	ExternalURL  func(ctx context.Context, url string) (string, error)
}

// Session holds the credentials of one server while it is connected. It is the TokenStore
// from which mcp-go reads and refreshes the token.
type Session struct {
	account Account
	hooks   Hooks

	// mu guards creds. It is not held while a hook runs.
	mu    sync.Mutex
	creds credentials
}

// Load returns the stored credentials of a server, or nil.
func Load(ctx context.Context, server Account, hooks Hooks) (*Session, error) {
	if hooks.SecretGet == nil {
		return nil, nil
	}
	stored, err := hooks.SecretGet(ctx, secretKeyFor(server))
	if err != nil {
		return nil, fmt.Errorf("read the token from the secret store: %w", err)
	}
	s := &Session{account: server, hooks: hooks}
	// Unreadable credentials are those of another version: sign in again.
	if stored == "" || json.Unmarshal([]byte(stored), &s.creds) != nil || s.creds.Token.AccessToken == "" {
		return nil, nil
	}
	s.hide()
	return s, nil
}

// hide registers the secrets of the credentials with the redactor.
func (s *Session) hide() {
	s.account.Redact.Credential(s.creds.Token.AccessToken)
	s.account.Redact.Credential(s.creds.Token.RefreshToken)
	s.account.Redact.Credential(s.creds.ClientSecret)
}

// Config returns mcp-go's configuration for the stored client. It wraps the transport of
// client.
func (s *Session) Config(client *http.Client) transport.OAuthConfig {
	config, _ := s.config(client)
	return config
}

// config is Config, and returns the wrapping transport too.
func (s *Session) config(client *http.Client) (transport.OAuthConfig, *authServers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	servers := &authServers{next: client.Transport, issuer: s.creds.Issuer}
	client.Transport = servers
	return transport.OAuthConfig{
		ClientID: s.creds.ClientID, ClientSecret: s.creds.ClientSecret, TokenEndpointAuthMethod: s.creds.AuthMethod,
		Scopes:                s.account.Entry.Scopes,
		AuthServerMetadataURL: s.account.Entry.AuthServerMetadataURL,
		TokenStore:            s, PKCEEnabled: true, HTTPClient: client,
	}, servers
}

// Prime passes the challenge of the sign-in to a handler, which thereby finds the
// authorization server. The handler verifies it.
func (s *Session) Prime(h *transport.OAuthHandler) {
	if s == nil || h == nil {
		return
	}
	s.mu.Lock()
	challenge := s.creds.Challenge
	s.mu.Unlock()
	primeHandler(h, challenge)
}

func primeHandler(h *transport.OAuthHandler, challenge []string) {
	h.HandleUnauthorizedResponse(&http.Response{Header: http.Header{"Www-Authenticate": challenge}})
}

// expiryMargin is how much earlier a token counts as expired, so that it does not expire
// in transit.
const expiryMargin = 30 * time.Second

// GetToken implements transport.TokenStore.
func (s *Session) GetToken(ctx context.Context) (*transport.Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token := s.creds.Token
	if token.AccessToken == "" {
		return nil, transport.ErrNoToken
	}
	if !token.ExpiresAt.IsZero() {
		lifetime := time.Duration(token.ExpiresIn) * time.Second
		token.ExpiresAt = token.ExpiresAt.Add(-min(expiryMargin, lifetime/10))
	}
	return &token, nil
}

// SaveToken implements transport.TokenStore.
func (s *Session) SaveToken(ctx context.Context, token *transport.Token) error {
	s.mu.Lock()
	s.creds.Token = *token
	s.hide()
	encoded, err := json.Marshal(s.creds)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode the token: %w", err)
	}
	if s.hooks.SecretSet == nil {
		return nil
	}
	return s.hooks.SecretSet(ctx, secretKeyFor(s.account), string(encoded))
}

// Refresh requests a new token. It returns false if the authorization server refuses or
// there is no refresh token: the user must sign in. On an error the outcome is unknown.
func (s *Session) Refresh(ctx context.Context) (bool, error) {
	s.mu.Lock()
	token := s.creds.Token.RefreshToken
	s.mu.Unlock()
	if token == "" {
		return false, nil
	}
	client, done, err := s.account.Client()
	if err != nil {
		return false, err
	}
	defer done()
	config := s.Config(client)
	h := transport.NewOAuthHandler(config)
	h.SetBaseURL(resourceURL(s.account.URL))
	s.Prime(h)
	_, err = h.RefreshToken(ctx, token)
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, new(transport.OAuthError)), errors.Is(err, errOtherIssuer):
		return false, nil
	}
	return false, fmt.Errorf("renew the token: %w", err)
}
