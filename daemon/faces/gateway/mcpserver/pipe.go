package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// drainTime is how long requests may still take after the client closed its side:
	// some clients write all requests and close at once.
	drainTime = 15 * time.Second
	// queued is the capacity of a client's queue.
	queued = 64
)

// drain waits up to drainTime for requests under way.
func drain(ctx context.Context, requests *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		requests.Wait()
	}()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// read calls got with each line until the client closes its side or ctx ends.
func (p *pipe) read(ctx context.Context, in io.Reader, got func(line []byte)) error {
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(in)
		const firstBuffer = 64 << 10
		scanner.Buffer(make([]byte, 0, firstBuffer), maxBody)
		for scanner.Scan() {
			select {
			case lines <- append([]byte(nil), scanner.Bytes()...):
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	for {
		select {
		case line := <-lines:
			got(line)
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("gateway: read from the client: %w", err)
			}
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// write sends queued messages until answered is closed and the queue is empty.
func (p *pipe) write(out io.Writer, answered <-chan struct{}) error {
	for {
		var line []byte
		select {
		case line = <-p.out:
		case note := <-p.notes:
			line = encode(note)
		case <-answered:
			if len(p.out) == 0 {
				return nil
			}
			line = <-p.out
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

// encode encodes a message of mcp-go, which cannot fail.
func encode(message any) []byte {
	line, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("gateway: encode %T: %v", message, err))
	}
	return line
}

// received handles one line of a client. Requests run concurrently.
func (p *pipe) received(ctx context.Context, line []byte, requests *sync.WaitGroup) {
	if len(line) == 0 {
		return
	}
	var m pipeMessage
	known := json.Unmarshal(line, &m) == nil
	switch {
	case known && m.Method == "" && len(m.ID) > 0 && (m.Result != nil || m.Error != nil):
		p.answered(m)
	case known && m.Method == string(mcp.MethodSubscriptionsListen) && len(m.ID) > 0:
		requests.Go(func() { p.listen(ctx, line, m.ID) })
	case known && m.Method != "" && len(m.ID) > 0 && m.Method != string(mcp.MethodInitialize):
		requests.Go(func() { p.handle(ctx, line) })
	default:
		// Notifications are handled in order. No later line is handled before initialize
		// has returned.
		p.handle(ctx, line)
	}
}

// handle responds to one message.
func (p *pipe) handle(ctx context.Context, line []byte) {
	p.deliver(p.respond(ctx, line))
}

// deliver queues a response; nil is ignored.
func (p *pipe) deliver(answer any) {
	if answer == nil {
		return
	}
	if err := p.send(answer); err != nil {
		p.server.log.Debug("answer not sent", "error", err)
	}
}

// respond returns the response to one message, or nil if it has none. A panic becomes an
// error response.
func (p *pipe) respond(ctx context.Context, line []byte) (answer any) {
	defer func() {
		if trouble := recover(); trouble != nil {
			p.server.log.Error("panic", "panic", fmt.Sprint(trouble), "stack", string(debug.Stack()))
			answer = nil
			var m pipeMessage
			if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 {
				answer = map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": m.ID,
					"error": clientError{Code: mcp.INTERNAL_ERROR, Message: "internal error"}}
			}
		}
	}()
	if response := p.server.face.HandleMessage(ctx, line); response != nil {
		return response
	}
	return nil
}
