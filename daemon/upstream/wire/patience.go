package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// If an HTTP server makes a request during a call, mcp-go allows half a minute for the
// response, then sends none. A person who fills in a form needs more time. This file
// extends the limit to the duration of the call, as over stdio.

// answerTimeout bounds the sending of a response.
const answerTimeout = 30 * time.Second

// callKey is the context key of the context of a call.
type callKey struct{}

// withCall stores ctx in itself as the context of a call, for [patient].
func withCall(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, ctx)
}

// patient returns ctx without its deadline. It ends when ctx is cancelled or its call is
// over.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	over := func() bool { return true }
	if call, ok := ctx.Value(callKey{}).(context.Context); ok {
		over = context.AfterFunc(call, cancel)
	}
	return lasting, func() {
		stop()
		over()
		cancel()
	}
}

// lasting returns the context for sending a request. It is the request's own, except for
// a response, whose deadline mcp-go counts from the server's request.
func lasting(r *http.Request) (context.Context, context.CancelFunc) {
	if !isAnswer(r) {
		return context.WithCancel(r.Context())
	}
	return context.WithTimeout(context.WithoutCancel(r.Context()), answerTimeout)
}

// isAnswer reports whether a request carries a JSON-RPC response. It decodes members up
// to the first that decides; mcp-go writes no long member before it.
func isAnswer(r *http.Request) bool {
	if r.Method != http.MethodPost || r.GetBody == nil {
		return false
	}
	body, err := r.GetBody()
	if err != nil {
		return false
	}
	defer func() { _ = body.Close() }()
	dec := json.NewDecoder(body)
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "method" {
			return false
		}
		if key == "result" || key == "error" {
			return true
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return false
		}
	}
	return false
}
