package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// signInTimeout bounds the user's time in the browser.
const signInTimeout = 10 * time.Minute

// SignIn signs the user in to a server in the browser and stores the token. It follows
// OAuth 2.1's authorization code flow with PKCE, as MCP prescribes. mcp-go discovers the
// authorization server (RFC 9728, RFC 8414), registers the client (RFC 7591) and
// exchanges the code.
func SignIn(ctx context.Context, server Account, hooks Hooks, challenge []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, signInTimeout, errors.New("the sign-in was not finished in the browser"))
	defer cancel()
	client, done, err := server.Client()
	if err != nil {
		return err
	}
	defer done()
	listener, err := listenCallback(server.Entry.CallbackPort, server.Name)
	if err != nil {
		return err
	}
	defer listener.close()

	f := &signInFlow{
		session:   &Session{account: server, hooks: hooks},
		client:    client,
		challenge: challenge,
		listener:  listener,
	}
	if err := f.findRedirect(ctx, hooks.ExternalURL); err != nil {
		return err
	}
	if err := f.prepare(ctx); err != nil {
		return server.Redact.Err(err)
	}
	if err := f.authorize(ctx, hooks.OpenExternal); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return server.Redact.Err(err)
	}
	return nil
}

// signInFlow is one sign-in under way.
type signInFlow struct {
	session   *Session
	client    *http.Client
	challenge []string
	listener  *callbackListener
	handler   *transport.OAuthHandler
	// server is the authorization server.
	server authServer
	// reached is the address at which the browser reaches the listener.
	reached string
}

// findRedirect determines the address at which the browser reaches the listener. The
// browser may run on another machine, from which the host forwards. The hook is also
// called for clients with a registered redirect address, so that the host forwards that
// address.
func (f *signInFlow) findRedirect(ctx context.Context, external func(context.Context, string) (string, error)) error {
	f.reached = f.listener.redirect()
	if external == nil {
		return nil
	}
	reached, err := external(ctx, f.reached)
	if err != nil {
		return fmt.Errorf("find the address for the browser's answer: %w", err)
	}
	f.reached = reached
	return nil
}

// prepare discovers the authorization server and obtains a client ID.
func (f *signInFlow) prepare(ctx context.Context) error {
	config, servers := f.session.config(f.client)
	metadata, err := f.newHandler(config).GetServerMetadata(ctx)
	if err != nil {
		return fmt.Errorf("find the authorization server: %w", err)
	}
	f.server = servers.find(metadata.Issuer)
	f.server.Issuer = metadata.Issuer
	config.Scopes = f.scopes(ctx, metadata)
	registers, err := f.identify(&config)
	if err != nil {
		return err
	}
	f.handler = f.newHandler(config)
	if registers {
		if err := f.handler.RegisterClient(ctx, "Winnow"); err != nil {
			return fmt.Errorf("register with the authorization server (set oauth.clientId of the entry if it does not permit that): %w", err)
		}
	}
	f.session.mu.Lock()
	defer f.session.mu.Unlock()
	f.session.creds = credentials{
		ClientID: f.handler.GetClientID(), ClientSecret: f.handler.GetClientSecret(),
		AuthMethod: f.handler.GetTokenEndpointAuthMethod(), Issuer: f.server.Issuer, Challenge: f.challenge,
	}
	f.session.hide()
	return nil
}

// identify chooses the client ID in the order of MCP's authorization chapter: the user's
// registered one, the address of a metadata document, or a new registration. The first
// two have fixed redirect addresses; a new registration takes any. It reports whether the
// client must be registered.
func (f *signInFlow) identify(config *transport.OAuthConfig) (registers bool, err error) {
	entry := f.session.account.Entry
	config.RedirectURI = f.listener.redirect()
	switch {
	case entry.ClientID != "":
		config.ClientID, config.ClientSecret = entry.ClientID, entry.ClientSecret
	case entry.ClientMetadataURL != "" && f.server.ReadsDocuments:
		u, err := url.Parse(entry.ClientMetadataURL)
		if err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
			return false, fmt.Errorf("oauth.clientMetadataUrl of the entry is not the https address of a document: %s", entry.ClientMetadataURL)
		}
		config.ClientID, config.TokenEndpointAuthMethod = entry.ClientMetadataURL, "none"
	default:
		config.RedirectURI = f.reached
		return true, nil
	}
	return false, nil
}

