package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Times of the server. An answer may take as long as the model thinks; the
// request has to come at once.
const (
	headerTime = 10 * time.Second
	closeTime  = time.Second
)

// maxHeader bounds the headers of a request, in bytes.
const maxHeader = 64 << 10

// Listen opens an address of the loopback, as in `127.0.0.1:4711`; port 0 is a
// free one. Any other address is refused: keys pass here.
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

// Serve serves until ctx ends, and returns when no request is under way any
// more, or a second later.
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
