//go:build unix

package wire

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol"
)

// holding returns a dialer whose servers share processes, until the test ends.
func holding(t *testing.T) *Dialer {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	place := socket.Place{Environ: func(string) (string, bool) { return dir, true }}
	log := slog.New(slog.DiscardHandler)
	ctx, end := context.WithCancel(context.Background())
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- holder.Run(ctx, place, log, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return &Dialer{Log: log, Holder: &holder.Client{Place: place}}
}

// visitCat opens a connection to a server that says nothing, and returns its process
// and the one that was told of.
func visitCat(t *testing.T, d *Dialer) (pid, told int) {
	t.Helper()
	c, pid, err := d.openStdio(t.Context(), Attempt{
		Config: Config{
			Name: "s", Transport: Stdio, Command: "cat", MaxMessageBytes: 1 << 20,
			Sharing: Sharing{With: protocol.ShareUser, Idle: time.Minute},
		},
		Log: &clean.Ring{}, Redact: &clean.Redactor{}, Started: func(pid int) { told = pid },
	}, EraLegacy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(process.PromptGrace(), nil) })
	return pid, told
}

// TestDialer_heldStarted: which process starts is told of a shared one too, before
// it has said anything: the gateway waits for those that work.
func TestDialer_heldStarted(t *testing.T) {
	if pid, told := visitCat(t, holding(t)); pid == 0 || told != pid {
		t.Errorf("told of process %d, want %d", told, pid)
	}
}

// TestDialer_heldNowhere: a server without a folder starts in the daemon's own, as
// where nothing is shared, and not in that of whoever runs the processes.
func TestDialer_heldNowhere(t *testing.T) {
	d := holding(t)
	here, _ := visitCat(t, d)
	t.Chdir(t.TempDir())
	if there, _ := visitCat(t, d); here == there {
		t.Error("daemons in two folders share what starts where they are")
	}
}
