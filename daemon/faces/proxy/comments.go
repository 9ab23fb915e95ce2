package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// comments reads a stream of events and takes out the comments, which it writes
// as they come: providers send them to keep a connection open, and a parser of
// events knows none. It gives one line at a time, so that what was parsed
// before a comment is with the client before it.
type comments struct {
	in   *bufio.Reader
	out  io.Writer
	line []byte
	// within: the line goes on with what is read next.
	within bool
}

// withoutComments returns a reader of a stream whose comments go to out.
func withoutComments(in io.Reader, out io.Writer) io.Reader {
	return &comments{in: bufio.NewReader(in), out: out}
}

// Read implements io.Reader.
func (c *comments) Read(p []byte) (int, error) {
	for len(c.line) == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.line)
	c.line = c.line[n:]
	return n, nil
}

// next reads a line, or a piece of a long one. A comment is written and leaves
// no line; its end is an empty line, so that it stands by itself.
func (c *comments) next() error {
	begins := !c.within
	line, err := c.in.ReadSlice('\n')
	c.within = errors.Is(err, bufio.ErrBufferFull)
	if c.within {
		err = nil
	}
	if len(line) == 0 {
		return err
	}
	if begins && line[0] == ':' && err == nil { // one that the stream's end cuts is for the parser to see
		return c.pass(line)
	}
	c.line = line
	return nil // an end is met by the next call
}

// pass writes a comment. What follows one that a carriage return alone ends is
// left for the parser.
func (c *comments) pass(line []byte) error {
	for {
		comment, rest, ended := c.cut(line)
		if _, err := c.out.Write(comment); err != nil {
			return err
		}
		if ended {
			c.line = rest
			break
		}
		if !c.within {
			break
		}
		var err error
		line, err = c.in.ReadSlice('\n')
		c.within = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !c.within {
			c.line = []byte{':'} // the stream's end has cut it, which is for the parser to see
			break
		}
	}
	_, err := io.WriteString(c.out, "\n")
	return err
}

// cut parts a piece of a comment at a carriage return that no line feed follows.
func (c *comments) cut(line []byte) (comment, rest []byte, ended bool) {
	i := bytes.IndexByte(line, '\r')
	if i < 0 {
		return line, nil, false
	}
	if i == len(line)-1 {
		line = bytes.Clone(line) // to look on overwrites it
		if next, err := c.in.Peek(1); err == nil && next[0] == '\n' {
			return line, nil, false
		}
	} else if line[i+1] == '\n' {
		return line, nil, false
	}
	return append(bytes.Clone(line[:i]), '\n'), line[i+1:], true
}
