package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// comments reads a stream of events and takes out the comments, which it writes
// line by line: providers send them to keep a connection open, and a parser of
// events knows none.
type comments struct {
	in  *lines
	out *bufio.Writer
	at  place
}

// place is where in a stream the next byte stands. A line ends in a line feed,
// a carriage return, or both.
type place int

const (
	atLineStart place = iota
	inLine
	inComment
	afterReturn // of a comment: a line feed is the second half of its end
)

// withoutComments returns a reader of a stream whose comments go to out.
func withoutComments(in io.Reader, out io.Writer) io.Reader {
	return &comments{in: &lines{in: in}, out: bufio.NewWriter(out)}
}

// lines reads a stream by whole lines. A parser of events looks at all that it has
// of an event whenever more of it comes: by pieces of a few kilobytes, an event of
// some megabytes would take it seconds.
type lines struct {
	in   io.Reader
	read []byte // what has come, up to the end of a line
	next int    // the place of the next byte in it
	err  error  // what follows read
}

// Buffered returns how many bytes there are without waiting.
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

// back takes back the byte that was read last.
func (l *lines) back() { l.next-- }

// fill reads until a piece holds the end of a line.
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

// Read implements io.Reader. It gives what stands before a comment before it
// writes the comment, so that the client gets both in their order, and waits for
// nothing while it has something to give.
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

// pass writes a byte of a comment. Its end is an empty line, so that the comment
// stands by itself.
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

// ended answers the end of the stream: a comment that it cuts is for the parser
// to see, which makes the error of it.
func (c *comments) ended(p []byte, n int, err error) (int, error) {
	if errors.Is(err, io.EOF) && c.at == inComment {
		c.at = inLine
		p[n] = ':'
		return n + 1, c.end()
	}
	return n, err
}
