package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// pipe is a client over two streams with one JSON-RPC message per line: MCP's stdio
// transport. mcp-go's own serves one client per process. It implements
// server.SessionWithLogging.
type pipe struct {
	server      *Server
	id          string
	out         chan []byte
	notes       chan mcp.JSONRPCNotification // notifications of mcp-go
	gone        <-chan struct{}              // closed at the end of the connection
	silent      chan struct{}                // closed when the client has closed its side
	initialized atomic.Bool
	questions   atomic.Int64

	// mu guards waiting, the unanswered requests to the client.
	mu      sync.Mutex
	waiting map[string]chan pipeMessage
}

// pipeMessage holds the members that distinguish requests, notifications and responses.
type pipeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *clientError    `json:"error"`
}

// clientError is an error response of a client.
type clientError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *clientError) Error() string {
	return fmt.Sprintf("the client answered: %s (code %d)", e.Message, e.Code)
}

// errGone is returned if the client is gone.
var errGone = errors.New("the client has gone")

// SessionID implements server.ClientSession.
func (p *pipe) SessionID() string { return p.id }

// Initialize implements server.ClientSession.
func (p *pipe) Initialize() { p.initialized.Store(true) }

// Initialized implements server.ClientSession.
func (p *pipe) Initialized() bool { return p.initialized.Load() }

// NotificationChannel implements server.ClientSession.
func (p *pipe) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.notes }

// SetLogLevel implements server.SessionWithLogging. The [Session] keeps the level.
func (*pipe) SetLogLevel(mcp.LoggingLevel) {}

// GetLogLevel implements server.SessionWithLogging. mcp-go itself logs nothing.
func (*pipe) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelEmergency }

// send queues a message. It blocks while the queue is full.
func (p *pipe) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	select {
	case p.out <- line:
		return nil
	case <-p.gone:
		return errGone
	}
}

// notify sends a notification.
func (p *pipe) notify(method string, params map[string]any) error {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method}
	if params != nil {
		message["params"] = params
	}
	return p.send(message)
}

// ask sends a request to the client and waits for the response. It is an [Ask].
func (p *pipe) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id := fmt.Sprintf(`"winnow-%d"`, p.questions.Add(1))
	answer := make(chan pipeMessage, 1)
	p.mu.Lock()
	p.waiting[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	question := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": json.RawMessage(id), "method": method}
	if len(params) > 0 {
		question["params"] = params
	}
	if err := p.send(question); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-p.silent:
		return nil, errGone
	case <-p.gone:
		return nil, errGone
	case <-ctx.Done():
		// Best effort: the caller has returned already.
		_ = p.notify(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": json.RawMessage(id)})
		return nil, context.Cause(ctx)
	}
}

// answered passes a response to the waiting request.
func (p *pipe) answered(m pipeMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer, ok := p.waiting[string(m.ID)]; ok {
		delete(p.waiting, string(m.ID))
		answer <- m
	}
}
