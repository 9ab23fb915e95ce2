package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
)

// connectHTTP makes one connection to an HTTP or SSE server in one era. It
// goes without a token first, unless one was needed the last time: mcp-go
// sends nothing at all while it has OAuth to do but no token.
func (d *dialer) connectHTTP(ctx context.Context, a attempt, era Era) (*handshake, error) {
	var refusal *signInError
	if !a.oauth {
		h, err := d.tryHTTP(ctx, a, era, nil)
		if !errors.As(err, &refusal) {
			return h, err
		}
	}
	if hasAuthorization(a.cfg.Headers) {
		return nil, &permanentError{
			err:  errors.New("it refuses the Authorization header of the entry (HTTP 401)"),
			next: "Correct the header, or remove it to sign in with OAuth.",
		}
	}
	session, err := d.loadSession(ctx, a)
	switch {
	case err != nil:
		return nil, err
	case session == nil && a.oauth:
		// The token is gone. The server says again where to sign in.
		a.oauth = false
		return d.connectHTTP(ctx, a, era)
	case session == nil:
		return nil, refusal
	}
	h, err := d.tryHTTP(ctx, a, era, session)
	if errors.As(err, &refusal) {
		h, err = d.reviveHTTP(ctx, a, era, session, refusal)
	}
	if err == nil {
		h.oauth = true
	}
	return h, err
}

// reviveHTTP tries once more after refreshing the token: it may have been
// withdrawn before it expired, and mcp-go calls a refresh that never reached
// the authorization server a refusal too.
func (d *dialer) reviveHTTP(ctx context.Context, a attempt, era Era, session *oauthSession, refusal *signInError) (*handshake, error) {
	refreshed, err := session.refresh(ctx)
	switch {
	case err != nil:
		return nil, a.redact.err(err)
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

// tryHTTP makes one connection, with the token of session unless it is nil.
func (d *dialer) tryHTTP(ctx context.Context, a attempt, era Era, session *oauthSession) (*handshake, error) {
	c, err := d.openHTTP(a, era, session)
	if err != nil {
		return nil, err
	}
	return d.begin(ctx, a, c)
}

// openHTTP makes the transport of an era. Nothing is sent yet.
func (d *dialer) openHTTP(a attempt, era Era, session *oauthSession) (*mcpConn, error) {
	l, err := newLink(a.cfg, d.opts.Network, d.redirects.of(a.cfg.Name))
	if err != nil {
		return nil, &permanentError{err: a.redact.err(err), next: "Correct the entry or the host's network settings."}
	}
	c := newMCPConn(a.cfg.Name, a.log, a.redact)
	c.link, l.log = l, a.log
	c.authorized = session != nil
	t, err := d.newHTTPTransport(c, a, era, session)
	if err != nil {
		l.cut()
		c.cancel()
		return nil, &permanentError{err: a.redact.err(err), next: "Correct the entry in its configuration file."}
	}
	c.shut = func(g grace, hurry <-chan struct{}) { l.shut(t, g, hurry) }
	return c, nil
}

// newHTTPTransport makes c talk by the HTTP transport of an era.
func (d *dialer) newHTTPTransport(c *mcpConn, a attempt, era Era, session *oauthSession) (transport.Interface, error) {
	quiet := debuglog.New(d.opts.Logger, func(text string) string { return shown(a.redact, text) }).With("server", a.cfg.Name)
	if era == EraSSE {
		options := []transport.ClientOption{
			transport.WithHTTPClient(c.link.client()), transport.WithSSELogger(quiet),
			// Both are bounded by contexts here.
			transport.WithEndpointTimeout(a.cfg.StartTimeout), transport.WithResponseTimeout(24 * time.Hour),
		}
		if session != nil {
			config, _ := session.config(c.link)
			options = append(options, transport.WithOAuth(config))
		}
		t, err := transport.NewSSE(a.cfg.URL, options...)
		if err != nil {
			return nil, err
		}
		session.prime(t.GetOAuthHandler())
		c.use(t, era, d.opts.ClientVersion)
		t.SetConnectionLostHandler(func(err error) { c.fail(fmt.Errorf("the event stream ended: %w", err)) })
		return t, nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(c.link.client()), transport.WithHTTPLogger(quiet),
	}
	if era == EraLegacy {
		// The stream by which changes are announced.
		//lint:ignore SA1019 the older era has no other
		options = append(options, transport.WithContinuousListening())
	}
	if session != nil {
		config, _ := session.config(c.link)
		options = append(options, transport.WithHTTPOAuth(config))
	}
	t, err := transport.NewStreamableHTTP(a.cfg.URL, options...)
	if err != nil {
		return nil, err
	}
	session.prime(t.GetOAuthHandler())
	c.use(t, era, d.opts.ClientVersion)
	return t, nil
}

// shut ends the session politely for as long as the grace lasts, then cuts
// what is left.
func (l *link) shut(t transport.Interface, g grace, hurry <-chan struct{}) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = t.Close()
	}()
	timer := time.NewTimer(g.input)
	defer timer.Stop()
	for waiting := true; waiting; {
		select {
		case <-closed:
			waiting = false
		case <-timer.C:
			waiting = false
		case <-hurry:
			hurry = nil
			timer.Reset(min(g.input, promptGrace().term))
		}
	}
	l.cut()
	<-closed
	l.base.CloseIdleConnections()
}

// isUnauthorized reports whether mcp-go says that a token is needed.
func isUnauthorized(err error) bool {
	return errors.Is(err, transport.ErrAuthorizationRequired) ||
		errors.Is(err, transport.ErrOAuthAuthorizationRequired) ||
		errors.Is(err, transport.ErrUnauthorized)
}

// isUnreachable reports whether a request could not be delivered at all.
func isUnreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
