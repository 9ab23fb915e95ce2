// Package identity determines who sends a request: it verifies the bearer tokens of an
// OpenID provider for this resource. It passes tokens to no one else and never includes
// them in errors.
package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Options says which tokens are accepted.
type Options struct {
	// Issuer is the address of the OpenID provider. Resource is the address of the
	// gateway, which tokens name as their audience.
	Issuer, Resource string
	// GroupsClaim is the claim with a user's groups; "" means `groups`.
	GroupsClaim string
	// ClientID and ClientSecret are the gateway's credentials at the provider, for
	// introspection of opaque tokens (RFC 7662). Without them, opaque tokens are refused.
	ClientID, ClientSecret string
	// Client calls the provider; nil means one with a timeout of ten seconds.
	Client *http.Client
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Identity is the bearer of a token.
type Identity struct {
	principal.Principal

	Name   string
	Groups []string
	// Expires is when the token expires.
	Expires time.Time
}

// Errors of [Verifier.Verify].
var (
	// ErrToken: the token is not for this resource, or no longer valid.
	ErrToken = errors.New("the token is not valid for this server")
	// ErrAway: the provider cannot be reached to verify it.
	ErrAway = errors.New("the authorization server cannot be reached")
)

// maxKnown bounds the cached tokens.
const maxKnown = 10_000

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	options Options

	// mu guards the following fields. It is held during no request except discovery.
	mu       sync.Mutex
	provider *oidc.Provider
	// verifier is set together with provider, and does not change.
	verifier *oidc.IDTokenVerifier
	known    map[[sha256.Size]byte]Identity
}

// New returns a verifier. It contacts the provider at the first token.
func New(o Options) *Verifier {
	if o.GroupsClaim == "" {
		o.GroupsClaim = "groups"
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Second}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Verifier{options: o, known: map[[sha256.Size]byte]Identity{}}
}

// Verify returns the bearer of a token. It returns [ErrToken] if the token is not valid,
// and [ErrAway] if that cannot be determined.
func (v *Verifier) Verify(ctx context.Context, token string) (Identity, error) {
	hash := sha256.Sum256([]byte(token))
	v.mu.Lock()
	found, ok := v.known[hash]
	v.mu.Unlock()
	if ok && v.options.Now().Before(found.Expires) {
		return found, nil
	}
	provider, err := v.discovered(ctx)
	if err != nil {
		return Identity{}, err
	}
	if strings.Count(token, ".") != 2 && token != "" && v.options.ClientID != "" {
		who, err := v.introspect(ctx, provider, token)
		if err == nil {
			v.remember(hash, who)
		}
		return who, err
	}
	verified, err := v.verifier.Verify(oidc.ClientContext(ctx, v.options.Client), token)
	switch {
	case err != nil && strings.Contains(err.Error(), "fetching keys"): // the library has no type for it
		return Identity{}, ErrAway
	case err != nil:
		return Identity{}, ErrToken
	}
	who, err := v.identity(verified)
	if err != nil {
		return Identity{}, err
	}
	v.remember(hash, who)
	return who, nil
}

func (v *Verifier) remember(hash [sha256.Size]byte, who Identity) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxKnown {
		clear(v.known)
	}
	v.known[hash] = who
}

// askAgain is how long an introspection result is cached, because an opaque token may be
// revoked.
const askAgain = 30 * time.Second

// maxIntrospection bounds the introspection response, in bytes.
const maxIntrospection = 1 << 20

// introspect introspects a token at the provider.
func (v *Verifier) introspect(ctx context.Context, provider *oidc.Provider, token string) (Identity, error) {
	var at struct {
		Endpoint string `json:"introspection_endpoint"`
	}
	if err := provider.Claims(&at); err != nil || at.Endpoint == "" {
		return Identity{}, ErrToken
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.Endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return Identity{}, ErrAway
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(v.options.ClientID), url.QueryEscape(v.options.ClientSecret))
	answer, err := v.options.Client.Do(r)
	if err != nil {
		return Identity{}, ErrAway
	}
	defer func() { _ = answer.Body.Close() }()
	claims := map[string]any{}
	if answer.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(answer.Body, maxIntrospection)).Decode(&claims) != nil {
		return Identity{}, ErrAway
	}
	subject, _ := claims["sub"].(string)
	if subject == "" { // a program with its own account, named so by JWTs (RFC 9068)
		subject, _ = claims["client_id"].(string)
	}
	issuer, named := claims["iss"].(string)
	expires, _ := claims["exp"].(float64)
	now := v.options.Now()
	switch {
	case claims["active"] != true, subject == "", named && issuer != v.options.Issuer, !v.isFor(claims["aud"]),
		expires != 0 && !now.Before(time.Unix(int64(expires), 0)):
		return Identity{}, ErrToken
	}
	who := v.described(claims)
	who.Principal, who.Expires = principal.Principal{Issuer: v.options.Issuer, Subject: subject}, now.Add(askAgain)
	return who, nil
}

// isFor reports whether an audience includes this resource.
func (v *Verifier) isFor(audience any) bool {
	many, _ := audience.([]any)
	return audience == v.options.Resource || slices.Contains(many, any(v.options.Resource))
}

// VerifyID returns the subject of an ID token that the provider issued to a client.
func (v *Verifier) VerifyID(ctx context.Context, token, client string) (Identity, error) {
	provider, err := v.discovered(ctx)
	if err != nil {
		return Identity{}, err
	}
	verified, err := provider.Verifier(v.config(client)).Verify(oidc.ClientContext(ctx, v.options.Client), token)
	if err != nil {
		return Identity{}, ErrToken
	}
	return v.identity(verified)
}

// discovered returns the provider, once its metadata has been read.
func (v *Verifier) discovered(ctx context.Context) (*oidc.Provider, error) {
	v.mu.Lock()
	provider := v.provider
	v.mu.Unlock()
	if provider != nil {
		return provider, nil
	}
	// The keys are fetched later, during other requests.
	life := oidc.ClientContext(context.WithoutCancel(ctx), v.options.Client)
	provider, err := oidc.NewProvider(life, v.options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.provider == nil {
		v.provider, v.verifier = provider, provider.Verifier(v.config(v.options.Resource))
	}
	return v.provider, nil
}

// config returns the conditions for tokens of an audience.
func (v *Verifier) config(audience string) *oidc.Config {
	return &oidc.Config{
		ClientID: audience, Now: v.options.Now,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA},
	}
}

// identity returns the identity in a token's claims.
func (v *Verifier) identity(t *oidc.IDToken) (Identity, error) {
	var claims map[string]any
	if err := t.Claims(&claims); err != nil || t.Subject == "" {
		return Identity{}, ErrToken
	}
	who := v.described(claims)
	who.Principal, who.Expires = principal.Principal{Issuer: t.Issuer, Subject: t.Subject}, t.Expiry
	return who, nil
}

// described returns the identity that claims describe.
func (v *Verifier) described(claims map[string]any) (who Identity) {
	for _, claim := range []string{"name", "preferred_username", "email"} {
		if name, _ := claims[claim].(string); name != "" && who.Name == "" {
			who.Name = name
		}
	}
	switch groups := claims[v.options.GroupsClaim].(type) {
	case []any:
		for _, group := range groups {
			if name, ok := group.(string); ok {
				who.Groups = append(who.Groups, name)
			}
		}
	case string:
		who.Groups = strings.Fields(groups)
	}
	return who
}
