package terminal

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// A server that starts is waited for as long as the command waits, also when its row
// says that it has not answered for a while.
func TestComesUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state protocol.ServerState
		error string
		want  bool
	}{
		{protocol.ServerStarting, "", true},
		{protocol.ServerStarting, "it has not answered since 12:00:00", true},
		{protocol.ServerConfigured, "", true},
		{protocol.ServerKnown, "", true},
		{protocol.ServerConfigured, "TOKEN is missing", false},
		{protocol.ServerFailed, "it has ended", false},
		{protocol.ServerReady, "", false},
	} {
		if got := comesUp(&protocol.ServerInfo{State: tt.state, Error: tt.error}); got != tt.want {
			t.Errorf("%s with error %q: waited for is %t, want %t", tt.state, tt.error, got, tt.want)
		}
	}
}
