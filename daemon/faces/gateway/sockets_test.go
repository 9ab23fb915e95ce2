package gateway_test

import (
	"errors"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/socket"
	"github.com/winnow-mcp/winnow/protocol"
)

// The sockets are those of the folders that are open now.
func TestSockets_followTheFolders(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	h := daemontest.Run(t, daemontest.Options{Workspace: first})
	h.Initialize(nil)
	dial := func(folder string) error {
		c, err := socket.Dial(socket.Place{}, folder)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	h.Catalog()
	if err := dial(first); err != nil {
		t.Errorf("the folder that is open: got %v, want a connection", err)
	}
	if err := dial(second); !errors.Is(err, socket.ErrNoDaemon) {
		t.Errorf("another folder: got %v, want %v", err, socket.ErrNoDaemon)
	}
	h.Notify(protocol.MethodDidChangeFolders, protocol.DidChangeFoldersParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(second)}},
	})
	h.Until("the sockets to have changed", func() bool {
		return dial(second) == nil && errors.Is(dial(first), socket.ErrNoDaemon)
	})
}
