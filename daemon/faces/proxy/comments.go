package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// comments reads an event stream and moves the comments to a writer, line by line.
// Providers send them to keep a connection open, and event parsers drop them.
type comments struct {
	in  *lines
	out *bufio.Writer
	at  place
}

// place is the state at the next byte of a stream. A line ends in LF, CR or CRLF.
type place int

const (
	atLineStart place = iota
	inLine
	inComment
	afterReturn // after the CR of a comment: an LF belongs to it
)

// withoutComments returns in without its comments, which go to out.
func withoutComments(in io.Reader, out io.Writer) io.Reader {
	return &comments{in: &lines{in: in}, out: bufio.NewWriter(out)}
}

// lines reads a stream in whole lines. An event parser rescans an incomplete event with
// each read: in pieces of a few kilobytes, an event of some megabytes would take seconds.
type lines struct {
	in   io.Reader
	read []byte // read up to the end of a line
	next int    // index of the next byte in read
	err  error  // error after read
}

// Buffered returns how many bytes can be read without blocking.
func (l *lines) Buffered() int { return len(l.read) - l.next }

// ReadByte implements io.ByteReader.
func (l *lines) ReadByte() (byte, error) {
	if l.Buffered() == 0 {
		l.fill()
	}
	if l.Buffered() == 0 {
		return 0, l.err
	}
	l.next++
	return l.read[l.next-1], nil
}

// back unreads the last byte.
func (l *lines) back() { l.next-- }

// fill reads until a read contains the end of a line.
func (l *lines) fill() {
	l.read, l.next = l.read[:0], 0
	for l.err == nil {
		l.read = slices.Grow(l.read, 4<<10)
		n, err := l.in.Read(l.read[len(l.read):cap(l.read)])
		piece := l.read[len(l.read) : len(l.read)+n]
		l.read, l.err = l.read[:len(l.read)+n], err
		if len(l.read) > maxAnswer {
			l.read, l.err = nil, fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
		}
		if bytes.ContainsAny(piece, "\n\r") {
			return
		}
	}
}

// Read implements io.Reader. It returns the bytes before a comment before it writes the
// comment, which keeps their order. It does not block once it has bytes.
func (c *comments) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || c.in.Buffered() > 0) {
		b, err := c.in.ReadByte()
		if err != nil {
			return c.ended(p, n, err)
		}
		if c.at == afterReturn {
			c.at = atLineStart
			if b == '\n' {
				continue
			}
		}
		if c.at == atLineStart && b == ':' {
			if n > 0 {
				c.in.back()
				return n, nil
			}
			c.at = inComment
		}
		if c.at == inComment {
			if err := c.pass(b); err != nil {
				return n, err
			}
			continue
		}
		c.at = inLine
		if b == '\n' || b == '\r' {
			c.at = atLineStart
		}
		p[n] = b
		n++
	}
	return n, nil
}

// pass writes a byte of a comment. A comment ends with an empty line, so that it stands
// alone.
func (c *comments) pass(b byte) error {
	switch b {
	case '\n':
		c.at = atLineStart
	case '\r':
		c.at = afterReturn
	default:
		err := c.out.WriteByte(b)
		if err == nil && c.in.Buffered() == 0 {
			err = c.out.Flush()
		}
		return err
	}
	return c.end()
}

func (c *comments) end() error {
	_, err := c.out.WriteString("\n\n")
	return errors.Join(err, c.out.Flush())
}

// ended handles the end of the stream. A truncated comment is passed to the parser, which
// reports the error.
func (c *comments) ended(p []byte, n int, err error) (int, error) {
	if errors.Is(err, io.EOF) && c.at == inComment {
		c.at = inLine
		p[n] = ':'
		return n + 1, c.end()
	}
	return n, err
}
