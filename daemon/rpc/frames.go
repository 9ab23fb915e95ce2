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

// Limits on a frame from the host. The largest real ones are host tool lists, some
// megabytes for thousands of tools.
const (
	maxFrameBytes  = 64 << 20
	maxHeaderBytes = 8 << 10
)

// frameError is the error of one frame.
type frameError struct {
	code    protocol.Code
	message string
}

// frames reads Content-Length frames. An invalid header ends the connection, because the
// start of the next frame is unknown.
type frames struct {
	in *bufio.Reader
	// reject answers a frame that is not passed on.
	reject func(code protocol.Code, message string)
	// broken is called for an invalid header.
	broken func(error)
}

// next returns the body of the next frame within the size limit.
func (f *frames) next() ([]byte, error) {
	for {
		length, err := f.header()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // these are the host's end
				f.broken(err)
			}
			return nil, err
		}
		if length <= maxFrameBytes {
			body := make([]byte, length)
			_, err := io.ReadFull(f.in, body)
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return body, err
		}
		f.reject(protocol.CodeInvalidRequest,
			fmt.Sprintf("the frame has %d bytes, and the limit is %d", length, maxFrameBytes))
		if _, err := io.CopyN(io.Discard, f.in, length); err != nil {
			return nil, err
		}
	}
}

// header reads up to the empty line and returns the length of the body.
func (f *frames) header() (int64, error) {
	length, read := int64(-1), 0
	for {
		line, err := f.in.ReadSlice('\n')
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
