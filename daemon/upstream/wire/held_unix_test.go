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

// TestDialer_heldStarted: which process starts is told of a shared one too, before
// it has said anything: the gateway waits for those that work.
func TestDialer_heldStarted(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	place := socket.Place{Environ: func(string) (string, bool) { return dir, true }}
	log := slog.New(slog.DiscardHandler)
	ctx, end := context.WithCancel(t.Context())
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- holder.Run(ctx, place, log, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	d := &Dialer{Log: log, Holder: &holder.Client{Place: place}}
	told := 0
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
	if pid == 0 || told != pid {
		t.Errorf("told of process %d, want %d", told, pid)
	}
	c.Close(process.PromptGrace(), nil)
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
