package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/socket"
	"github.com/winnow-mcp/winnow/protocol"
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
	workspace, storage, settings string
	trust, alone                 bool
	consents                     []string
	level                        slog.Level
}

func parseMCP(args []string) (mcpFlags, error) {
	var f mcpFlags
	set := flag.NewFlagSet(daemon.Name+" mcp", flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), mcpUsage)
		set.PrintDefaults()
	}
	set.StringVar(&f.workspace, "workspace", ".", "the `folder` whose servers are served")
	set.StringVar(&f.storage, "storage", "", "the `folder` for what is remembered between runs (default winnow in the user's cache)")
	set.StringVar(&f.settings, "settings", "", "a JSON `file` of settings, without winnow. before their names; for servers of its own")
	set.BoolVar(&f.trust, "trust", false, "start the servers that the workspace's own files define")
	set.Func("consent", "start the servers of this `file` of another client's; may be repeated, and is remembered", func(path string) error {
		absolute, err := filepath.Abs(path)
		f.consents = append(f.consents, absolute)
		return err
	})
	set.BoolVar(&f.alone, "alone", false, "do not join a running daemon")
	set.TextVar(&f.level, "log", slog.LevelInfo, "log `level` on standard error: debug, info, warn or error")
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
	workspace, err := filepath.Abs(f.workspace)
	if err != nil {
		return fmt.Errorf("-workspace: %w", err)
	}
	if info, err := os.Stat(workspace); err != nil || !info.IsDir() {
		return fmt.Errorf("-workspace: %s is not a folder that can be read", workspace)
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
	if f.storage == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("-storage: there is no default: %w", err)
		}
		f.storage = filepath.Join(cache, "winnow")
	}
	initialize := protocol.InitializeParams{
		Client: protocol.ClientInfo{Name: daemon.Name + " mcp", Version: version}, ProtocolVersion: protocol.Version,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: fileURI(workspace), Name: filepath.Base(workspace)}},
		StoragePath:      f.storage, Trusted: f.trust,
	}
	if f.settings != "" {
		raw, err := os.ReadFile(f.settings)
		if err != nil {
			return fmt.Errorf("-settings: %w", err)
		}
		if !json.Valid(raw) {
			return fmt.Errorf("-settings: %s is not JSON", f.settings)
		}
		initialize.Settings = raw
	}
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy}).RunAlone(ctx, daemon.Alone{
		Initialize: initialize, Consents: f.consents, In: in, Out: out,
	})
}

// fileURI returns the file: URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
