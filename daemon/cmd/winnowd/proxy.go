package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
)

// proxyFlags are the flags of winnowd proxy.
type proxyFlags struct {
	sessionFlags

	listen, token string
	consented     []string
}

func proxyCommand(level *slog.LevelVar) *cobra.Command {
	f := &proxyFlags{}
	c := runs(&cobra.Command{
		Use: "proxy", Short: "Serve clients that can be given the address of a model's provider",
		Long: `Serves clients that let their users set the address of a model's provider. Of
the MCP tools in each request only those that fit the task are sent; the model
loads others by asking. Addresses for clients, behind http://127.0.0.1:PORT:

  /openai/v1       OpenAI (chat completions and Responses)
  /anthropic       Anthropic (messages)
  /gemini/v1beta   Google Gemini
  /to/NAME         the endpoint of that name in winnow/winnow.json in your
                   configuration folder
  /winnow/stats    what was sent and saved, as JSON`,
	}, level, func(ctx context.Context, _ *cobra.Command, log *slog.Logger) error {
		return logged(log, serveProxy(ctx, f, log))
	})
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:4711", "the `address` to serve, of the loopback")
	c.Flags().StringVar(&f.token, "token", "", "serve only paths that begin with /t/ and this `text`, on a machine that several people share")
	c.Flags().StringArrayVar(&f.consented, "consent", nil, "agree to an endpoint of the workspace's own file, by its `URL` as it is written there; can be repeated")
	f.register(c, "the `folder` whose rules and servers count", "", "let the rules of the workspace's own files count")
	return c
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
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy, Holder: holderOf()}).RunProxy(ctx, daemon.Proxy{
		Initialize: initialize, Listener: listener, Token: f.token, Consented: f.consented,
	})
}
