package wire

import (
	"context"
	"net/http"
)

// Network holds the host's settings for outgoing connections.
type Network struct {
	// ProxyURL is the proxy of every request that NoProxy does not exempt. If empty, the
	// daemon's environment decides.
	ProxyURL string
	// NoProxy has the form of the NO_PROXY variable. "*" disables the proxy. If empty,
	// the daemon's environment decides.
	NoProxy string
	// ProxyAuthorization is the Proxy-Authorization header of CONNECT requests.
	ProxyAuthorization string
	// ExtraCAs are PEM certificates that are trusted in addition to the system's.
	ExtraCAs []byte
	// InsecureSkipVerify disables certificate checks (http.proxyStrictSSL: false).
	InsecureSkipVerify bool
	// Through, which may be nil, wraps the transport to a server. [OnBehalf] returns the
	// principal of each request. An [RPCError] that it returns is treated as the server's
	// own.
	Through func(server, url string, next http.RoundTripper) http.RoundTripper
}

// HTTPTransport returns a new transport with these settings.
func (n Network) HTTPTransport() (*http.Transport, error) { return newHTTPTransport(n) }

// Hooks reach the user. They may block as long as the user takes, and must return when
// the context ends.
type Hooks struct {
	// Input returns the value of ${input:id} for a server. On an error the server is not
	// tried again until it is restarted.
	Input func(ctx context.Context, server, id string) (string, error)
	// InputIsSecret reports whether the value of an input is a secret. If nil, every
	// value is.
	InputIsSecret func(server, id string) bool
	// Redirect asks the user whether to follow a redirect to another server. An error
	// means no. If nil, none is followed.
	Redirect func(ctx context.Context, server, from, to string) error
	// SecretGet reads from the host's secret store; "" means not stored.
	SecretGet func(ctx context.Context, key string) (string, error)
	// SecretSet writes to the host's secret store; "" deletes.
	SecretSet func(ctx context.Context, key, value string) error
	// OpenExternal opens an address in the user's browser.
	OpenExternal func(ctx context.Context, url string) error
	// ExternalURL returns the address at which the user's browser reaches a loopback
	// address of this machine. If nil, both are the same.
	ExternalURL func(ctx context.Context, url string) (string, error)
	// Announced is called with each announcement, sequentially per server. While it runs,
	// the server's next announcements wait.
	Announced func(Announcement)
}
