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

// readBody reads what a request carries, within a time, and what is to be known
// of it. The body is there to be read again.
func readBody(rw http.ResponseWriter, r *http.Request) (said pipeMessage, err error) {
	deadline := http.NewResponseController(rw)
	if err := deadline.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return said, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return said, err
	}
	// What is read from now on is only whether the client is still there.
	if err := deadline.SetReadDeadline(time.Time{}); err != nil {
		return said, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_ = json.Unmarshal(body, &said) // the library says what is wrong with it
	return said, nil
}

// refuseBody answers a request whose body did not come, and ends the connection.
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

// boundedWriter writes to a client that has to read. When it does not, the
// request ends.
type boundedWriter struct {
	http.ResponseWriter
	deadline *http.ResponseController
	end      context.CancelCauseFunc
	// written holds a token after a write.
	written chan struct{}
}

// writerKey carries the writer of a request's answer.
type writerKey struct{}

// errUnread is why a request ended whose client does not read.
var errUnread = errors.New("the client does not read what it is sent")

// bounded returns a request and the writer of its answer that end when the
// client does not read. done is called when it is answered.
func bounded(rw http.ResponseWriter, r *http.Request) (w http.ResponseWriter, bound *http.Request, done func()) {
	ctx, end := context.WithCancelCause(r.Context())
	b := &boundedWriter{rw, http.NewResponseController(rw), end, make(chan struct{}, 1)}
	return b, r.WithContext(context.WithValue(ctx, writerKey{}, b)), func() { end(nil) }
}

// Write implements http.ResponseWriter.
func (w *boundedWriter) Write(p []byte) (int, error) {
	_ = w.deadline.SetWriteDeadline(time.Now().Add(writeTime)) // a closed connection says so below
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

// Unwrap lets http.ResponseController find what this one wraps.
func (w *boundedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writtenAfter queues something for the client of a request, and returns when
// it was written. The library loses a notification that it has taken off its
// queue when the request is answered meanwhile, where it keeps no events: that
// is so without sessions.
func writtenAfter(ctx context.Context, queue func() error) error {
	w, ok := ctx.Value(writerKey{}).(*boundedWriter)
	if !ok {
		return queue()
	}
	select {
	case <-w.written: // of what was before
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
