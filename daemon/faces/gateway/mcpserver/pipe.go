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
	// drainTime is how long the requests of a client that has closed its side
	// may still take: some write what they want and close at once.
	drainTime = 15 * time.Second
	// queued is how many messages wait for a client that reads slowly.
	queued = 64
)

// drain waits for requests under way, for a while.
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

// read hands each line to got until the client closes its side or ctx ends.
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

// write sends what is queued until answered is closed and the queue is empty.
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

// encode returns a message of the library's as JSON; these always encode.
func encode(message any) []byte {
	line, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("gateway: encode %T: %v", message, err))
	}
	return line
}

// received deals with one line of a client. Requests run side by side.
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
		// Notifications take effect in order, and nothing overtakes initialize.
		p.handle(ctx, line)
	}
}

// handle answers one message.
func (p *pipe) handle(ctx context.Context, line []byte) {
	p.deliver(p.respond(ctx, line))
}

// deliver queues an answer; nil is none.
func (p *pipe) deliver(answer any) {
	if answer == nil {
		return
	}
	if err := p.send(answer); err != nil {
		p.server.log.Debug("answer not sent", "error", err)
	}
}

// respond returns the answer to one message; nil where it needs none. A panic
// costs this one only.
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
