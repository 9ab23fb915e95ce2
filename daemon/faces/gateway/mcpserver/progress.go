package mcpserver

import (
	"context"
	"net/http"
)

// The library loses a notification that it has taken off its queue when the
// request is answered meanwhile, where it keeps no events: that is so without
// sessions. So a request's progress is written before its call goes on.

// progressWriter says when something was written to a client.
type progressWriter struct {
	http.ResponseWriter
	// written holds a token after a write.
	written chan struct{}
}

// Write implements http.ResponseWriter.
func (w *progressWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	select {
	case w.written <- struct{}{}:
	default:
	}
	return n, err
}

// Flush implements http.Flusher.
func (w *progressWriter) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Unwrap lets http.ResponseController find what this one wraps.
func (w *progressWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// progressKey carries the writer of a request's answer.
type progressKey struct{}

// withProgress returns a request and the writer of its answer, on which
// [writtenAfter] waits.
func withProgress(rw http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	w := &progressWriter{rw, make(chan struct{}, 1)}
	return w, r.WithContext(context.WithValue(r.Context(), progressKey{}, w))
}

// writtenAfter queues something for the client of a request, and returns when
// it was written where that can be told.
func writtenAfter(ctx context.Context, queue func() error) error {
	w, ok := ctx.Value(progressKey{}).(*progressWriter)
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
