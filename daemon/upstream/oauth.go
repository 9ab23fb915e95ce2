package upstream

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
)

// credentials are what a sign-in leaves behind. They live in the host's secret
// store and nowhere else.
type credentials struct {
	Token transport.Token `json:"token"`
	// The client as it was registered; needed to refresh the token.
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	AuthMethod   string `json:"authMethod,omitempty"`
	// Issuer is the authorization server that all this is for, and nobody else
	// is sent it. It is empty in what an older version has stored.
	Issuer string `json:"issuer,omitempty"`
	// Challenge holds the WWW-Authenticate headers that named the
	// authorization server.
	Challenge []string `json:"challenge,omitempty"`
}

// secretKeyFor names the credentials of a server in the secret store. Two
// servers at one address may belong to two accounts, so the name enters too.
func secretKeyFor(cfg Config) string {
	sum := sha256.Sum256([]byte(cfg.Name + "\x00" + cfg.URL))
	return "oauth." + hex.EncodeToString(sum[:16])
}

// oauthSession holds the credentials of one server while it is connected. It
// is the TokenStore through which mcp-go reads and refreshes the token.
type oauthSession struct {
	cfg     Config
	network Network
	hooks   Hooks
	redact  *redactor

	// mu guards creds. It is not held while a hook runs.
	mu    sync.Mutex
	creds credentials
}

// loadSession returns the stored credentials of a server, or nil.
func (d *dialer) loadSession(ctx context.Context, a attempt) (*oauthSession, error) {
	if d.opts.Hooks.SecretGet == nil {
		return nil, nil
	}
	stored, err := d.opts.Hooks.SecretGet(ctx, secretKeyFor(a.cfg))
	if err != nil {
		return nil, fmt.Errorf("read the token from the secret store: %w", err)
	}
	s := &oauthSession{cfg: a.cfg, network: d.opts.Network, hooks: d.opts.Hooks, redact: a.redact}
	// What cannot be read was stored by another version: sign in again.
	if stored == "" || json.Unmarshal([]byte(stored), &s.creds) != nil || s.creds.Token.AccessToken == "" {
		return nil, nil
	}
	s.hide()
	return s, nil
}

// hide makes everything secret in the credentials known to the redactor.
func (s *oauthSession) hide() {
	s.redact.credential(s.creds.Token.AccessToken)
	s.redact.credential(s.creds.Token.RefreshToken)
	s.redact.credential(s.creds.ClientSecret)
}

// config returns mcp-go's configuration for the stored client, and what its
// requests go through.
func (s *oauthSession) config(l *link) (transport.OAuthConfig, *authServers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	client := l.client()
	servers := &authServers{next: client.Transport, issuer: s.creds.Issuer}
	client.Transport = servers
	return transport.OAuthConfig{
		ClientID: s.creds.ClientID, ClientSecret: s.creds.ClientSecret, TokenEndpointAuthMethod: s.creds.AuthMethod,
		Scopes:                s.cfg.OAuth.Scopes,
		AuthServerMetadataURL: s.cfg.OAuth.AuthServerMetadataURL,
		TokenStore:            s, PKCEEnabled: true, HTTPClient: client,
	}, servers
}

// prime tells a handler which authorization server was found at the sign-in.
// The handler checks that the server may say so.
func (s *oauthSession) prime(h *transport.OAuthHandler) {
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

// expiryMargin makes a token count as expired a little early, so that it does
// not expire on its way.
const expiryMargin = 30 * time.Second

// GetToken implements transport.TokenStore.
func (s *oauthSession) GetToken(ctx context.Context) (*transport.Token, error) {
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
func (s *oauthSession) SaveToken(ctx context.Context, token *transport.Token) error {
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
	return s.hooks.SecretSet(ctx, secretKeyFor(s.cfg), string(encoded))
}

// refresh asks for a new token now. It reports false when the authorization
// server refuses, or there is nothing to ask with: the user must sign in. An
// error means that the answer is not known.
func (s *oauthSession) refresh(ctx context.Context) (bool, error) {
	s.mu.Lock()
	token := s.creds.Token.RefreshToken
	s.mu.Unlock()
	if token == "" {
		return false, nil
	}
	l, err := newLink(s.cfg, s.network, nil)
	if err != nil {
		return false, err
	}
	defer l.close()
	config, _ := s.config(l)
	h := transport.NewOAuthHandler(config)
	h.SetBaseURL(resourceURL(s.cfg.URL))
	s.prime(h)
	_, err = h.RefreshToken(ctx, token)
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, new(transport.OAuthError)), errors.Is(err, errOtherIssuer):
		return false, nil
	}
	return false, fmt.Errorf("renew the token: %w", err)
}
