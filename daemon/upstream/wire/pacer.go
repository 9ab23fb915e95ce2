package wire

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// pacer spaces out the requests for the stream on which a streamable HTTP
// server announces changes. mcp-go asks again one second after the stream has
// ended, for ever; many servers end it at once, or after some seconds. Each
// stream that did not last makes the next one wait longer.
type pacer struct {
	// mu guards last and delays.
	mu     sync.Mutex
	last   time.Time
	delays *backoff.ExponentialBackOff
}

// wait returns when the next request may be made. The first one may be at once.
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

// next returns how long to wait before a request that would be made now.
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

// isListening reports whether a request asks for that stream. One with an
// event id resumes the answer to a call and must not wait.
func isListening(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		r.Header.Get("Accept") == "text/event-stream" &&
		r.Header.Get("Mcp-Protocol-Version") != "" &&
		r.Header.Get("Last-Event-ID") == ""
}

// noStreamHere makes an answer clear by which a server says that it has no
// stream. It should be a 405, which mcp-go understands; servers and the
// gateways before them have others, after which mcp-go would go on asking.
func noStreamHere(response *http.Response) {
	switch response.StatusCode {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusNotImplemented:
		response.StatusCode = http.StatusMethodNotAllowed
	}
}
