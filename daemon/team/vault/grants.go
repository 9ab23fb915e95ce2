package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// authServer is the relevant part of an authorization server's metadata (RFC 8414).
type authServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	// ReadsDocuments reports that a client ID may be the URL of a metadata document.
	ReadsDocuments bool `json:"client_id_metadata_document_supported"`
	// NamesItself reports that authorization responses contain the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// authServers finds authorization servers, and caches their metadata.
type authServers struct {
	client *http.Client

	// mu guards known, keyed by issuer or by the address of a server.
	mu    sync.Mutex
	known map[string]known
}

type known struct {
	authServer

	until time.Time
}

const (
	// metadataTime is how long metadata is cached, and maxMetadata its size limit in
	// bytes.
	metadataTime = 10 * time.Minute
	maxMetadata  = 1 << 20
)

// of returns the authorization server for an account at a server.
func (s *authServers) of(ctx context.Context, a Account, server string) (authServer, error) {
	name := a.Issuer
	if name == "" {
		name = "of " + server
	}
	s.mu.Lock()
	found, ok := s.known[name]
	s.mu.Unlock()
	if ok && time.Now().Before(found.until) {
		return found.authServer, nil
	}
	issuer := a.Issuer
	if issuer == "" {
		var err error
		if issuer, err = s.named(ctx, server); err != nil {
			return authServer{}, err
		}
	}
	as, err := s.metadata(ctx, issuer)
	if err != nil {
		return authServer{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[name] = known{as, time.Now().Add(metadataTime)}
	return as, nil
}

// named returns the issuer that a server's metadata names.
func (s *authServers) named(ctx context.Context, server string) (string, error) {
	var resource struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	err := s.wellKnown(ctx, server, "oauth-protected-resource", &resource)
	if err == nil && len(resource.Servers) == 0 {
		err = errors.New("it names none")
	}
	if err != nil {
		return "", fmt.Errorf("which authorization server %s has is not known: %w; name it as the \"issuer\" of its account", server, err)
	}
	if !strings.HasPrefix(server, strings.TrimSuffix(resource.Resource, "/")) {
		return "", fmt.Errorf("%s describes %q, another server", server, resource.Resource)
	}
	if strings.HasPrefix(server, "https:") && !strings.HasPrefix(resource.Servers[0], "https:") {
		return "", fmt.Errorf("%s names %q as its authorization server, which is not https", server, resource.Servers[0])
	}
	return resource.Servers[0], nil
}

func (s *authServers) metadata(ctx context.Context, issuer string) (as authServer, err error) {
	err = s.wellKnown(ctx, issuer, "oauth-authorization-server", &as)
	if err != nil {
		err = s.get(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", &as)
	}
	if err != nil {
		return as, fmt.Errorf("the authorization server %s: %w", issuer, err)
	}
	if as.Issuer != issuer {
		return as, fmt.Errorf("the authorization server %s calls itself %q", issuer, as.Issuer)
	}
	for _, endpoint := range []string{as.TokenEndpoint, as.AuthorizationEndpoint} {
		if endpoint != "" && strings.HasPrefix(issuer, "https:") && !strings.HasPrefix(endpoint, "https:") {
			return as, fmt.Errorf("the authorization server %s names the address %q, which is not https", issuer, endpoint)
		}
	}
	return as, nil
}

// wellKnown reads the metadata at a well-known address of a server with its path, or else
// of its host.
func (s *authServers) wellKnown(ctx context.Context, address, name string, into any) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	at := func(path string) string {
		return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/" + name + strings.TrimSuffix(path, "/")}).String()
	}
	err = s.get(ctx, at(u.Path), into)
	if err != nil && strings.Trim(u.Path, "/") != "" {
		err = s.get(ctx, at(""), into)
	}
	return err
}

func (s *authServers) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: HTTP %d", address, answer.StatusCode)
	}
	return json.NewDecoder(io.LimitReader(answer.Body, maxMetadata)).Decode(into)
}

// secret returns the client secret of an account.
func (v *Vault) secret(a Account) (string, error) {
	rest, begins := strings.CutPrefix(a.ClientSecret, "${env:")
	name, ends := strings.CutSuffix(rest, "}")
	if !begins || !ends {
		return a.ClientSecret, nil
	}
	secret, ok := v.options.Environ(name)
	if !ok {
		return "", fmt.Errorf("the environment of the gateway has no %s, which an account names", name)
	}
	return secret, nil
}

// grant requests a token from an authorization server.
func (v *Vault) grant(ctx context.Context, as authServer, a Account, clientID string, params url.Values) (token *oauth2.Token, life time.Duration, err error) {
	secret, err := v.secret(a)
	if err != nil {
		return nil, 0, err
	}
	style := oauth2.AuthStyleInParams
	if secret != "" && (len(as.AuthMethods) == 0 || slices.Contains(as.AuthMethods, "client_secret_basic")) {
		style = oauth2.AuthStyleInHeader
	}
	config := clientcredentials.Config{ClientID: clientID, ClientSecret: secret, TokenURL: as.TokenEndpoint, AuthStyle: style, EndpointParams: params}
	begun := time.Now()
	token, err = config.Token(context.WithValue(ctx, oauth2.HTTPClient, v.client))
	if err != nil {
		return nil, 0, quiet(err)
	}
	if life = endless; !token.Expiry.IsZero() {
		life = token.Expiry.Sub(begun)
	}
	return token, life, nil
}

