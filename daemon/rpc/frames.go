package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on a frame from the host. The largest real ones are host tool lists,
// some megabytes for thousands of tools.
const (
	maxFrameBytes  = 64 << 20
	maxHeaderBytes = 8 << 10
)

// frameError is what is wrong with one frame.
type frameError struct {
	code    protocol.Code
	message string
}

func (e *frameError) Error() string { return e.message }

// frameFilter reads Content-Length frames and passes on those whose body holds
// a message. The others are rejected and skipped, because the JSON-RPC library
// ends the connection over them. A header that cannot be read does end it:
// there is no telling where the next frame begins.
type frameFilter struct {
	in io.Reader
	// check returns the body to pass on, or what is wrong with it.
	check func(body []byte) ([]byte, error)
	// reject answers a frame that is not passed on.
	reject func(code protocol.Code, message string)
	// broken is told of a header that cannot be read.
	broken func(error)

	buffered *bufio.Reader
	frame    []byte // what is left of the frame being passed on
}

// Read implements io.Reader.
func (f *frameFilter) Read(p []byte) (int, error) {
	for len(f.frame) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.frame)
	f.frame = f.frame[n:]
	return n, nil
}

// next reads one frame, and keeps it if it is good.
func (f *frameFilter) next() error {
	if f.buffered == nil {
		f.buffered = bufio.NewReader(f.in)
	}
	length, err := f.header()
	if err != nil {
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // which are the host's end
			f.broken(err)
		}
		return err
	}
	if length > maxFrameBytes {
		f.reject(protocol.CodeInvalidRequest,
			fmt.Sprintf("the frame has %d bytes, and the limit is %d", length, maxFrameBytes))
		_, err := io.CopyN(io.Discard, f.buffered, length)
		return err
	}
	frame := newFrame(int(length))
	body := frame[len(frame)-int(length):]
	if _, err := io.ReadFull(f.buffered, body); err != nil {
		return err
	}
	checked, err := f.check(body)
	if err != nil {
		var bad *frameError
		if !errors.As(err, &bad) {
			bad = &frameError{protocol.CodeInvalidRequest, err.Error()}
		}
		f.reject(bad.code, bad.message)
		return nil
	}
	if len(checked) != len(body) || len(body) > 0 && &checked[0] != &body[0] {
		frame = newFrame(len(checked))
		copy(frame[len(frame)-len(checked):], checked)
	}
	f.frame = frame
	return nil
}

// newFrame returns a frame with room for a body at its end.
func newFrame(length int) []byte {
	head := "Content-Length: " + strconv.Itoa(length) + "\r\n\r\n"
	frame := make([]byte, len(head)+length)
	copy(frame, head)
	return frame
}

// header reads up to the empty line and returns the length of the body.
func (f *frameFilter) header() (int64, error) {
	length, read := int64(-1), 0
	for {
		line, err := f.buffered.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || read > maxHeaderBytes:
			return 0, errors.New("frame header: longer than 8 KiB")
		case errors.Is(err, io.EOF) && read > 0:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length < 0 {
				return 0, errors.New("frame header: no Content-Length")
			}
			return length, nil
		}
		name, value, _ := strings.Cut(text, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || length < 0 {
			return 0, fmt.Errorf("frame header: Content-Length %q is no length", strings.TrimSpace(value))
		}
	}
}
