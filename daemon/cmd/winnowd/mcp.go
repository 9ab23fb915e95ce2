package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/socket"
)

// mcpUsage is what `winnowd mcp -help` begins with.
const mcpUsage = `Usage: winnowd mcp [flags]

Serves one MCP client over standard input and output. If a daemon of the
workspace is running, for example VS Code's, the client joins it and shares its
servers and settings; otherwise, and when that daemon ends or hangs, winnowd
runs servers of its own.

`

// mcpFlags are the flags of winnowd mcp.
type mcpFlags struct {
	sessionFlags

	alone    bool
	consents []string
}

func parseMCP(args []string) (mcpFlags, error) {
	var f mcpFlags
	set := flag.NewFlagSet(daemon.Name+" mcp", flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), mcpUsage)
		set.PrintDefaults()
	}
	f.register(set, "the `folder` whose servers are served", "; for servers of its own", "start the servers that the workspace's own files define")
	set.Func("consent", "start the servers of this `file` of another client's; may be repeated, and is remembered", func(path string) error {
		absolute, err := filepath.Abs(path)
		f.consents = append(f.consents, absolute)
		return err
	})
	set.BoolVar(&f.alone, "alone", false, "do not join a running daemon")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("%s mcp takes no arguments besides its flags, not %q", daemon.Name, set.Arg(0))
		fmt.Fprintln(set.Output(), err)
		return f, err
	}
	return f, nil
}

// runMCP serves an MCP client, and returns the exit code.
func runMCP(args []string) int {
	f, err := parseMCP(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	log := newLog(f.level)
	ctx, stop := untilSignalled()
	defer stop()
	if err := serveMCP(ctx, f, log); err != nil {
		log.Error("session ended", "error", err)
		return 1
	}
	return 0
}

func serveMCP(ctx context.Context, f mcpFlags, log *slog.Logger) error {
	if os.Getenv(daemon.UpstreamVariable) != "" {
		return errors.New("started by Winnow as a server of its own; Winnow does not serve itself: remove the entry from the files whose servers Winnow runs")
	}
	workspace, err := f.folder()
	if err != nil {
		return err
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

// serveAlone runs servers of its own.
func serveAlone(ctx context.Context, f mcpFlags, workspace string, log *slog.Logger, in io.Reader, out io.Writer) error {
	initialize, err := f.initialize("mcp", workspace)
	if err != nil {
		return err
	}
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy}).RunAlone(ctx, daemon.Alone{
		Initialize: initialize, Consents: f.consents, In: in, Out: out,
	})
}
