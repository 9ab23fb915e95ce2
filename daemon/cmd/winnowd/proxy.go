package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"github.com/winnow-mcp/winnow/daemon"
)

// proxyUsage is what `winnowd proxy -help` begins with.
const proxyUsage = `Usage: winnowd proxy [flags]

Serves clients that let their users set the address of a model's provider. Of
the MCP tools in each request only those that fit the task are sent; the model
loads others by asking. Addresses for clients, behind http://127.0.0.1:PORT:

  /openai/v1       OpenAI (chat completions and Responses)
  /anthropic       Anthropic (messages)
  /gemini/v1beta   Google Gemini
  /to/NAME         the endpoint of that name in winnow/winnow.json in your
                   configuration folder
  /winnow/stats    what was sent and saved, as JSON

`

// proxyFlags are the flags of winnowd proxy.
type proxyFlags struct {
	sessionFlags

	listen, token string
}

func parseProxy(args []string) (proxyFlags, error) {
	var f proxyFlags
	set := flag.NewFlagSet(daemon.Name+" proxy", flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), proxyUsage)
		set.PrintDefaults()
	}
	set.StringVar(&f.listen, "listen", "127.0.0.1:4711", "the `address` to serve, of the loopback")
	set.StringVar(&f.token, "token", "", "serve only paths that begin with /t/ and this `text`, on a machine that several people share")
	f.register(set, "the `folder` whose rules and servers count", "", "let the rules of the workspace's own files count")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("%s proxy takes no arguments besides its flags, not %q", daemon.Name, set.Arg(0))
		fmt.Fprintln(set.Output(), err)
		return f, err
	}
	return f, nil
}

// runProxy serves clients, and returns the exit code.
func runProxy(args []string) int {
	f, err := parseProxy(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	log := newLog(f.level)
	ctx, stop := untilSignalled()
	defer stop()
	if err := serveProxy(ctx, &f, log); err != nil {
		log.Error("session ended", "error", err)
		return 1
	}
	return 0
}

func serveProxy(ctx context.Context, f *proxyFlags, log *slog.Logger) error {
	workspace, err := f.folder()
	if err != nil {
		return err
	}
	initialize, err := f.initialize("proxy", workspace)
	if err != nil {
		return err
	}
	listener, err := daemon.ListenProxy(f.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	log.Info("serving", "address", "http://"+listener.Addr().String(), "workspace", workspace)
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy}).RunProxy(ctx, daemon.Proxy{
		Initialize: initialize, Listener: listener, Token: f.token,
	})
}
