package gateway_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/protocol"
)

// dial reports whether clients of a folder can join.
func dial(folder string) error {
	c, err := socket.Dial(socket.Place{}, folder)
	if err == nil {
		_ = c.Close()
	}
	return err
}

// Clients join by a socket of each folder that is open, from when the face is told
// to follow them until it ends. A folder that another daemon serves is left to
// that one.
func TestSockets(t *testing.T) {
	t.Parallel()
	first, second, third := t.TempDir(), t.TempDir(), t.TempDir()
	f, late := newEngine(t, serverOf("std", "echo")), newEngine(t)
	folders := func(of *fakeEngine, face *gateway.Face, paths ...string) {
		of.change(func(s *state) {
			s.folders = nil
			for _, path := range paths {
				s.folders = append(s.folders, workspace.Folder{Path: path})
			}
		})
		face.FollowFolders()
	}
	open := func(when string, want map[string]bool) {
		t.Helper()
		for path, there := range want {
			if err := dial(path); (err == nil) != there || err != nil && !errors.Is(err, socket.ErrNoDaemon) {
				t.Errorf("%s: %s: got %v, want a connection: %t", when, path, err, there)
			}
		}
	}
	face, other := newFace(f), newFace(late)
	open("before", map[string]bool{first: false})
	folders(f, face, first, second)
	open("two folders", map[string]bool{first: true, second: true, third: false})
	folders(late, other, second, third)
	c, err := socket.Dial(socket.Place{}, second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if got := listNames(t, gatewaytest.Join(t, transport.NewIO(c, c, nil), "test", true).Client); !slices.Contains(got, "mcp_search") {
		t.Errorf("who has joined sees %q", got)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	open("the other daemon has ended", map[string]bool{first: true, second: true, third: false})
	if err := face.Close(); err != nil {
		t.Error(err)
	}
	folders(f, face, first, third)
	open("both have ended", map[string]bool{first: false, second: false, third: false})
}

// The face follows the host to other folders. Through the editor's face, which is
// told of them.
func TestSockets_followTheHost(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	h := daemontest.Run(t, daemontest.Options{Workspace: first})
	h.Initialize(nil)
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
