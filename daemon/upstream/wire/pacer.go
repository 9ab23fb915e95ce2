package wire

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// pacer delays the requests for the stream on which a streamable HTTP server announces
// changes. mcp-go repeats the request one second after the stream ends, without limit,
// and many servers end it soon. Each short stream makes the next delay longer.
type pacer struct {
	// mu guards last and delays.
	mu     sync.Mutex
	last   time.Time
	delays *backoff.ExponentialBackOff
}

// wait blocks until the next request may be made. The first one may be made at once.
func (p *pacer) wait(ctx context.Context) error {
	delay := p.next(time.Now())
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		p.mu.Lock()
		p.last = time.Now()
		p.mu.Unlock()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next returns the delay before a request that would be made now.
func (p *pacer) next(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.delays == nil
	if first || now.Sub(p.last) >= StableAfter {
		p.delays = NewBackoff()
	}
	p.last = now
	if first {
		return 0
	}
	return NextRetry(p.delays)
}

// isListening reports whether a request is for that stream. A request with an event id
// resumes the response to a call and must not wait.
func isListening(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		r.Header.Get("Accept") == "text/event-stream" &&
		r.Header.Get("Mcp-Protocol-Version") != "" &&
		r.Header.Get("Last-Event-ID") == ""
}

// noStreamHere replaces the statuses by which servers say that they have no stream with
// the prescribed 405. mcp-go would repeat the request after any other.
func noStreamHere(response *http.Response) {
	switch response.StatusCode {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusNotImplemented:
		response.StatusCode = http.StatusMethodNotAllowed
	}
}
