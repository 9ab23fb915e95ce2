package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
)

// maxAnswer bounds a response that is read, in bytes. It is held in memory.
const maxAnswer = 64 << 20

// exchange is one request of a client, with all requests to the provider for it.
type exchange struct {
	handler  *Handler
	endpoint Endpoint
	// path is the path at the endpoint, rawPath the same as the client escaped it.
	path, rawPath string
	plan          *plan // nil: the request is forwarded unchanged
	rounds        []wire.Round
	last          bool // the next request offers no hidden tool
	reached       bool // the provider has answered the latest request
}

// reads reports whether the response is read.
func (x *exchange) reads() bool { return x.plan != nil && x.plan.offered }

// modifyResponse reads the response to a request that offers hidden tools.
func (h *Handler) modifyResponse(resp *http.Response) error {
	x := exchangeOf(resp.Request.Context())
	x.reached = true
	if x.plan != nil {
		x.count(resp, true)
	}
	if !x.reads() || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Encoding") != "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return nil //nolint:nilerr // not understood, so not changed
	}
	switch media {
	case "text/event-stream":
		return x.stream(resp)
	case "application/json":
		return x.whole(resp)
	}
	return nil
}

// count records a request that the provider answered, and its usage, which is read while
// the body passes. For the proxy's own requests only the usage counts. Failed requests do
// not count.
func (x *exchange) count(resp *http.Response, ofClient bool) {
	if resp.StatusCode != http.StatusOK {
		return
	}
	l, p := x.handler.ledger, x.plan
	if ofClient && p.task != "" {
		x.handler.router.Answered(p.task, p.number)
	}
	key := l.request(p, resp.Request.Header.Get("User-Agent"), &x.endpoint, ofClient)
	if resp.Header.Get("Content-Encoding") != "" {
		return
	}
	resp.Body = &usageReader{
		ReadCloser: resp.Body, format: p.request.Format, lines: strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"),
		done: func(u wire.Usage) { l.usage(key, u) },
	}
}

// whole reads a response that is not streamed, and passes it on when it is complete.
func (x *exchange) whole(resp *http.Response) error {
	ctx := resp.Request.Context()
	var before []*wire.Answer
	for {
		body, err := readAnswer(resp)
		if err != nil {
			return err
		}
		a, err := wire.ReadAnswer(x.plan.request, body, hidden)
		if err != nil {
			x.handler.log.Warn("an answer passes as it is", "endpoint", x.endpoint.Name, "error", err)
			replaceBody(resp, body)
			return nil
		}
		goesOn, err := x.take(ctx, &a.Said)
		if err != nil {
			return err
		}
		if !goesOn {
			replaceBody(resp, a.Body(x.plan.request.Format, before...))
			return nil
		}
		before = append(before, a)
		next, err := x.again(ctx, resp.Request) //nolint:bodyclose // readAnswer closes it, or who gets the answer
		if err != nil {
			return err
		}
		if next.StatusCode != http.StatusOK { // the provider's error is the answer
			*resp = *next
			return nil
		}
		resp.Body = next.Body
	}
}

func readAnswer(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	}
	return body, err
}

func replaceBody(resp *http.Response, body []byte) {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// again sends the request that continues after the rounds.
func (x *exchange) again(ctx context.Context, first *http.Request) (*http.Response, error) {
	body := x.plan.next(x.rounds, x.last)
	r := first.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.ContentLength = int64(len(body))
	resp, err := x.handler.transport.RoundTrip(r)
	if err != nil {
		x.reached = false
		return nil, fmt.Errorf("%s: %w", x.endpoint.URL.Host, err)
	}
	x.count(resp, false)
	return resp, nil
}

// take handles what the model said in one response, and reports whether to send another
// request. It runs the hidden calls. Responses of an exchange without hidden calls are
// not reported to the engine.
func (x *exchange) take(ctx context.Context, said *wire.Said) (goesOn bool, err error) {
	if len(said.Hidden) == 0 && len(x.rounds) == 0 {
		return false, nil
	}
	round, next, err := x.handler.answer(ctx, x.plan, said)
	if err != nil {
		return false, err
	}
	if !said.Unfinished() {
		return false, nil
	}
	x.rounds = append(x.rounds, round)
	x.last = next == protocol.NextSendLast
	return next == protocol.NextSend || x.last, nil
}
