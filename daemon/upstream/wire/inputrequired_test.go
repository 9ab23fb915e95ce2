package wire

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// busy is a transport to a server that is busy for as long as it is asked.
type busy struct {
	transport.Interface
	asked []time.Duration // after the first request
	began time.Time
}

func (b *busy) SendRequest(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	b.asked = append(b.asked, time.Since(b.began))
	return &transport.JSONRPCResponse{Result: json.RawMessage(`{"resultType":"input_required","requestState":"s"}`)}, nil
}

// TestInputRequired_pauses: a server that is busy is not asked again at once,
// and a caller who goes meanwhile is not kept waiting.
func TestInputRequired_pauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &busy{began: time.Now()}
		c := newMCPConn("s", nil, nil)
		defer c.cancel()
		c.session = newSession(b, EraModern, "1")
		_, err := c.exchange(t.Context(), mcp.MethodToolsCall, nil)
		if want := []time.Duration{0, busyPause, 3 * busyPause}; !errors.Is(err, errAsksForever) || !slices.Equal(b.asked, want) {
			t.Errorf("asked after %v, and then %v; want %v and %v", b.asked, err, want, errAsksForever)
		}
		ctx, cancel := context.WithTimeout(t.Context(), busyPause/2)
		defer cancel()
		b.began, b.asked = time.Now(), nil
		if _, err := c.exchange(ctx, mcp.MethodToolsCall, nil); !errors.Is(err, context.DeadlineExceeded) || len(b.asked) != 1 || time.Since(b.began) != busyPause/2 {
			t.Errorf("cancelled: asked after %v, and %v after %s", b.asked, err, time.Since(b.began))
		}
	})
}
