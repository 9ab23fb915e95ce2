package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

// proxyFlags are the flags of winnowd proxy.
type proxyFlags struct {
	sessionFlags

	listen, token string
	consented     []string
	// background: start another process that serves, and exit; elected: this is that
	// process.
	background, elected bool
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
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		switch {
		case f.background:
			_, err := backgroundProxy(ctx, f.listen)
			return err
		case f.elected:
			return serveElected(ctx, f, log, func() { fmt.Fprintln(c.OutOrStdout(), "ready") })
		}
		return logged(log, serveProxy(ctx, f, log, func() {}))
	})
	c.Flags().BoolVar(&f.background, "background", false, "serve in the background, unless that is so already, until winnowd stop")
	c.Flags().BoolVar(&f.elected, "elected", false, "")
	_ = c.Flags().MarkHidden("elected")
	c.Flags().StringVar(&f.listen, "listen", proxyAddress, "the `address` to serve, of the loopback")
	c.Flags().StringVar(&f.token, "token", "", "serve only paths that begin with /t/ and this `text`, on a machine that several people share")
	c.Flags().StringArrayVar(&f.consented, "consent", nil, "agree to an endpoint of the workspace's own file, by its `URL` as it is written there; can be repeated")
	f.register(c, "the `folder` whose rules and servers count", "", "let the rules of the workspace's own files count")
	return c
}

// serversOfOpencode returns a function that lists the servers of opencode. Their tools'
// names do not show that they are a server's.
func serversOfOpencode(workspace string) func() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	c := connect.Connector{Places: connect.Places{Home: home, Workspace: workspace, Environ: os.LookupEnv}}
	return func() []string { return c.ServersOf("opencode") }
}

// proxyAddress is the default address of the proxy.
const proxyAddress = "127.0.0.1:4711"

// backgroundProxy starts the user's background proxy unless it runs, waits until it
// serves, and reports whether it was started.
func backgroundProxy(ctx context.Context, address string) (started bool, err error) {
	runs := func() bool {
		conn, err := socket.Dial(socket.Place{}, socket.Proxy)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}
	if runs() {
		return false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	c := exec.Command(self, "proxy", "-elected", "-listen", address) //nolint:noctx // it outlives this process
	if c.Dir, err = os.UserHomeDir(); err != nil {
		return false, err
	}
	if err := holder.Background(ctx, c); err != nil {
		return false, fmt.Errorf("start the proxy: %w", err)
	}
	if !runs() {
		return false, fmt.Errorf("the proxy has not started: winnowd proxy -listen %s says why", address)
	}
	return true, nil
}

// serveElected serves as the user's background proxy until it is stopped, unless another
// one runs.
func serveElected(ctx context.Context, f *proxyFlags, log *slog.Logger, ready func()) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	meeting, err := socket.Listen(socket.Place{}, socket.Proxy)
	if errors.Is(err, socket.ErrInUse) {
		return nil // the starter has found the other one
	}
	if err != nil {
		return err
	}
	met := make(chan struct{})
	go func() {
		defer close(met)
		meeting.Serve(log, func(c net.Conn) {
			if line, err := bufio.NewReader(c).ReadString('\n'); err == nil && line == endProxy {
				end()
				<-ctx.Done()
				_, _ = c.Read(make([]byte, 1)) // until the listener is closed
			}
		})
	}()
	err = serveProxy(ctx, f, log, ready)
	err = errors.Join(err, meeting.Close())
	<-met
	return err
}

// endProxy is the line that stops the background proxy.
const endProxy = "end\n"

// stopProxy stops the user's background proxy, and reports whether one ran.
func stopProxy() (ran bool, err error) {
	conn, err := socket.Dial(socket.Place{}, socket.Proxy)
	if errors.Is(err, socket.ErrNoDaemon) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, endProxy); err != nil {
		return true, err
	}
	_, _ = io.Copy(io.Discard, conn) // until it has ended
	return true, nil
}

func serveProxy(ctx context.Context, f *proxyFlags, log *slog.Logger, ready func()) error {
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
	ready()
	log.Info("serving", "address", "http://"+listener.Addr().String(), "workspace", workspace)
	return daemon.New(daemon.Options{Version: version, Log: log, Quiet: tidy, Holder: holderOf()}).RunProxy(ctx, daemon.Proxy{
		Initialize: initialize, Listener: listener, Token: f.token, Consented: f.consented, ClientServers: serversOfOpencode(workspace),
	})
}