// grantError is a refusal by an authorization server, without quoted text.
type grantError struct{ code string }

func (e *grantError) Error() string {
	return fmt.Sprintf("the authorization server refused: %q", e.code)
}

// quiet removes from an error what may contain a secret.
func quiet(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	if refused.ErrorCode == "" {
		return fmt.Errorf("the authorization server answered with HTTP %d", refused.Response.StatusCode)
	}
	return &grantError{refused.ErrorCode}
}

// refusedGrant reports whether a refresh token is no longer valid.
func refusedGrant(err error) bool {
	var refused *grantError
	return errors.As(err, &refused) && refused.code == "invalid_grant"
}

// redeem exchanges a refresh token for a new credential.
func (v *Vault) redeem(ctx context.Context, k Key, as authServer, a Account, server string, c credential) (next credential, life time.Duration, err error) {
	if as.Issuer != c.Issuer {
		return next, 0, &grantError{"invalid_grant"} // another server is in charge now
	}
	token, life, err := v.grant(ctx, as, a, c.ClientID, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}, "resource": {server},
	})
	if err != nil {
		return next, 0, err
	}
	next = credential{Access: token.AccessToken, Refresh: token.RefreshToken, Issuer: as.Issuer, ClientID: c.ClientID}
	if next.Refresh == "" {
		next.Refresh = c.Refresh
	}
	v.options.Log.Debug("an account was renewed", "server", k.Server)
	return next, life, nil
}

// Types of tokens and grants of RFC 8693, RFC 7523 and
// draft-ietf-oauth-identity-assertion-authz-grant.
const (
	exchangeGrant  = "urn:ietf:params:oauth:grant-type:token-exchange"
	assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	accessToken    = "urn:ietf:params:oauth:token-type:access_token"
	assertionToken = "urn:ietf:params:oauth:token-type:id-jag"
)

// exchanged returns a token for a server, in exchange for a user's token for this
// gateway, or of the client's own account if subject is "". It is cached in memory only.
func (v *Vault) exchanged(ctx context.Context, k Key, a Account, server, subject, refused string) (string, error) {
	// All of the account: a token that another one got is not what the operator means.
	by := fmt.Sprintf("%q", append([]string{a.By, a.Issuer, a.ClientID}, a.Scopes...))
	ck := cacheKey{Key: k, by: by, url: server}
	if subject != "" {
		hash := sha256.Sum256([]byte(subject))
		ck.subject = hex.EncodeToString(hash[:])
	}
	if token, ok := v.known(ck, refused); ok {
		return token, nil
	}
	return v.once(ctx, ck.flight(refused), func(ctx context.Context) (string, error) {
		token, life, err := v.granted(ctx, a, server, subject)
		if err != nil {
			return "", fmt.Errorf("a token for %q: %w", k.Server, err)
		}
		v.note(ck, token.AccessToken, life)
		return token.AccessToken, nil
	})
}

// granted requests a token for a server; see [Vault.exchanged].
func (v *Vault) granted(ctx context.Context, a Account, server, subject string) (token *oauth2.Token, life time.Duration, err error) {
	as, err := v.servers.of(ctx, a, server)
	if err != nil {
		return nil, 0, err
	}
	params := url.Values{"grant_type": {"client_credentials"}, "resource": {server}}
	switch {
	case subject != "" && a.By == ByAssertion:
		assertion, err := v.assertion(ctx, a, as, server, subject)
		if err != nil {
			return nil, 0, fmt.Errorf("an assertion of the user's provider: %w", err)
		}
		params = url.Values{"grant_type": {assertionGrant}, "assertion": {assertion}} // it names the resource
	case subject != "":
		params = exchangeOf(subject, accessToken)
		params.Set("resource", server)
	}
	return v.grant(ctx, as, a, a.ClientID, scoped(params, a))
}

// assertion returns a user's ID-JAG for an authorization server, from the provider that
// has issued the user's token.
func (v *Vault) assertion(ctx context.Context, a Account, as authServer, server, subject string) (string, error) {
	person := v.options.Person
	if person == nil {
		return "", errors.New("the operator has to start this gateway with --client-id, its client at the provider")
	}
	provider, err := v.servers.of(ctx, Account{Issuer: person.Issuer}, "")
	if err != nil {
		return "", err
	}
	params := exchangeOf(subject, assertionToken)
	params.Set("audience", as.Issuer)
	params.Set("resource", server)
	token, _, err := v.grant(ctx, provider, Account{ClientSecret: person.ClientSecret}, person.ClientID, scoped(params, a))
	if err != nil {
		return "", err
	}
	if kind, _ := token.Extra("issued_token_type").(string); kind != assertionToken {
		return "", errors.New("it issues another kind of token") // which is for nobody else
	}
	return token.AccessToken, nil
}

// exchangeOf returns the parameters by which a user's token is exchanged.
func exchangeOf(subject, requested string) url.Values {
	return url.Values{
		"grant_type": {exchangeGrant}, "subject_token": {subject}, "subject_token_type": {accessToken}, "requested_token_type": {requested},
	}
}

// scoped adds the scopes of an account.
func scoped(params url.Values, a Account) url.Values {
	if len(a.Scopes) > 0 {
		params.Set("scope", strings.Join(a.Scopes, " "))
	}
	return params
}
