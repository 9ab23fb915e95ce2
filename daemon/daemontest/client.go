package daemontest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
)

// Message is one message of the daemon.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is an error response of the daemon.
type Error struct {
	Code    protocol.Code      `json:"code"`
	Message string             `json:"message"`
	Data    protocol.ErrorData `json:"data"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (code %d, %s; next: %s)", e.Message, e.Code, e.Data.Kind, e.Data.Next)
}

// client is the host's end of the two pipes.
type client struct {
	in  io.WriteCloser
	out *bufio.Reader
	// answer responds to the daemon's requests.
	answer func(Message) (any, *Error)
	// notified receives notifications.
	notified func(Message)

	// writing is held while a frame is written.
	writing sync.Mutex

	// mu guards the following fields.
	mu      sync.Mutex
	last    int64
	waiting map[string]chan Message
	ended   error // set when the daemon's output has ended
	done    chan struct{}
	asked   sync.WaitGroup
}

// Errors of calls without a response.
var (
	ErrEnded       = errors.New("the daemon's output ended")
	ErrNotAnswered = errors.New("was not answered")
)

// read reads messages until the output ends.
func (c *client) read() {
	err := c.readAll()
	c.asked.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = fmt.Errorf("%w: %w", ErrEnded, err)
	for _, reply := range c.waiting {
		close(reply)
	}
	c.waiting = nil
	close(c.done)
}

func (c *client) readAll() error {
	for {
		m, err := c.receive()
		if err != nil {
			return err
		}
		switch {
		case m.Method == "":
			c.deliver(m)
		case len(m.ID) == 0:
			c.notified(m)
		default:
			c.asked.Go(func() { c.respond(m) })
		}
	}
}

// receive reads one frame.
func (c *client) receive() (Message, error) {
	header, err := textproto.NewReader(c.out).ReadMIMEHeader()
	if err != nil {
		return Message{}, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return Message{}, fmt.Errorf("frame header: %w", err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.out, body); err != nil {
		return Message{}, fmt.Errorf("frame body: %w", err)
	}
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		return Message{}, fmt.Errorf("frame body: %w", err)
	}
	return m, nil
}

func (c *client) deliver(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reply, ok := c.waiting[string(m.ID)]; ok {
		delete(c.waiting, string(m.ID))
		reply <- m
	}
}

func (c *client) respond(m Message) {
	response := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	result, failure := c.answer(m)
	if failure != nil {
		response["error"] = failure
	} else {
		response["result"] = result
	}
	// A daemon that is gone needs no answer.
	_ = c.write(response)
}

// write sends one frame.
func (c *client) write(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// notify sends a notification to the daemon.
func (c *client) notify(method string, params any) error {
	return c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// call sends a request. The reply is sent on the channel, which is closed without one if
// the daemon ends.
func (c *client) call(method string, params any) (id int64, reply <-chan Message, err error) {
	waiting := make(chan Message, 1)
	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return 0, nil, c.ended
	}
	c.last++
	id = c.last
	c.waiting[strconv.FormatInt(id, 10)] = waiting
	c.mu.Unlock()
	return id, waiting, c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}
