package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

// mcpFlags are the flags of winnowd mcp.
type mcpFlags struct {
	sessionFlags

	alone bool
}

func mcpCommand(level *slog.LevelVar) *cobra.Command {
	f := &mcpFlags{}
	c := runs(&cobra.Command{
		Use: "mcp", Short: "Serve one MCP client over standard input and output",
		Long: `Serves one MCP client over standard input and output. If a daemon of the
workspace is running, for example VS Code's, the client joins it and shares its
servers and settings; otherwise, and when that daemon ends or hangs, winnowd
runs servers of its own.`,
	}, level, func(ctx context.Context, _ *cobra.Command, log *slog.Logger) error {
		return logged(log, serveMCP(ctx, f, log))
	})
	f.register(c, "the `folder` whose servers are served", "; for servers of its own", "start the servers that the workspace's own files define")
	f.registerConsents(c)
	c.Flags().BoolVar(&f.alone, "alone", false, "do not join a running daemon")
	return c
}

func serveMCP(ctx context.Context, f *mcpFlags, log *slog.Logger) error {
	if os.Getenv(daemon.UpstreamVariable) != "" {
		return errors.New("started by Winnow as a server of its own; Winnow does not serve itself: remove the entry from the files whose servers Winnow runs")
	}
	workspace, err := f.folder()
	if err != nil {
		return err
	}
	if _, err := f.consentFiles(); err != nil {
		return err // checked even if its own servers start later or never
	}
	if config, err := os.UserConfigDir(); err == nil {
		d := daemon.New(daemon.Options{Log: log})
		d.FollowNPX(userDir(config))
		d.ClearConnections(userDir(config))
		if proxy := d.Connect(connect.Places{}, userDir(config)).Proxied(); proxy != "" {
			go func() {
				if _, err := backgroundProxy(ctx, strings.TrimPrefix(proxy, "http://")); err != nil {
					log.Warn("clients that ask their models through the proxy reach none", "error", err)
				}
			}()
		}
	}
	if !f.alone {
		c, err := socket.Dial(socket.Place{}, workspace)
		if err == nil {
			log.Info("joined the running daemon", "workspace", workspace)
			return serveJoined(ctx, f, workspace, log, c)
		}
		if !errors.Is(err, socket.ErrNoDaemon) {
			log.Warn("no running daemon is joined", "error", err)
		}
	}
	log.Info("serving with servers of its own", "workspace", workspace)
	return serveAlone(ctx, f, workspace, log, os.Stdin, os.Stdout)
}

// serveAlone serves with servers of its own.
func serveAlone(ctx context.Context, f *mcpFlags, workspace string, log *slog.Logger, in io.Reader, out io.Writer) error {
	initialize, err := f.initialize("mcp", workspace)
	if err != nil {
		return err
	}
	consents, err := f.consentFiles()
	if err != nil {
		return err
	}
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy, Holder: holderOf()}).RunAlone(ctx, daemon.Alone{
		Initialize: initialize, Consents: consents, In: in, Out: out,
	})
}
