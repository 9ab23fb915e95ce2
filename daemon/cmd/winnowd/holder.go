package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

// holderOf returns the client of the holder, or nil if the environment disables sharing.
func holderOf() *holder.Client {
	if os.Getenv(daemon.ShareVariable) == daemon.ShareOff {
		return nil
	}
	return &holder.Client{Command: func() (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c := exec.Command(self, "holder") //nolint:noctx // it outlives this process
		c.Dir = filepath.Dir(self)        // does not keep a user's folder in use
		return c, nil
	}}
}

func holderCommand(level *slog.LevelVar) *cobra.Command {
	return runs(&cobra.Command{
		Use: "holder", Short: "Run the processes of servers for every winnowd of this user", Hidden: true,
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		err := holder.Run(ctx, socket.Place{}, log, func() { fmt.Fprintln(c.OutOrStdout(), "ready") })
		if errors.Is(err, socket.ErrInUse) {
			return nil // the starter joins the other holder
		}
		if err != nil {
			fmt.Fprintln(c.OutOrStdout(), holder.Failed+err.Error())
		}
		return logged(log, err)
	})
}

func stopCommand(level *slog.LevelVar) *cobra.Command {
	return runs(&cobra.Command{
		Use: "stop", Short: "End the processes that clients share: of servers, and the proxy in the background",
	}, level, func(ctx context.Context, c *cobra.Command, _ *slog.Logger) error {
		proxied, failed := stopProxy()
		ran, err := holder.Stop(ctx, socket.Place{})
		if err = errors.Join(failed, err); err == nil && !ran && !proxied {
			fmt.Fprintln(c.OutOrStdout(), "no shared processes run")
		}
		return err
	})
}
