package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// When an HTTP server asks something in the middle of a call, mcp-go gives the
// answer half a minute: then it waits no longer, and sends nothing. A person
// who fills in a form, or looks for a key, needs more than that. What is here
// lets the answer take as long as the call, as it may over stdio.

// answerTimeout bounds the sending of an answer.
const answerTimeout = 30 * time.Second

// callKey carries the context of the call in those that mcp-go derives.
type callKey struct{}

// withCall lets [patient] find the context of a call.
func withCall(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, ctx)
}

// patient returns ctx without its deadline. It ends when ctx is cancelled, or
// the call in whose course it was made is over.
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

// lasting returns the context in which a request is sent: its own, but for an
// answer, whose time mcp-go counts from the question.
func lasting(r *http.Request) (context.Context, context.CancelFunc) {
	if !isAnswer(r) {
		return context.WithCancel(r.Context())
	}
	return context.WithTimeout(context.WithoutCancel(r.Context()), answerTimeout)
}

// isAnswer reports whether a request carries a JSON-RPC response. mcp-go writes
// no long member before the one that tells.
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
