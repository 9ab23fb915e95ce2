package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/tmaxmax/go-sse"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// stream replaces the body of a streamed response by one that continues with the next
// response where the first ends in hidden calls. Each event is passed on at once. stream
// returns with the first event for the client. If the provider refuses the next request
// before that, its error response is returned, with its status.
func (x *exchange) stream(resp *http.Response) error {
	out, in := io.Pipe()
	body := resp.Body
	w := &beginning{PipeWriter: in, began: make(chan *http.Response, 1)}
	go func() {
		err := recovered(x.handler.log, func() error { return x.relay(w, body, resp.Request) })
		in.CloseWithError(err)
		w.end(err)
	}()
	if refusal := <-w.began; refusal != nil {
		*resp = *refusal
		return out.Close()
	}
	if w.err != nil {
		return w.err
	}
	resp.Body = out
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return nil
}

// beginning reports when the client's response begins.
type beginning struct {
	*io.PipeWriter
	once  sync.Once
	begun bool // for the writer's goroutine
	// began receives nil before the first byte, or the response that replaces this one.
	began chan *http.Response
	err   error // of a response that ended before its first byte
}

// begin reports whether this call begins the response.
func (b *beginning) begin(refusal *http.Response) (first bool) {
	b.once.Do(func() {
		first, b.begun = true, true
		b.began <- refusal
	})
	return first
}

// end begins a response without content. err is the error of the whole response.
func (b *beginning) end(err error) {
	b.once.Do(func() {
		b.err = err
		b.began <- nil
	})
}

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	b.begin(nil)
	return b.PipeWriter.Write(p)
}

// recovered converts a panic over a provider's data to an error, because net/http
// recovers only on its own goroutines. It logs the stack.
func recovered(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("internal error over what a provider sent", "error", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error over what the provider sent: %v", p)
		}
	}()
	return f()
}

// relay writes the client's events. It ends when the provider has finished, the client is
// gone, or the provider fails.
func (x *exchange) relay(w *beginning, body io.ReadCloser, first *http.Request) error {
	f := wire.NewFilter(x.plan.request, hidden)
	read := 0 // total size of all responses, which the filter holds in memory
	ctx := first.Context()
	for {
		err := passEvents(w, body, f, &read)
		body.Close() //nolint:gosec // it was only read
		if err != nil {
			return err
		}
		said := f.Said()
		goesOn, err := x.take(ctx, &said)
		if err != nil {
			return x.breakOff(ctx, w, f, err)
		}
		if !goesOn {
			return writeEvents(w, f.Withheld())
		}
		resp, err := x.again(ctx, first)
		if err != nil {
			return x.breakOff(ctx, w, f, err)
		}
		if resp.StatusCode != http.StatusOK {
			if w.begin(resp) {
				return nil
			}
			return x.passError(w, f, resp)
		}
		f.Resume()
		body = resp.Body
	}
}

// passEvents passes the events of one response through a filter, and adds their size to
// read. Comments stay in place. Events that the filter does not understand are passed on
// unchanged.
func passEvents(w io.Writer, body io.Reader, f wire.Filter, read *int) error {
	for e, err := range sse.Read(withoutComments(body, w), &sse.ReadConfig{MaxEventSize: maxAnswer}) {
		if err != nil {
			return err
		}
		if *read += len(e.Data); *read > maxAnswer {
			return fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
		}
		event := wire.Event{Type: e.Type, Data: []byte(e.Data)}
		out, err := f.Pass(event)
		if err != nil {
			out = []wire.Event{event}
		}
		if err := writeEvents(w, out); err != nil {
			return err
		}
	}
	return nil
}

// writeEvents writes each event at once as text/event-stream.
func writeEvents(w io.Writer, events []wire.Event) error {
	for _, e := range events {
		var b bytes.Buffer
		if e.Type != "" {
			b.WriteString("event: " + e.Type + "\n")
		}
		for line := range bytes.SplitSeq(e.Data, []byte("\n")) {
			b.WriteString("data: ")
			b.Write(line)
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// maxError bounds the provider's error in a stream, in bytes.
const maxError = 1 << 20

// passError writes the provider's error in the response's format, because the status was
// already sent.
func (x *exchange) passError(w io.Writer, f wire.Filter, resp *http.Response) error {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	if err != nil {
		return err
	}
	return x.writeFailure(w, f, resp.StatusCode, body)
}

// breakOff ends a response that cannot continue. If the client has received a part, it
// gets an error in the response's format.
func (x *exchange) breakOff(ctx context.Context, w *beginning, f wire.Filter, cause error) error {
	if !w.begun || ctx.Err() != nil {
		return cause
	}
	x.handler.log.Warn("an answer ends in the middle", "endpoint", x.endpoint.Name, "error", cause)
	return x.writeFailure(w, f, http.StatusBadGateway, []byte("winnow: "+cause.Error()))
}

func (x *exchange) writeFailure(w io.Writer, f wire.Filter, status int, body []byte) error {
	failure, isEvent := wire.Failure(status, body, x.plan.request.Format, f)
	if !isEvent {
		_, err := w.Write(append(failure.Data, '\n'))
		return err
	}
	return writeEvents(w, []wire.Event{failure})
}
