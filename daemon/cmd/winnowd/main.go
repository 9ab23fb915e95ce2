// Command winnowd is the daemon of the Winnow extension. It speaks JSON-RPC 2.0 with
// Content-Length frames over standard input and output, and logs JSON lines to standard
// error.
//
// `winnowd mcp` is an MCP server for a client that starts it as a process. `winnowd
// proxy` is a model endpoint for clients with a configurable address. `winnowd -help`
// lists the other commands.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
)

// version is set by the linker, which can set only a constant.
var version = "dev"

func main() {
	if version == "dev" {
		version = moduleVersion()
	}
	c := root()
	c.SetArgs(twoDashes(c, os.Args[1:]))
	os.Exit(exitCode(c.Execute(), os.Stderr))
}

// moduleVersion returns the version of a build by go install, for which the linker sets
// none, or "dev" in a checkout.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") {
		return "dev" // built in a checkout
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// root returns winnowd with all its commands.
func root() *cobra.Command {
	level := new(slog.LevelVar)
	var showVersion bool
	c := runs(&cobra.Command{
		Use: daemon.Name, SilenceErrors: true, SilenceUsage: true, Args: knownCommand, SuggestionsMinimumDistance: 2,
		Short: "Winnow attaches to each task only the MCP tools it needs",
		Long: `Winnow attaches to each task only the MCP tools it needs. Without a command
winnowd serves an editor over standard input and output.`,
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if showVersion {
			_, err := fmt.Fprintln(c.OutOrStdout(), daemon.Name, version)
			return err
		}
		return serveEditor(ctx, level, log)
	})
	// Cobra's version flag needs a template, and with text/template the linker keeps
	// every exported method: 4 MB.
	c.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version and exit")
	c.PersistentFlags().TextVar(level, "log", level, "log `level` on standard error: debug, info, warn or error")
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return refuse(c, "cannot be run: %v", err) })
	c.AddCommand(mcpCommand(level), holderCommand(level), stopCommand(level), proxyCommand(level), lockCommand(level), verifyCommand(level),
		serversCommand(level), whyCommand(level), callCommand(level), approvalsCommand(level), doctorCommand(level), journalCommand(level), replayCommand(level), checkOfServer(level), connectCommand(level), undoImportsCommand(level))
	return c
}

// knownCommand returns an error for an unknown command, with the nearest known one.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return refuse(c, "has no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return refuse(c, "has no command %q", args[0])
}

func undoImportsCommand(level *slog.LevelVar) *cobra.Command {
	return runs(&cobra.Command{
		Use: "undo-imports", Short: "Put the servers back that Winnow has run since their import",
		Long: "Puts the servers back into the files that they were imported from, which is what\nuninstalling the extension does. It tells what could not be undone, one failure a line.",
	}, level, func(context.Context, *cobra.Command, *slog.Logger) error { return daemon.UndoImports() })
}

// untilSignalled returns a context that ends when the process is signalled to end.
func untilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	// A host that dies breaks both pipes. Without this the next write would end the
	// process at once and leave the servers behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// newLog returns the log on stderr. It is also the default log, for libraries.
func newLog(level slog.Leveler) *slog.Logger {
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	slog.SetDefault(log)
	return log
}

// tidy returns memory after the start, and then trades time in the garbage collector for
// memory: the daemon runs beside an editor all day and works for milliseconds. GOGC takes
// precedence.
func tidy() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	debug.FreeOSMemory()
	releaseProgramPages()
}

// serveEditor serves the host that started the process.
func serveEditor(ctx context.Context, level *slog.LevelVar, log *slog.Logger) error {
	return logged(log, daemon.New(daemon.Options{Version: version, Log: log, LogLevel: level, Quiet: tidy, Holder: holderOf()}).Run(ctx, os.Stdin, os.Stdout))
}
