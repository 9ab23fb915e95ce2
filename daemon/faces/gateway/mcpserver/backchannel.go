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

// backchannel is how one client of the HTTP side is reached. The library puts
// questions to it in two ways: on the stream of the request that it waits for
// (elicitation), and on the stream on which it listens (the others). Each way
// numbers its questions from 1, and the answers tell no more than the number; so
// one question at a time is put to a client.
type backchannel struct {
	turn chan struct{} // holds a token while a question waits for its answer

	// mu guards what follows.
	mu       sync.Mutex
	listener server.ClientSession // nil until the client listens
	onStream bool                 // the question went to the listener
}

func newBackchannel() *backchannel { return &backchannel{turn: make(chan struct{}, 1)} }

// listen notes the stream on which the client listens.
func (l *backchannel) listen(listener server.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
}

// asksOnStream reports whether the client has yet to answer a question on its
// listening stream.
func (l *backchannel) asksOnStream() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.onStream
}

// begin notes where a question goes, and returns the client's listener.
func (l *backchannel) begin(onStream bool) server.ClientSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onStream = onStream
	return l.listener
}

var errNoStream = errors.New("the client listens on no stream, so it cannot be asked; see whether it supports streamable HTTP's GET")

// ask returns what puts questions to the client of a request. The context is
// the request's.
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

// within returns ctx with the values of request, which ends with either.
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

// askListener puts a question on the stream on which a client listens.
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

// result encodes what a client answered.
func result(answer any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
