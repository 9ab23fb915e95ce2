package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
)

// ErrLost is returned by [Bridge] when the daemon went before the client.
var ErrLost = errors.New("the daemon that was joined has ended; start again")

// Bridge passes bytes between a client's two streams and the daemon, and returns
// when the daemon has said all: after the client closed its side, or when the
// daemon ends ([ErrLost]), or with ctx. A read of in that is under way then ends
// with the process.
func Bridge(ctx context.Context, c *net.UnixConn, in io.Reader, out io.Writer) error {
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	said := make(chan struct{}) // closed when the client has said all
	go func() {
		// A daemon that is gone is told of below.
		if _, err := io.Copy(c, in); err == nil {
			close(said)
		}
		_ = c.CloseWrite()
	}()
	if _, err := io.Copy(out, c); err != nil && ctx.Err() == nil {
		return fmt.Errorf("pass on what the daemon says: %w", err)
	}
	if ctx.Err() != nil {
		return nil
	}
	select {
	case <-said:
		return nil
	default:
		return ErrLost
	}
}
