package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
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

// pipe is a client at the other end of two streams, with one JSON-RPC message a
// line: MCP's stdio transport. The library's own serves one client a process.
// It implements server.SessionWithLogging.
type pipe struct {
	id          string
	out         chan []byte
	notes       chan mcp.JSONRPCNotification // what the library itself tells
	gone        <-chan struct{}              // closed at the end of the connection
	silent      chan struct{}                // closed when the client has said all
	initialized atomic.Bool
	questions   atomic.Int64

	// mu guards waiting, the questions that the client has yet to answer.
	mu      sync.Mutex
	waiting map[string]chan pipeMessage
}

// pipeMessage is what tells a request, a notification and an answer apart.
type pipeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *clientError    `json:"error"`
}

// clientError is an error that a client answered with.
type clientError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *clientError) Error() string {
	return fmt.Sprintf("the client answered: %s (code %d)", e.Message, e.Code)
}

// errGone is returned for a question to a client that has gone.
var errGone = errors.New("the client has gone")

// SessionID implements server.ClientSession.
func (p *pipe) SessionID() string { return p.id }

// Initialize implements server.ClientSession.
func (p *pipe) Initialize() { p.initialized.Store(true) }

// Initialized implements server.ClientSession.
func (p *pipe) Initialized() bool { return p.initialized.Load() }

// NotificationChannel implements server.ClientSession.
func (p *pipe) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.notes }

// SetLogLevel implements server.SessionWithLogging; the session keeps the level.
func (*pipe) SetLogLevel(mcp.LoggingLevel) {}

// GetLogLevel implements server.SessionWithLogging. The library logs nothing.
func (*pipe) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelEmergency }

// ServePipe serves one client over two streams until the client closes its
// side, ctx ends or out fails. It does not close them; a read that is under way
// then ends with in.
func (s *Server) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	p := &pipe{
		id: s.sessions.Generate(), out: make(chan []byte, queued), notes: make(chan mcp.JSONRPCNotification, queued),
		gone: life.Done(), silent: make(chan struct{}), waiting: map[string]chan pipeMessage{},
	}
	if err := s.face.RegisterSession(life, p); err != nil {
		return fmt.Errorf("gateway: begin a session: %w", err)
	}
	defer s.endPipe(life, p)
	var writing, requests sync.WaitGroup
	answered := make(chan struct{}) // closed when nothing is queued any more
	writing.Go(func() {
		if err := p.write(out, answered); err != nil {
			end(fmt.Errorf("gateway: write to the client: %w", err))
		}
	})
	work := s.face.WithContext(life, p)
	err := p.read(life, in, func(line []byte) { s.received(work, p, line, &requests) })
	close(p.silent)
	drain(life, &requests)
	end(err)
	requests.Wait()
	close(answered)
	writing.Wait()
	if cause := context.Cause(life); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// endPipe forgets a client.
func (s *Server) endPipe(ctx context.Context, p *pipe) {
	s.face.UnregisterSession(ctx, p.id)
	// Terminate cannot fail for sessions of our own.
	_, _ = s.sessions.Terminate(p.id)
}

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

// send queues a message. It waits for a client that reads slowly.
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

// received deals with one line of a client. Requests run side by side.
func (s *Server) received(ctx context.Context, p *pipe, line []byte, requests *sync.WaitGroup) {
	if len(line) == 0 {
		return
	}
	var m pipeMessage
	known := json.Unmarshal(line, &m) == nil
	switch {
	case known && m.Method == "" && len(m.ID) > 0 && (m.Result != nil || m.Error != nil):
		p.answered(m)
	case known && m.Method != "" && len(m.ID) > 0 && m.Method != string(mcp.MethodInitialize):
		requests.Go(func() { s.handle(ctx, p, line) })
	default:
		// Notifications take effect in order, and nothing overtakes initialize.
		s.handle(ctx, p, line)
	}
}

// handle answers one message. A panic costs this one only.
func (s *Server) handle(ctx context.Context, p *pipe, line []byte) {
	defer func() {
		if trouble := recover(); trouble != nil {
			s.log.Error("panic", "panic", fmt.Sprint(trouble), "stack", string(debug.Stack()))
			var m pipeMessage
			if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 {
				_ = p.send(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": m.ID,
					"error": clientError{Code: mcp.INTERNAL_ERROR, Message: "internal error"}})
			}
		}
	}()
	answer := otherEra(line)
	if answer == nil {
		answer = s.face.HandleMessage(ctx, line)
	}
	if answer == nil {
		return
	}
	if err := p.send(answer); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
}

// otherEra refuses a request of the newest revision of MCP: it has no sessions,
// and so no list of one's own. Its clients then turn to the older handshake.
func otherEra(line []byte) mcp.JSONRPCMessage {
	var request struct {
		ID     mcp.RequestId `json:"id"`
		Params struct {
			Meta *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &request) != nil || request.ID.IsNil() || !mcp.IsModernProtocol(request.Params.Meta.ProtocolVersion()) {
		return nil
	}
	refusal := mcp.UnsupportedProtocolVersionError{
		Version: request.Params.Meta.ProtocolVersion(), Supported: mcp.LegacyProtocolVersions(),
	}.JSONRPCError()
	refusal.ID = request.ID
	return refusal
}

// tell notifies the client.
func (p *pipe) tell(method string, params map[string]any) error {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method}
	if params != nil {
		message["params"] = params
	}
	return p.send(message)
}

// ask puts a question to the client and waits for the answer. It is an [Ask].
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
		// Best effort: whoever asked has gone already.
		_ = p.tell(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": json.RawMessage(id)})
		return nil, context.Cause(ctx)
	}
}

// answered hands an answer to who asked.
func (p *pipe) answered(m pipeMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer, ok := p.waiting[string(m.ID)]; ok {
		delete(p.waiting, string(m.ID))
		answer <- m
	}
}
