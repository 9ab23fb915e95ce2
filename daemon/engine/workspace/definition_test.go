package workspace

import (
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestStarting is the table of which servers wait for their first call, and which
// stop when nothing uses them.
func TestStarting(t *testing.T) {
	t.Parallel()
	const idle = 5 * time.Minute
	for _, tt := range []struct {
		start  protocol.ServerStart
		server string
		with   protocol.ServerShare
		known  bool
		lazy   bool
		idle   time.Duration
	}{
		{protocol.StartAuto, "s", protocol.ShareFolder, true, false, idle},
		{protocol.StartAuto, "s", protocol.ShareUser, true, false, idle},
		{protocol.StartAuto, "of which nothing is known", protocol.ShareFolder, false, false, 0},
		{protocol.StartAuto, "s", protocol.ShareClient, true, false, 0},
		{protocol.StartAuto, "gating", protocol.ShareFolder, true, false, 0},
		{protocol.StartAuto, "over HTTP", "", true, false, 0},
		{protocol.StartEager, "s", protocol.ShareFolder, true, false, 0},
		{protocol.StartLazy, "s", protocol.ShareFolder, true, true, idle},
		{protocol.StartLazy, "s", protocol.ShareClient, true, true, 0},
		{protocol.StartLazy, "gating", protocol.ShareFolder, true, false, 0},
		{protocol.StartLazy, "over HTTP", "", true, true, 0},
	} {
		in := protocol.DefaultSettings()
		in.Servers.Start, in.Gating.Servers = tt.start, []string{"gating"}
		lazy, after := starting(&in, tt.server, upstream.Sharing{With: tt.with, Known: tt.known, Idle: idle})
		if lazy != tt.lazy || after != tt.idle {
			t.Errorf("%s, %s, %s: lazy %t, idle %s; want %t, %s", tt.start, tt.server, tt.with, lazy, after, tt.lazy, tt.idle)
		}
	}
}
