package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// frames reads a stdio server's stdout and passes on only lines that are JSON-RPC
// messages. Many servers also print banners, progress and log records there. mcp-go drops
// what is not JSON, but takes a log record with an "id" for a response, and does not
// bound the length of a line.
//
// Dropped lines go to the server's log. A message that is too long or not JSON is
// replaced by an error response, which fails only the call that it answers. The output is
// I-JSON; see package ijson.
//
// Any read error ends the stream as io.EOF: mcp-go logs every other error at its highest
// level, and the end of a server is reported elsewhere.
type frames struct {
	in    *bufio.Reader
	limit int
	log   *clean.Ring
	// pending holds the requests that the server has not answered.
	pending *pending
	// ready is the rest of the current message.
	ready []byte
	// ended is closed at the end of the stream.
	ended chan struct{}
	done  bool
}

func newFrames(stdout io.Reader, limit int, log *clean.Ring) *frames {
	return &frames{in: bufio.NewReaderSize(stdout, 8<<10), limit: limit, log: log, pending: &pending{}, ended: make(chan struct{})}
}

// Read implements io.Reader for one goroutine, mcp-go's reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.ready) == 0 {
		if f.done {
			return 0, io.EOF
		}
		line, err := f.line()
		if message := f.accept(line); message != nil {
			if len(ijson.Member(message, "method")) == 0 {
				f.pending.ended(ijson.Member(message, "id"))
			}
			f.ready = append(message, '\n')
		}
		if err != nil {
			f.done = true
			close(f.ended)
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	if len(f.ready) == 0 {
		f.ready = nil // frees the memory: a list of tools is large, and the next message may be a long time coming
	}
	return n, nil
}

// line reads one line without its end. Of a line above the limit it keeps only both
// ends, and returns the replacement of the message.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line)+len(part) > f.limit+1 {
			return f.skipLong(append(line, part...), err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skipLong reads the rest of a line that is too long.
func (f *frames) skipLong(begin []byte, err error) ([]byte, error) {
	const kept = 4 << 10
	head := bytes.Clone(begin[:min(len(begin), kept)])
	tail := bytes.Clone(begin[max(0, len(begin)-kept):])
	size := len(begin)
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = f.in.ReadSlice('\n')
		size += len(part)
		tail = append(tail, part...)
		tail = append(tail[:0], tail[max(0, len(tail)-kept):]...)
	}
	f.log.WriteLine(clean.OurPrefix, fmt.Appendf(nil, "dropped a message of %d bytes, the limit is %d", size, f.limit))
	return oversizeReply(head, tail, size, f.limit), err
}

// accept returns the JSON-RPC message in a line, or nil.
func (f *frames) accept(line []byte) []byte {
	message := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(message) == 0 {
		return nil
	}
	if message[0] != '{' {
		// A prompt or banner without a line end may precede a message.
		i := bytes.Index(message, []byte(`{"jsonrpc"`))
		if i < 0 {
			f.log.WriteLine("[stdout] ", message)
			return nil
		}
		f.log.WriteLine("[stdout] ", message[:i])
		message = message[i:]
	}
	mended, err := ijson.Normalize(message)
	if err != nil {
		return f.refuse(message, err)
	}
	reply := misshapen(mended)
	if reply == nil && isMessage(mended) {
		return mended
	}
	if reply == nil {
		reply = f.pending.unversioned(mended)
	}
	f.log.WriteLine("[stdout] ", message)
	return reply
}

// refuse returns the error response for a message that is not JSON, or nil if it is not a
// response.
func (f *frames) refuse(message []byte, cause error) []byte {
	if reply := f.pending.cutShort(message, cause); reply != nil {
		f.log.WriteLine(clean.OurPrefix, dropped(message, cause))
		return reply
	}
	if string(ijson.Member(message, "jsonrpc")) != `"2.0"` {
		f.log.WriteLine("[stdout] ", message)
		return nil
	}
	f.log.WriteLine(clean.OurPrefix, dropped(message, cause))
	return brokenReply(message, cause)
}

// codeTooLarge is the JSON-RPC error code for responses above the limit, from the range
// for implementations.
const codeTooLarge = -32050

// oversizeReply returns an error response for a message of which only both ends are kept,
// or nil if its id cannot be determined.
func oversizeReply(head, tail []byte, size, limit int) []byte {
	id := idAtHead(head)
	if id == nil {
		id = idAtTail(tail)
	}
	if id == nil {
		return nil
	}
	return fmt.Appendf(nil,
		`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the answer has %d bytes, more than the %d that are accepted in one message"}}`,
		id, codeTooLarge, size, limit)
}

// idAtHead finds the id of a response among the first members of the object,
// where Go's and Python's servers put it.
func idAtHead(head []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(head))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "method" {
			return nil
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil
		}
		if key == "id" {
			return scalar(value)
		}
	}
	return nil
}

// idAtTail finds the id of a response as the last or second last member, where
// JavaScript's servers put it.
func idAtTail(tail []byte) json.RawMessage {
	const marker = `"id":`
	i := bytes.LastIndex(tail, []byte(marker))
	if i < 0 {
		return nil
	}
	// The rest must complete the object, or the id belongs to a nested one.
	rest := append([]byte(`{`), tail[i:]...)
	var end struct {
		ID      json.RawMessage `json:"id"`
		Version string          `json:"jsonrpc"`
	}
	if err := json.Unmarshal(rest, &end); err != nil {
		return nil
	}
	if end.Version == "" && !bytes.HasSuffix(bytes.TrimSpace(tail[:i]), []byte(`"jsonrpc":"2.0",`)) {
		return nil
	}
	return scalar(end.ID)
}

// scalar returns id if it is a string or a number.
func scalar(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || id[0] == 'n' || id[0] == 't' || id[0] == 'f' {
		return nil
	}
	return id
}
