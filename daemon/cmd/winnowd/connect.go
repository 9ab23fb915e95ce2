package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/connect"
)

// connectFlags are the flags of winnowd connect.
type connectFlags struct {
	workspace, scope  string
	print, undo, json bool
	// proxy: connect the client's model endpoint, not its servers.
	proxy   bool
	address string
}

func connectCommand(level *slog.LevelVar) *cobra.Command {
	f := &connectFlags{}
	c := runs(&cobra.Command{
		Use: "connect [CLIENT]", Short: "Make another MCP client start winnowd mcp, or list the clients",
		Long: `Writes the entry by which another MCP client starts winnowd mcp into the client's
file, and keeps everything else in it. The entry names a launcher that updates do
not move, and that is made with the first entry. -undo takes the entry out, and
deletes a file that was made for it when nothing is left in it. Without a client
it lists those it knows and where each has its file.`,
		Example:   "  winnowd connect codex\n  winnowd connect copilot -scope project\n  winnowd connect zed -print\n  winnowd connect codex -undo",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: clientIDs(),
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		connector, err := f.connector(log)
		if err != nil {
			return err
		}
		if c.Flags().NArg() == 0 {
			return f.list(c.OutOrStdout(), connector)
		}
		client, ok := connect.Find(c.Flags().Arg(0))
		if !ok {
			return refuse(c, "knows no client %q, but %s", c.Flags().Arg(0), strings.Join(clientIDs(), ", "))
		}
		if f.proxy {
			return f.model(ctx, c.OutOrStdout(), connector, &client)
		}
		return f.run(c, connector, &client)
	})
	set := c.Flags()
	set.StringVar(&f.workspace, "workspace", ".", "the `folder` whose files are meant by -scope project")
	set.StringVar(&f.scope, "scope", "", "whose `file`: user or project (default user where the client has such a file)")
	set.BoolVar(&f.print, "print", false, "print the entry, with the launcher if there is one, and write nothing")
	set.BoolVar(&f.undo, "undo", false, "take the entry out again")
	set.BoolVar(&f.json, "json", false, "write JSON")
	set.BoolVar(&f.proxy, "proxy", false, "have the client ask its model through winnowd proxy, which is started in the background: "+strings.Join(connect.Modelled(), ", "))
	set.StringVar(&f.address, "address", proxyAddress, "with -proxy, the `address` of the proxy")
	c.MarkFlagsMutuallyExclusive("print", "undo")
	c.MarkFlagsMutuallyExclusive("print", "proxy")
	c.MarkFlagsMutuallyExclusive("scope", "proxy")
	return c
}

