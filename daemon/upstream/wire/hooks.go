package wire

import (
	"context"
	"net/http"
)

// Network holds the host's settings for outgoing connections.
type Network struct {
	// ProxyURL is used for every request that NoProxy does not exempt; ""
	// takes the proxy from the daemon's own environment.
	ProxyURL string
	// NoProxy is in the form of the NO_PROXY variable, which "" takes from the
	// daemon's own environment; "*" uses no proxy at all.
	NoProxy string
	// ProxyAuthorization is the Proxy-Authorization header of a CONNECT.
	ProxyAuthorization string
	// ExtraCAs are PEM certificates trusted beside the system's.
	ExtraCAs []byte
	// InsecureSkipVerify turns certificate checks off, for hosts whose user
	// has done so (http.proxyStrictSSL: false).
	InsecureSkipVerify bool
	// Through, which may be nil, returns what the requests to a server go through
	// on their way to the network. [OnBehalf] says there whose they are; an
	// [RPCError] of its is taken for the server's own.
	Through func(server, url string, next http.RoundTripper) http.RoundTripper
}

// HTTPTransport returns a transport of the caller's own that follows these
// settings.
func (n Network) HTTPTransport() (*http.Transport, error) { return newHTTPTransport(n) }

// Hooks are the ways back to the user. They may block for as long as the user
// takes, and must return when the context ends.
type Hooks struct {
	// Input returns the value of ${input:id} for a server. An error means that the user
	// declined, and the server is not tried again until it is restarted.
	Input func(ctx context.Context, server, id string) (string, error)
	// InputIsSecret reports whether the value of an input is a secret; nil takes
	// each for one.
	InputIsSecret func(server, id string) bool
	// Redirect asks whether a server's redirect to another server is followed; an
	// error means that it is not. nil follows none.
	Redirect func(ctx context.Context, server, from, to string) error
	// SecretGet reads from the host's secret store; "" means not stored.
	SecretGet func(ctx context.Context, key string) (string, error)
	// SecretSet writes to the host's secret store; "" deletes.
	SecretSet func(ctx context.Context, key, value string) error
	// OpenExternal opens an address in the user's browser.
	OpenExternal func(ctx context.Context, url string) error
	// ExternalURL returns the address at which the user's browser reaches one
	// of this machine's loopback; nil stands for the same address.
	ExternalURL func(ctx context.Context, url string) (string, error)
	// Announced is told what servers announce, one after the other for each
	// server. It holds up the server's further announcements only.
	Announced func(Announcement)
}