func (f *signInFlow) newHandler(config transport.OAuthConfig) *transport.OAuthHandler {
	h := transport.NewOAuthHandler(config)
	h.SetBaseURL(resourceURL(f.session.account.URL))
	primeHandler(h, f.challenge)
	return h
}

// authorize opens the browser and exchanges the returned code for a token, which the
// session stores.
func (f *signInFlow) authorize(ctx context.Context, open func(context.Context, string) error) error {
	verifier, err := transport.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	state, err := transport.GenerateState()
	if err != nil {
		return err
	}
	address, err := f.handler.GetAuthorizationURL(ctx, state, transport.GenerateCodeChallenge(verifier))
	if err != nil {
		return fmt.Errorf("address of the sign-in page: %w", err)
	}
	f.listener.expect(state)
	if err := open(ctx, address); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	answer, err := f.listener.wait(ctx)
	if err != nil {
		return err
	}
	if err := checkAnswer(answer, f.server); err != nil {
		return err
	}
	if err := f.handler.ProcessAuthorizationResponse(ctx, answer.Get("code"), state, verifier); err != nil {
		return fmt.Errorf("exchange the code for a token: %w", err)
	}
	return nil
}

// checkAnswer checks the callback of the browser. It rejects one with another issuer, or
// without an issuer if the server always sends it (RFC 9207), before anything else in it
// is used.
func checkAnswer(answer url.Values, from authServer) error {
	issuer := answer.Get("iss")
	switch {
	case issuer == "" && from.NamesItself:
		return fmt.Errorf("the answer does not say that it comes from %s, which says so in each", from.Issuer)
	case issuer != "" && issuer != from.Issuer:
		return fmt.Errorf("the answer came from another authorization server (%s)", issuer)
	}
	code := answer.Get("error")
	if code == "" {
		return nil
	}
	if description := answer.Get("error_description"); description != "" {
		code += ": " + description
	}
	return errors.New("the authorization server refused: " + code)
}

// scopes returns the scopes to request, in the order of MCP's authorization chapter: the
// configured ones, those of the server's challenge, or all of the server's metadata. It
// adds offline_access if supported, which many authorization servers require for a
// refresh token.
func (f *signInFlow) scopes(ctx context.Context, metadata *transport.AuthServerMetadata) []string {
	if configured := f.session.account.Entry.Scopes; len(configured) > 0 {
		return configured
	}
	scopes := challengeScopes(f.challenge)
	if len(scopes) == 0 {
		scopes = f.resourceScopes(ctx)
	}
	const offline = "offline_access"
	if slices.Contains(metadata.ScopesSupported, offline) && !slices.Contains(scopes, offline) {
		scopes = append(scopes, offline)
	}
	return scopes
}

// challengeScopes returns the scope parameter of WWW-Authenticate headers.
func challengeScopes(challenge []string) []string {
	return strings.Fields(challengeParam(challenge, "scope"))
}

// challengeParam returns a quoted parameter of WWW-Authenticate headers.
func challengeParam(challenge []string, name string) string {
	pattern := regexp.MustCompile(`(?i)\b` + name + `="([^"]*)"`)
	for _, header := range challenge {
		if match := pattern.FindStringSubmatch(header); match != nil {
			return match[1]
		}
	}
	return ""
}

// resourceScopes returns scopes_supported of the server's metadata (RFC 9728), which
// mcp-go does not read. It returns nil if there is none.
func (f *signInFlow) resourceScopes(ctx context.Context) []string {
	address := f.metadataURL()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	response, err := f.client.Do(r)
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	var metadata struct {
		Scopes []string `json:"scopes_supported"`
	}
	if response.StatusCode != http.StatusOK || json.NewDecoder(response.Body).Decode(&metadata) != nil {
		return nil
	}
	return metadata.Scopes
}

// metadataURL returns the address of the server's metadata: the one in its challenge if
// that has the server's origin, else the well-known one.
func (f *signInFlow) metadataURL() string {
	known, err := url.Parse(f.session.account.URL)
	if err != nil {
		return f.session.account.URL
	}
	if named, err := url.Parse(challengeParam(f.challenge, "resource_metadata")); err == nil && SameOrigin(named, known) {
		return named.String()
	}
	known.RawQuery, known.Fragment, known.User = "", "", nil
	known.Path = "/.well-known/oauth-protected-resource" + strings.TrimSuffix(known.Path, "/")
	return known.String()
}

// resourceURL returns a server's address without query and fragment.
func resourceURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}