// clientIDs returns the ids of the supported clients.
func clientIDs() []string {
	var ids []string
	for _, c := range connect.Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

// connector returns the connector for the files of this user and folder.
func (f *connectFlags) connector(log *slog.Logger) (*daemon.Connector, error) {
	workspace, err := filepath.Abs(f.workspace)
	if err != nil {
		return nil, fmt.Errorf("-workspace: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	places := connect.Places{Home: home, Config: config, Workspace: workspace, Environ: os.LookupEnv}
	d := daemon.New(daemon.Options{Version: version, Log: log})
	d.ClearConnections(userDir(config))
	return d.Connect(places, userDir(config)), nil
}

// run writes, undoes or prints the entry of one client.
func (f *connectFlags) run(c *cobra.Command, connector *daemon.Connector, client *connect.Client) error {
	scope := connect.Scope(f.scope)
	switch scope {
	case "":
		scope = connector.DefaultScope(client)
	case connect.User, connect.Project:
	default:
		return refuse(c, "cannot be run: -scope is %q, and can be user or project", f.scope)
	}
	out := c.OutOrStdout()
	switch {
	case f.print:
		_, err := fmt.Fprintln(out, strings.TrimRight(connector.Preview(client), "\n"))
		return err
	case client.ByHand() != "" && !f.undo:
		_, err := fmt.Fprintf(out, "Paste this into %s of %s:\n\n%s\n", client.ByHand(), client.Name, strings.TrimRight(connector.Entry(client), "\n"))
		return err
	}
	do := connector.Connect
	if f.undo {
		do = connector.Undo
	}
	result, err := do(client, scope)
	if err != nil {
		return err
	}
	if f.json {
		return codec.Write(out, result)
	}
	return f.tell(out, client, &result)
}

// model makes the client use the proxy for its model, or undoes that.
func (f *connectFlags) model(ctx context.Context, out io.Writer, connector *daemon.Connector, client *connect.Client) error {
	proxy, noted, started := "http://"+f.address, connector.Proxied(), false
	if !f.undo {
		if noted != "" && noted != proxy {
			return fmt.Errorf("the proxy in the background is at %s already; take that address; nothing was changed", strings.TrimPrefix(noted, "http://"))
		}
		// Start the proxy first: without it the client's model would be unreachable.
		var err error
		if started, err = backgroundProxy(ctx, f.address); err != nil {
			return fmt.Errorf("%w; nothing was changed", err)
		}
	}
	result, err := connector.Model(client, proxy, f.undo)
	proxy = result.Entry
	if connector.Proxied() == "" && (started || noted != "") {
		_, stopped := stopProxy()
		err = errors.Join(err, stopped)
	}
	if err != nil {
		return err
	}
	if f.json {
		return codec.Write(out, result)
	}
	text := fmt.Sprintf("%s does not ask through %s.\n", result.File, proxy)
	switch {
	case f.undo && result.Changed:
		text = fmt.Sprintf("Took %s out of %s. %s\n", proxy, result.File, client.Next)
	case !f.undo:
		text = fmt.Sprintf("%s asks its model through %s (%s). %s\nwinnowd connect %s -proxy -undo takes it out again. The proxy runs in the background; "+
			"winnowd mcp starts it again, and without a client of that, winnowd proxy -background does after a restart of the machine: until then the client reaches no model.\n",
			client.Name, proxy, result.File, client.Next, client.ID)
	}
	_, err = io.WriteString(out, text)
	return err
}

// tell writes what was done.
func (f *connectFlags) tell(out io.Writer, client *connect.Client, r *connect.Result) error {
	var text string
	switch {
	case f.undo && r.Changed:
		text = fmt.Sprintf("Took this out of %s:\n\n%s\n\n%s\n", r.File, strings.TrimRight(r.Entry, "\n"), client.Next)
	case f.undo:
		text = fmt.Sprintf("%s has no entry for Winnow.\n", r.File)
	case r.Changed:
		text = fmt.Sprintf("Wrote %s:\n\n%s\n\n%s\nwinnowd connect %s -scope %s -undo takes it out again.\n",
			r.File, strings.TrimRight(r.Entry, "\n"), client.Next, client.ID, r.Scope)
	default:
		text = fmt.Sprintf("%s starts Winnow already.\n", r.File)
	}
	if r.Scope == connect.Project && !f.undo {
		text += "The path in it is this machine's; think of that before you commit the file.\n"
	}
	if len(r.Others) > 0 && !f.undo {
		text += fmt.Sprintf("%s goes on starting these itself: %s. Move those that Winnow is to choose from into winnow.json; the tools of both would be sent twice.\n",
			client.Name, strings.Join(r.Others, ", "))
	}
	if !f.undo {
		text += "What it offers are the servers of winnow.json and of the other files that winnowd doctor lists.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// listed is a client in the list.
type listed struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Files     map[string]string `json:"files"`
	Connected []connect.Scope   `json:"connected"`
}

// list writes the clients and their files.
func (f *connectFlags) list(out io.Writer, connector *daemon.Connector) error {
	var all []listed
	for _, client := range connect.Clients() {
		one := listed{ID: client.ID, Name: client.Name, Files: map[string]string{}, Connected: []connect.Scope{}}
		for _, scope := range []connect.Scope{connect.User, connect.Project} {
			if file, ok := client.Files(connector.Places)[scope]; ok {
				one.Files[string(scope)] = file
			}
			if connector.Connected(&client, scope) {
				one.Connected = append(one.Connected, scope)
			}
		}
		all = append(all, one)
	}
	if f.json {
		return codec.Write(out, all)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, one := range all {
		file := one.Files[string(connect.User)]
		if file == "" {
			file = one.Files[string(connect.Project)]
		}
		state := ""
		if len(one.Connected) > 0 {
			state = "connected"
		}
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.ID, one.Name, state, file); err != nil {
			return err
		}
	}
	return table.Flush()
}
