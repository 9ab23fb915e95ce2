package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/oauth"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// connectHTTP makes one connection to an HTTP or SSE server in one era. The first try has
// no token unless the last connection required one: with OAuth but without a token mcp-go
// sends nothing at all.
func (d *Dialer) connectHTTP(ctx context.Context, a Attempt, era Era) (*Handshake, error) {
	var refusal *SignInWanted
	if !a.OAuth {
		h, err := d.tryHTTP(ctx, a, era, nil)
		if !errors.As(err, &refusal) {
			return h, err
		}
	}
	if hasAuthorization(a.Config.Headers) {
		return nil, &fault.Failure{
			Permanent: true,
			Err:       errors.New("it refuses the Authorization header of the entry (HTTP 401)"),
			Next:      "Correct the header, or remove it to sign in with OAuth.",
		}
	}
	session, err := oauth.Load(ctx, d.account(a), d.signInHooks())
	switch {
	case err != nil:
		return nil, err
	case session == nil && a.OAuth:
		// The token is gone. The server's refusal says where to sign in.
		a.OAuth = false
		return d.connectHTTP(ctx, a, era)
	case session == nil:
		return nil, refusal
	}
	h, err := d.tryHTTP(ctx, a, era, session)
	if errors.As(err, &refusal) {
		h, err = d.reviveHTTP(ctx, a, era, session, refusal)
	}
	if err == nil {
		h.OAuth = true
	}
	return h, err
}

// reviveHTTP refreshes the token and tries once more. The token may have been revoked
// early, and mcp-go also reports a refresh that did not reach the authorization server as
// a refusal.
func (d *Dialer) reviveHTTP(ctx context.Context, a Attempt, era Era, session *oauth.Session, refusal *SignInWanted) (*Handshake, error) {
	refreshed, err := session.Refresh(ctx)
	switch {
	case err != nil:
		return nil, a.Redact.Err(err)
	case !refreshed:
		return nil, refusal
	}
	return d.tryHTTP(ctx, a, era, session)
}

func hasAuthorization(headers map[string]string) bool {
	for name := range headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

// tryHTTP makes one connection. session, which may be nil, supplies the token.
func (d *Dialer) tryHTTP(ctx context.Context, a Attempt, era Era, session *oauth.Session) (*Handshake, error) {
	c, err := d.openHTTP(a, era, session)
	if err != nil {
		return nil, err
	}
	return d.begin(ctx, a, c)
}

// openHTTP creates the transport of an era. It sends nothing.
func (d *Dialer) openHTTP(a Attempt, era Era, session *oauth.Session) (*mcpConn, error) {
	l, err := newLink(a.Config, d.Network, d.redirects.of(a.Config.Name))
	if err != nil {
		return nil, &fault.Failure{Permanent: true, Err: a.Redact.Err(err), Next: "Correct the entry or the host's network settings."}
	}
	c := newMCPConn(a.Config.Name, a.Log, a.Redact)
	c.link, l.log = l, a.Log
	c.authorized = session != nil
	t, err := d.newHTTPTransport(c, a, era, session)
	if err != nil {
		l.cut()
		c.cancel()
		return nil, &fault.Failure{Permanent: true, Err: a.Redact.Err(err), Next: "Correct the entry in its configuration file."}
	}
	c.shut = func(g process.Grace, hurry <-chan struct{}) { l.shut(t, g, hurry) }
	return c, nil
}

// newHTTPTransport sets the HTTP transport of an era on c.
func (d *Dialer) newHTTPTransport(c *mcpConn, a Attempt, era Era, session *oauth.Session) (transport.Interface, error) {
	quiet := debuglog.New(d.Log, func(text string) string { return clean.Shown(a.Redact, text) }).With("server", a.Config.Name)
	if era == EraSSE {
		options := []transport.ClientOption{
			transport.WithHTTPClient(c.link.client()), transport.WithSSELogger(quiet),
			// Contexts bound both.
			transport.WithEndpointTimeout(a.Config.StartTimeout), transport.WithResponseTimeout(24 * time.Hour),
		}
		if session != nil {
			config := session.Config(c.link.client())
			options = append(options, transport.WithOAuth(config))
		}
		t, err := transport.NewSSE(a.Config.URL, options...)
		if err != nil {
			return nil, err
		}
		session.Prime(t.GetOAuthHandler())
		c.use(t, era, d.ClientVersion)
		t.SetConnectionLostHandler(func(err error) { c.Fail(fmt.Errorf("the event stream ended: %w", err)) })
		return t, nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(c.link.client()), transport.WithHTTPLogger(quiet),
	}
	if era == EraLegacy {
		// The stream on which the server announces changes.
		//lint:ignore SA1019 the older era has no other
		options = append(options, transport.WithContinuousListening())
	}
	if session != nil {
		config := session.Config(c.link.client())
		options = append(options, transport.WithHTTPOAuth(config))
	}
	t, err := transport.NewStreamableHTTP(a.Config.URL, options...)
	if err != nil {
		return nil, err
	}
	session.Prime(t.GetOAuthHandler())
	c.use(t, era, d.ClientVersion)
	return t, nil
}

// shut ends the session within the grace, then cancels the rest.
func (l *link) shut(t transport.Interface, g process.Grace, hurry <-chan struct{}) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = t.Close()
	}()
	timer := time.NewTimer(g.Input)
	defer timer.Stop()
	for waiting := true; waiting; {
		select {
		case <-closed:
			waiting = false
		case <-timer.C:
			waiting = false
		case <-hurry:
			hurry = nil
			timer.Reset(min(g.Input, process.PromptGrace().Term))
		}
	}
	l.cut()
	<-closed
	l.base.CloseIdleConnections()
}

// isUnauthorized reports whether mcp-go says that a token is required.
func isUnauthorized(err error) bool {
	return errors.Is(err, transport.ErrAuthorizationRequired) ||
		errors.Is(err, transport.ErrOAuthAuthorizationRequired) ||
		errors.Is(err, transport.ErrUnauthorized)
}

// isUnreachable reports whether no connection could be made.
func isUnreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// account returns the account for the sign-in of an attempt.
func (d *Dialer) account(a Attempt) oauth.Account {
	return oauth.Account{Principal: principal.Local, Name: a.Config.Name, URL: a.Config.URL, Entry: a.Config.OAuth, Redact: a.Redact, Client: func() (*http.Client, func(), error) {
		l, err := newLink(a.Config, d.Network, d.redirects.of(a.Config.Name))
		if err != nil {
			return nil, nil, err
		}
		return l.client(), l.close, nil
	}}
}

func (d *Dialer) signInHooks() oauth.Hooks {
	h := d.Hooks
	return oauth.Hooks{SecretGet: h.SecretGet, SecretSet: h.SecretSet, OpenExternal: h.OpenExternal, ExternalURL: h.ExternalURL}
}

// SignIn signs the user in to a server. challenge holds the headers of its refusal.
func (d *Dialer) SignIn(ctx context.Context, a Attempt, challenge []string) (err error) {
	if d.Hooks.OpenExternal == nil {
		return errors.New("this host cannot open a browser")
	}
	if a.Config, err = resolveInputs(ctx, a.Config, a.Redact, d.Hooks.askInput(a.Redact)); err != nil {
		return err
	}
	return oauth.SignIn(ctx, d.account(a), d.signInHooks(), challenge)
}
