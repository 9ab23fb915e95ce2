package upstream

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// TestServer_TimeToLive: tools are listed again when the server's time for them
// is over, not more often than each minute, and after a failure too; without a
// time they are not.
func TestServer_TimeToLive(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ttl  time.Duration
		fail bool
		want int32
	}{
		"none":    {0, false, 1},
		"short":   {time.Second, false, 11},
		"long":    {5 * time.Minute, false, 3},
		"failing": {time.Second, true, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var listed atomic.Int32
			d := &fakeDialer{tune: func(c *fakeConn) {
				c.tools = func() (wire.Listing, error) {
					if listed.Add(1) > 1 && test.fail {
						return wire.Listing{}, errors.New("not now")
					}
					l := fakeListing("a")
					l.Ttl = test.ttl
					return l, nil
				}
			}}
			inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
				apply(t, m, fakeServer())
				expectState(t, m, Ready)
				time.Sleep(10*time.Minute + time.Second)
				s := expectState(t, m, Ready)
				if got := listed.Load(); got != test.want {
					t.Errorf("listed %d times, want %d", got, test.want)
				}
				if (len(s.Warnings) == 1) != test.fail {
					t.Errorf("warnings %q", s.Warnings)
				}
			})
		})
	}
}
