// Command winnowd is the daemon behind the Winnow extension. It speaks
// JSON-RPC 2.0 with Content-Length frames over its standard input and output,
// and logs JSON lines to its standard error.
//
// As `winnowd mcp` it is an MCP server for one client that starts a process, as
// `winnowd proxy` the address of a model for any client that can be given one.
// `winnowd lock -update` and `winnowd verify` keep a lock on what the servers of
// a workspace offer.
// `winnowd undo-imports` puts the servers back that were moved behind Winnow,
// which is what uninstalling the extension does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/winnow-mcp/winnow/daemon"
)

// version is set by the linker.
var version = "dev"

// exitUsage is the exit code for a command line that is not understood.
const exitUsage = 2

func main() {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		os.Exit(runMCP(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "proxy" {
		os.Exit(runProxy(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "lock" {
		os.Exit(runLock(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "verify" {
		os.Exit(runVerify(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == "undo-imports" {
		os.Exit(undoImports())
	}
	os.Exit(run())
}

// undoImports tells what could not be undone, one failure a line.
func undoImports() int {
	if err := daemon.UndoImports(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// untilSignalled returns a context that ends when the process is asked to.
func untilSignalled() (context.Context, context.CancelFunc) {
	// A host that dies breaks both pipes. Without this the first write after it
	// would end the process on the spot, and leave the servers behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// newLog returns the log on stderr, which libraries that ask for none write to
// as well.
func newLog(level slog.Leveler) *slog.Logger {
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	slog.SetDefault(log)
	return log
}

// tidy gives back what the start took, and from then on trades some time in the
// garbage collector for memory: the daemon runs beside an editor all day and
// works for milliseconds of it. GOGC wins.
func tidy() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	debug.FreeOSMemory()
}

func run() int {
	level := new(slog.LevelVar)
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.TextVar(level, "log", level, "log `level`: debug, info, warn or error")
	flag.Parse()
	if *showVersion {
		fmt.Println(daemon.Name, version)
		return 0
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "%s takes no arguments but mcp, proxy, lock, verify and undo-imports; each has -help\n", daemon.Name)
		return exitUsage
	}
	log := newLog(level)
	ctx, stop := untilSignalled()
	defer stop()
	err := daemon.New(daemon.Options{Version: version, Log: log, LogLevel: level, Quiet: tidy}).Run(ctx, os.Stdin, os.Stdout)
	if err != nil {
		if !errors.Is(err, daemon.ErrNoShutdown) {
			log.Error("session ended", "error", err)
		}
		return 1
	}
	return 0
}
