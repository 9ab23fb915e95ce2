package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/oauth"
)

// link is the HTTP side of one connection: the http.RoundTripper under mcp-go. It adds
// what mcp-go lacks. It sends the entry's headers with every request (mcp-go omits them
// when it ends a session), bounds the size of messages, sends late responses, records why
// a request was refused, and can be cancelled. Its output is I-JSON; see package ijson.
type link struct {
	base *http.Transport
	// next is base, or the host's wrapper around it.
	next   http.RoundTripper
	origin *url.URL
	// redirects decides which redirects are followed.
	redirects *redirects
	headers   map[string]string
	limit     int
	// life is the parent of every request; cut cancels it.
	life context.Context //nolint:containedctx // the link's own lifetime, cancelled by cut
	cut  context.CancelFunc

	// stream paces the requests for the stream of notifications.
	stream pacer
	// log receives a line for each dropped message; it may be nil.
	log *clean.Ring

	// mu guards last and challenge.
	mu   sync.Mutex
	last failure
	// challenge holds the WWW-Authenticate headers of the last 401.
	challenge []string
}

// failure is a response with a status of 400 or above.
type failure struct {
	status int
	body   string
}

func (f failure) err() error {
	text := fmt.Sprintf("HTTP %d %s", f.status, http.StatusText(f.status))
	if f.body != "" {
		text += ": " + f.body
	}
	return errors.New(text)
}

// wrongTransport reports whether, by the specification, the status means that the server
// has another transport.
func (f failure) wrongTransport() bool {
	switch f.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	default:
		return false
	}
}

// newLink returns the link of one connection. agreed reports whether the user has agreed
// to a redirect; see [redirects].
func newLink(cfg Config, network Network, agreed func(from, to string) bool) (*link, error) {
	origin, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	base, err := newHTTPTransport(network)
	if err != nil {
		return nil, err
	}
	l := &link{base: base, origin: origin, redirects: newRedirects(origin, agreed), headers: cfg.Headers, limit: cfg.MaxMessageBytes}
	base.DialContext = l.redirects.dial(netDialer())
	if named, err := url.Parse(cfg.OAuth.AuthServerMetadataURL); err == nil && named.Host != "" {
		l.redirects.permit(named)
	}
	choose := base.Proxy
	base.Proxy = func(r *http.Request) (*url.URL, error) {
		proxy, err := choose(r)
		l.redirects.permit(proxy)
		return proxy, err
	}
	l.next = base
	if network.Through != nil {
		l.next = network.Through(cfg.Name, cfg.URL, base)
	}
	l.life, l.cut = context.WithCancel(context.Background())
	return l, nil
}

func netDialer() net.Dialer {
	return net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
}

// newHTTPTransport returns a transport for one server, so that closing its connections
// affects no other server.
func newHTTPTransport(network Network) (*http.Transport, error) {
	dial := netDialer()
	t := &http.Transport{
		DialContext:           dial.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   64, // the default of 2 has concurrent calls connect anew
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: network.InsecureSkipVerify},
		// Detects a peer that vanished while its stream was silent.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	choose := network.proxies().ProxyFunc()
	t.Proxy = func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
	if network.ProxyAuthorization != "" {
		t.ProxyConnectHeader = http.Header{"Proxy-Authorization": {network.ProxyAuthorization}}
	}
	if len(network.ExtraCAs) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(network.ExtraCAs) {
			return nil, errors.New("the host's extra CA certificates hold no certificate in PEM form")
		}
		t.TLSClientConfig.RootCAs = pool
	}
	return t, nil
}

// proxies returns the environment's proxies, overridden by the host's settings.
func (n Network) proxies() *httpproxy.Config {
	cfg := httpproxy.FromEnvironment()
	if n.ProxyURL != "" {
		cfg.HTTPProxy, cfg.HTTPSProxy = n.ProxyURL, n.ProxyURL
	}
	if n.NoProxy != "" {
		cfg.NoProxy = n.NoProxy
	}
	return cfg
}

// client returns an http.Client over the link. It has no timeout, which would end event
// streams. Its cookies keep a session on one machine of a load-balanced server.
func (l *link) client() *http.Client {
	// New fails only for a bad public suffix list; none is given.
	jar, _ := cookiejar.New(nil)
	return &http.Client{Transport: l, Jar: jar, CheckRedirect: l.redirects.check}
}

// close cancels all requests and closes the connections.
func (l *link) close() {
	l.cut()
	l.base.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper.
func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := lasting(r)
	stop := context.AfterFunc(l.life, cancel)
	end := func() {
		stop()
		cancel()
	}
	r = r.Clone(ctx)
	if oauth.SameOrigin(r.URL, l.origin) || upgrades(l.origin, r.URL) {
		for name, value := range l.headers {
			if r.Header.Get(name) == "" {
				r.Header.Set(name, value)
			}
		}
	}
	listens := isListening(r)
	if listens {
		if err := l.stream.wait(ctx); err != nil {
			end()
			return nil, err
		}
	}
	response, err := l.next.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	if listens {
		noStreamHere(response)
	}
	stream := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	response.Body = &boundedBody{ReadCloser: response.Body, limit: l.limit, stream: stream, end: end}
	mendBody(response, l.log)
	if response.StatusCode >= http.StatusBadRequest {
		l.remember(response)
	}
	return response, nil
}

// remember records why a request was refused. The body stays readable.
func (l *link) remember(response *http.Response) {
	const kept = 300
	begin := make([]byte, kept)
	n, _ := io.ReadFull(response.Body, begin)
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin[:n]), response.Body), response.Body}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = failure{status: response.StatusCode, body: plainText(begin[:n], response.Header.Get("Content-Type"))}
	if response.StatusCode == http.StatusUnauthorized {
		l.challenge = response.Header.Values("WWW-Authenticate")
	}
}

// plainText returns a body as one line for an error text; empty for a web page.
func plainText(body []byte, contentType string) string {
	if strings.HasPrefix(contentType, "text/html") {
		return ""
	}
	return strings.Join(strings.Fields(string(bytes.ToValidUTF8(body, nil))), " ")
}

// failure returns the last refused response.
func (l *link) failure() failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

func (l *link) lastChallenge() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.challenge
}

// boundedBody fails once a message in it exceeds the limit. A message is the whole body,
// or one event of a stream.
type boundedBody struct {
	io.ReadCloser
	limit  int
	stream bool
	// size counts the bytes of the current message. blank is set while the current line
	// of a stream is empty.
	size  int
	blank bool
	end   func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.stream {
		b.scan(p[:n])
	} else {
		b.size += n
	}
	if b.size > b.limit {
		return 0, fmt.Errorf("the answer has more than the %d bytes that are accepted in one message", b.limit)
	}
	return n, err
}

// scan counts the bytes since the last empty line, which ends an event.
func (b *boundedBody) scan(p []byte) {
	for _, c := range p {
		b.size++
		switch c {
		case '\n':
			if b.blank {
				b.size = 0
			}
			b.blank = true
		case '\r':
		default:
			b.blank = false
		}
		if b.size > b.limit {
			return
		}
	}
}

func (b *boundedBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
