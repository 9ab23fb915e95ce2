package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// backchannel sends requests to one HTTP client. mcp-go has two ways: the stream of the
// client's request (elicitation) and the client's listening stream (others). Each way
// numbers its requests from 1, and responses carry only the number. So one request at a
// time is sent to a client.
type backchannel struct {
	turn chan struct{} // full while a request waits for its response

	// mu guards what follows.
	mu       sync.Mutex
	listener server.ClientSession // nil until the client listens
	onStream bool                 // the request was sent on the listening stream
}

func newBackchannel() *backchannel { return &backchannel{turn: make(chan struct{}, 1)} }

// listen sets the listening stream of the client.
func (l *backchannel) listen(listener server.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
}

// asksOnStream reports whether a request on the listening stream is unanswered.
func (l *backchannel) asksOnStream() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.onStream
}

// begin records the way of a request, and returns the listening stream.
func (l *backchannel) begin(onStream bool) server.ClientSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onStream = onStream
	return l.listener
}

var errNoStream = errors.New("the client listens on no stream, so it cannot be asked; see whether it supports streamable HTTP's GET")

// ask returns the [Ask] for the client of a request. request is that request's context.
func (l *backchannel) ask(request context.Context) Ask {
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		select {
		case l.turn <- struct{}{}:
			defer func() { <-l.turn }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if method == string(mcp.MethodElicitationCreate) {
			l.begin(false)
			ctx, end := within(ctx, request)
			defer end()
			return elicit(ctx, server.ClientSessionFromContext(request), params)
		}
		defer l.begin(false)
		return askListener(ctx, l.begin(true), method, params)
	}
}

// within returns a context with the values of request that ends with ctx or request.
func within(ctx, request context.Context) (context.Context, context.CancelFunc) {
	both, cancel := context.WithCancelCause(context.WithoutCancel(request))
	stopCtx := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	stopRequest := context.AfterFunc(request, func() { cancel(context.Cause(request)) })
	return both, func() {
		stopCtx()
		stopRequest()
		cancel(nil)
	}
}

func elicit(ctx context.Context, session server.ClientSession, params json.RawMessage) (json.RawMessage, error) {
	client, ok := session.(server.SessionWithElicitation)
	if !ok {
		return nil, errGone
	}
	var r mcp.ElicitationRequest
	if err := json.Unmarshal(params, &r.Params); err != nil {
		return nil, fmt.Errorf("elicitation/create: params: %w", err)
	}
	return result(client.RequestElicitation(ctx, r))
}

// askListener sends a request on the client's listening stream.
func askListener(ctx context.Context, listener server.ClientSession, method string, params json.RawMessage) (json.RawMessage, error) {
	client, ok := listener.(interface {
		server.SessionWithSampling
		server.SessionWithRoots
	})
	if !ok {
		return nil, errNoStream
	}
	switch method {
	case string(mcp.MethodSamplingCreateMessage):
		var r mcp.CreateMessageRequest
		if err := json.Unmarshal(params, &r.CreateMessageParams); err != nil {
			return nil, fmt.Errorf("%s: params: %w", method, err)
		}
		return result(client.RequestSampling(ctx, r))
	case string(mcp.MethodListRoots):
		return result(client.ListRoots(ctx, mcp.ListRootsRequest{}))
	}
	return nil, fmt.Errorf("clients cannot be asked %s", method)
}

// result encodes the client's result.
func result(answer any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
