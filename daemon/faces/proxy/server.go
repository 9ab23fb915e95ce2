package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Timeouts of the server. A response may take as long as the model needs; a request must
// arrive at once.
const (
	headerTime = 10 * time.Second
	closeTime  = time.Second
)

// maxHeader bounds the headers of a request, in bytes.
const maxHeader = 64 << 10

// Listen listens on a loopback address such as `127.0.0.1:4711`; port 0 is a free one.
// Other addresses are refused, because requests carry API keys.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: it has to be a host and a port, as in 127.0.0.1:4711", address)
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("listen on %q: only an address of the loopback is served, such as 127.0.0.1", address)
	}
	return net.Listen("tcp", address)
}

// Serve serves until ctx ends. It returns when no request is under way, at most a second
// later.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeader}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		server.Close() //nolint:gosec // what is under way is given up
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
