package proxy

import (
	"bytes"
	"io"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// maxUsage bounds the bytes that are searched for usage: a line of a stream, or a whole
// response.
const maxUsage = 1 << 20

// usageReader passes on the body of a response and collects its usage. Parts that are too
// long are not counted.
type usageReader struct {
	io.ReadCloser
	format wire.Format
	// lines: the body is a stream, and each line may hold an event. Otherwise it is one
	// value.
	lines bool
	done  func(wire.Usage)

	once  sync.Once
	kept  []byte
	skips bool // the current line is too long
	usage wire.Usage
}

// Read implements io.Reader.
func (u *usageReader) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		line, after, ends := bytes.Cut(rest, []byte("\n"))
		u.keep(line)
		if ends && u.lines {
			u.look()
		}
		rest = after
	}
	if err != nil {
		u.end()
	}
	return n, err
}

// Close implements io.Closer.
func (u *usageReader) Close() error {
	u.end()
	return u.ReadCloser.Close()
}

func (u *usageReader) keep(text []byte) {
	if u.skips = u.skips || len(u.kept)+len(text) > maxUsage; !u.skips {
		u.kept = append(u.kept, text...)
	}
}

// look decodes the current line and starts the next.
func (u *usageReader) look() {
	if !u.skips {
		u.usage.Update(wire.ReadUsage(u.format, bytes.TrimPrefix(u.kept, []byte("data:"))))
	}
	u.kept, u.skips = u.kept[:0], false
}

func (u *usageReader) end() {
	u.once.Do(func() {
		u.look()
		u.done(u.usage)
	})
}
