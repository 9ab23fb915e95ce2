package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// mendBody normalizes the messages in a response to I-JSON, as frames does for stdio.
// Anything else is unchanged. Dropped messages are logged to log, which may be nil.
func mendBody(response *http.Response, log *clean.Ring) {
	kind := response.Header.Get("Content-Type")
	switch {
	case strings.HasPrefix(kind, "text/event-stream"):
		response.Body = &mendedEvents{Closer: response.Body, in: bufio.NewReader(response.Body), log: log}
	case strings.HasPrefix(kind, "application/json"):
		response.Body = &mendedBody{ReadCloser: response.Body, log: log}
		// The length may change.
		response.ContentLength = -1
		response.Header.Del("Content-Length")
	}
}

// mend returns a message as I-JSON. If it is not JSON, mend returns the error response
// that fails the call, or nil if the call is not known.
func mend(message []byte, log *clean.Ring) []byte {
	mended, err := ijson.Normalize(message)
	if err == nil {
		if reply := misshapen(mended); reply != nil {
			return reply
		}
		return mended
	}
	if log != nil {
		log.WriteLine(clean.OurPrefix, dropped(message, err))
	}
	return brokenReply(message, err)
}

// mendedBody is a body that holds one message.
type mendedBody struct {
	io.ReadCloser
	log   *clean.Ring
	ready *bytes.Reader
	err   error
}

func (b *mendedBody) Read(p []byte) (int, error) {
	if b.ready == nil {
		var text []byte
		text, b.err = io.ReadAll(b.ReadCloser)
		if b.err == nil {
			text = b.mend(text)
		}
		b.ready = bytes.NewReader(text)
	}
	n, err := b.ready.Read(p)
	if errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

// mend returns the normalized body. A body without a replacement is returned as it is,
// and the decoder fails on it.
func (b *mendedBody) mend(text []byte) []byte {
	message := bytes.TrimSpace(text)
	if len(message) == 0 {
		return text
	}
	if mended := mend(message, b.log); mended != nil {
		return mended
	}
	return text
}

// mendedEvents is a stream of server-sent events. The data lines of an event are buffered
// until its end and emitted as one.
type mendedEvents struct {
	io.Closer
	in  *bufio.Reader
	log *clean.Ring
	// data is the data of the current event; ready is the output not read yet.
	data, ready []byte
	err         error
}

func (e *mendedEvents) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		var line []byte
		line, e.err = e.in.ReadBytes('\n')
		e.take(line)
		if e.err != nil {
			e.flush()
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// take handles one line.
func (e *mendedEvents) take(line []byte) {
	text := bytes.TrimRight(line, "\r\n")
	if data, ok := bytes.CutPrefix(text, []byte("data:")); ok {
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(data, []byte(" "))...)
		return
	}
	if len(text) == 0 {
		e.flush()
	}
	e.ready = append(e.ready, line...)
}

// flush emits the data of the current event.
func (e *mendedEvents) flush() {
	data := e.data
	e.data = nil
	if len(data) == 0 {
		return
	}
	if message := bytes.TrimSpace(data); len(message) > 0 && message[0] == '{' {
		data = mend(message, e.log)
		if data == nil {
			return
		}
	}
	for line := range bytes.Lines(data) {
		e.ready = append(append(append(e.ready, "data: "...), bytes.TrimRight(line, "\n")...), '\n')
	}
}
