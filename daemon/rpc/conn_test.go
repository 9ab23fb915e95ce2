package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// wire is the host's end of a connection under test, without a library, so
// that it can say what no library would.
type wire struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	mu  sync.Mutex
}

// wireMessage is any message.
type wireMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireFailure    `json:"error"`
}

type wireFailure struct {
	Code    protocol.Code      `json:"code"`
	Message string             `json:"message"`
	Data    protocol.ErrorData `json:"data"`
}

// connect runs a connection with a handler.
func connect(t *testing.T, h Handler) *wire {
	t.Helper()
	return connectWith(t, new(*Conn), h)
}

// connectWith is connect for a handler that calls the host: made is set before
// the first message is read.
func connectWith(t *testing.T, made **Conn, h Handler) *wire {
	t.Helper()
	life, end := context.WithCancel(t.Context())
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	c := NewConn(life, inReader, outWriter, Options{Log: slog.New(slog.DiscardHandler), Handler: h, Error: coded})
	*made = c
	c.Run()
	t.Cleanup(func() {
		end()
		_ = inWriter.Close()
		go func() { _, _ = io.Copy(io.Discard, outReader) }()
		<-c.Done()
		_ = outWriter.Close()
	})
	return &wire{t: t, in: inWriter, out: bufio.NewReader(outReader)}
}

func (w *wire) send(body string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.WriteString(w.in, frame(body)); err != nil {
		w.t.Error(err)
	}
}

func (w *wire) receive() wireMessage {
	w.t.Helper()
	header, err := textproto.NewReader(w.out).ReadMIMEHeader()
	if err != nil {
		w.t.Fatal(err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		w.t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(w.out, body); err != nil {
		w.t.Fatal(err)
	}
	var m wireMessage
	if err := json.Unmarshal(body, &m); err != nil {
		w.t.Fatal(err)
	}
	return m
}

// coded gives errors the codes of a cancel and of anything else.
func coded(ctx context.Context, _ error) (protocol.Code, protocol.ErrorData) {
	if ctx.Err() != nil {
		return protocol.CodeRequestCancelled, protocol.ErrorData{Kind: protocol.KindCancelled}
	}
	return protocol.CodeInternalError, protocol.ErrorData{Kind: protocol.KindInternal}
}

func echo(_ context.Context, in Request) (any, error) {
	return in.Params, nil
}

func TestConn_badFramesStopNothing(t *testing.T) {
	t.Parallel()
	w := connect(t, echo)
	w.send(`{"jsonrpc":"2.0","id":1,`)
	if m := w.receive(); m.Error == nil || m.Error.Code != protocol.CodeParseError || m.Error.Data.Next == "" {
		t.Errorf("a broken frame was answered by %+v", m.Error)
	}
	w.send(`[{"jsonrpc":"2.0","id":1,"method":"x"}]`)
	if m := w.receive(); m.Error == nil || m.Error.Code != protocol.CodeInvalidRequest {
		t.Errorf("a batch was answered by %+v", m.Error)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"x","params":{"a":"<é>"}}`)
	if m := w.receive(); string(m.ID) != "2" || string(m.Result) != `{"a":"<é>"}` {
		t.Errorf("the next message was answered by %s %s", m.ID, m.Result)
	}
}

func TestConn_panicStopsNothing(t *testing.T) {
	t.Parallel()
	w := connect(t, func(_ context.Context, in Request) (any, error) {
		switch in.Method {
		case "now":
			panic("boo")
		case "later":
			return Deferred(func() (any, error) { panic("boo") }), nil
		}
		return in.Method, nil
	})
	for id, method := range []string{"now", "later"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method))
		m := w.receive()
		if m.Error == nil || m.Error.Code != protocol.CodeInternalError || !strings.Contains(m.Error.Message, method) {
			t.Errorf("%s was answered by %+v", method, m.Error)
		}
	}
	w.send(`{"jsonrpc":"2.0","method":"now"}`)
	w.send(`{"jsonrpc":"2.0","id":"s","method":"fine"}`)
	if m := w.receive(); string(m.ID) != `"s"` || string(m.Result) != `"fine"` {
		t.Errorf("the next message was answered by %+v", m)
	}
}

func TestConn_cancel(t *testing.T) {
	t.Parallel()
	w := connect(t, func(ctx context.Context, in Request) (any, error) {
		if in.Method == "quick" {
			return true, nil
		}
		return Deferred(func() (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil
	})
	// The cancels come right behind the calls, with ids of both kinds.
	for _, id := range []string{`1`, `"one"`} {
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"wait"}`)
		w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
		m := w.receive()
		if string(m.ID) != id || m.Error == nil || m.Error.Code != protocol.CodeRequestCancelled ||
			m.Error.Data.Kind != protocol.KindCancelled {
			t.Errorf("%s was answered by %+v", id, m.Error)
		}
	}
	// What is unknown, or no id at all, is passed over.
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}`)
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`)
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"quick"}`)
	if m := w.receive(); string(m.Result) != "true" {
		t.Errorf("got %+v", m)
	}
}

// A cancel has to be known before the read loop is released, or those that
// come right behind their call are lost.
func TestConn_cancelIsNeverLost(t *testing.T) {
	t.Parallel()
	w := connect(t, func(ctx context.Context, _ Request) (any, error) {
		return Deferred(func() (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil
	})
	const n = 2000
	go func() {
		for id := range n {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, id))
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, id))
		}
	}()
	for range n {
		if m := w.receive(); m.Error == nil || m.Error.Code != protocol.CodeRequestCancelled {
			t.Fatalf("answered by %+v", m)
		}
	}
}

func TestConn_callTellsTheHostOfItsEnd(t *testing.T) {
	t.Parallel()
	var c *Conn
	asked := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	w := connectWith(t, &c, func(context.Context, Request) (any, error) {
		return Deferred(func() (any, error) {
			asked <- c.Call(ctx, "input/request", protocol.Empty{}, nil)
			return true, nil
		}), nil
	})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"ask"}`)
	question := w.receive()
	if question.Method != "input/request" {
		t.Fatalf("got %+v", question)
	}
	cancel()
	var p protocol.CancelParams
	m := w.receive()
	if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != protocol.MethodCancelRequest || !bytes.Equal(p.ID, question.ID) {
		t.Errorf("after the end of %s came %s %s", question.ID, m.Method, m.Params)
	}
	if err := <-asked; err == nil {
		t.Error("the call returned no error")
	}
	w.receive() // the answer to ask
}
