package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

const (
	// maxRoundTrips bounds how often a server may ask for input during one request.
	// maxEmptyRoundTrips bounds how often in a row it may ask for nothing, which means
	// that it is busy.
	maxRoundTrips      = 10
	maxEmptyRoundTrips = 3
	// maxQuestions bounds the questions in one round: the user is shown all of them.
	maxQuestions = 16
	// busyPause is the delay before a busy server is asked again. The next delay is twice
	// as long.
	busyPause = 250 * time.Millisecond
)

var errAsksForever = errors.New("it does not stop asking for input instead of answering")

// inputRequired is a response of 2026-07-28 that asks for input. The request is repeated
// with the answers.
type inputRequired struct {
	Requests map[string]inputRequest `json:"inputRequests"`
	State    string                  `json:"requestState"`
}

type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// exchange makes a request, and repeats it as long as the server asks its caller for
// input.
func (c *mcpConn) exchange(ctx context.Context, method mcp.MCPMethod, params json.RawMessage) (json.RawMessage, error) {
	empty := 0
	for range maxRoundTrips {
		raw, err := c.session.send(ctx, method, params)
		if err != nil || string(ijson.Member(raw, "resultType")) != `"input_required"` {
			return raw, err
		}
		var asks inputRequired
		if err := json.Unmarshal(raw, &asks); err != nil {
			return nil, fmt.Errorf("it asks for input in a way that is not MCP's: %w", err)
		}
		if n := len(asks.Requests); n > maxQuestions {
			return nil, fmt.Errorf("it asks %d questions at a time, of which none was put: the limit is %d", n, maxQuestions)
		}
		if len(asks.Requests) > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyRoundTrips {
			break
		} else if err := pause(ctx, busyPause<<(empty-1)); err != nil {
			return nil, err
		}
		answers, err := c.input(ctx, asks.Requests)
		if err != nil {
			return nil, fmt.Errorf("it asks for input in the middle of a call, and nobody gave it: %w", err)
		}
		if params, err = withInput(params, answers, asks.State); err != nil {
			return nil, err
		}
	}
	return nil, errAsksForever
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// input asks the caller all questions in parallel.
func (c *mcpConn) input(ctx context.Context, requests map[string]inputRequest) (map[string]json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu      sync.Mutex // guards answers
		answers = make(map[string]json.RawMessage, len(requests))
		asking  sync.WaitGroup
	)
	for id, r := range requests {
		asking.Go(func() {
			answer, err := c.callers.ask(ctx, mcp.MCPMethod(r.Method), r.Params)
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[id] = answer
		})
	}
	asking.Wait()
	return answers, context.Cause(ctx)
}

// withInput returns the params of a repeated request: the original ones, the answers, and
// the server's state.
func withInput(params json.RawMessage, answers map[string]json.RawMessage, state string) (json.RawMessage, error) {
	fields := map[string]any{}
	for name, value := range ijson.Members(params) {
		fields[name] = json.RawMessage(value)
	}
	delete(fields, "inputResponses")
	delete(fields, "requestState")
	if len(answers) > 0 {
		fields["inputResponses"] = answers
	}
	if state != "" {
		fields["requestState"] = state
	}
	return json.Marshal(fields)
}
