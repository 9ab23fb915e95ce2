package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// readBody reads the body of a request within bodyTime and decodes the members that route
// it. The body can be read again.
func readBody(rw http.ResponseWriter, r *http.Request) (said pipeMessage, err error) {
	deadline := http.NewResponseController(rw)
	if err := deadline.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return said, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return said, err
	}
	// Later reads only detect whether the client is still connected.
	if err := deadline.SetReadDeadline(time.Time{}); err != nil {
		return said, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_ = json.Unmarshal(body, &said) // mcp-go reports what is wrong
	return said, nil
}

// refuseBody responds to a request whose body could not be read, and closes the
// connection.
func refuseBody(rw http.ResponseWriter, err error) {
	rw.Header().Set("Connection", "close")
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(rw, "The request is too large", http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(rw, "The request took too long", http.StatusRequestTimeout)
	default:
		http.Error(rw, "The request cannot be read", http.StatusBadRequest)
	}
}

// boundedWriter cancels the request if the client does not read the response in time.
type boundedWriter struct {
	http.ResponseWriter
	deadline *http.ResponseController
	end      context.CancelCauseFunc
	// written receives after a write.
	written chan struct{}
}

// writerKey is the context key of the response's writer.
type writerKey struct{}

// errUnread is the cause of a request cancelled by a [boundedWriter].
var errUnread = errors.New("the client does not read what it is sent")

// bounded returns a request and a writer that end if the client does not read. The caller
// must call done.
func bounded(rw http.ResponseWriter, r *http.Request) (w http.ResponseWriter, bound *http.Request, done func()) {
	ctx, end := context.WithCancelCause(r.Context())
	b := &boundedWriter{rw, http.NewResponseController(rw), end, make(chan struct{}, 1)}
	return b, r.WithContext(context.WithValue(ctx, writerKey{}, b)), func() { end(nil) }
}

// Write implements http.ResponseWriter.
func (w *boundedWriter) Write(p []byte) (int, error) {
	_ = w.deadline.SetWriteDeadline(time.Now().Add(writeTime)) // the write below reports a closed connection
	n, err := w.ResponseWriter.Write(p)
	if err != nil {
		w.end(errUnread)
	}
	select {
	case w.written <- struct{}{}:
	default:
	}
	return n, err
}

// Flush implements http.Flusher.
func (w *boundedWriter) Flush() {
	_ = w.deadline.SetWriteDeadline(time.Now().Add(writeTime))
	if err := w.deadline.Flush(); err != nil {
		w.end(errUnread)
	}
}

// Unwrap supports http.ResponseController.
func (w *boundedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writtenAfter calls queue and waits until the notification is written. If the request
// were answered first, mcp-go would lose a notification that it has dequeued, unless it
// stores events, which it does not without sessions.
func writtenAfter(ctx context.Context, queue func() error) error {
	w, ok := ctx.Value(writerKey{}).(*boundedWriter)
	if !ok {
		return queue()
	}
	select {
	case <-w.written: // from an earlier write
	default:
	}
	if err := queue(); err != nil {
		return err
	}
	select {
	case <-w.written:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
