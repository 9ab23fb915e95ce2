// Command winnowteam is the gateway of a team: any number of replicas with one PostgreSQL
// database, behind any load balancer.
//
//	winnowteam serve      runs a replica
//	winnowteam hold       runs servers that are programs, for the replicas
//	winnowteam apply      makes a winnow.json and policies the newest version
//	winnowteam review     shows what servers say that nobody has approved
//	winnowteam approve    approves it
//	winnowteam revoke     takes a server, or a tool, from everybody
//	winnowteam connect    connects the account by which a server's tools are listed
//	winnowteam disconnect deletes accounts
//	winnowteam who        lists who was seen
//	winnowteam journal    lists calls
//
// See extension/docs/team.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"os/user"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/team"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// version is set by the linker, which can set only a constant.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, hiddentext.Printable(err.Error()))
		os.Exit(1)
	}
}

// flags are common to all commands.
type flags struct {
	database pg.Options
	keys     string
	level    slog.LevelVar
}

// open opens the database.
func (f *flags) open(ctx context.Context) (*pg.Store, *slog.Logger, error) {
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: &f.level}))
	f.database.Log = log
	// Not a default of the flag: help shows defaults, and this may hold a password.
	f.database.URL = cmp.Or(f.database.URL, os.Getenv("WINNOWTEAM_DATABASE"))
	store, err := pg.Open(ctx, f.database)
	return store, log, err
}

// admin runs an operator's command, and records the operator.
func (f *flags) admin(do func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		store, _, err := f.open(c.Context())
		if err != nil {
			return err
		}
		defer store.Close()
		by := "unknown"
		if u, err := user.Current(); err == nil {
			by = u.Username
		}
		if name, err := os.Hostname(); err == nil {
			by += "@" + name
		}
		return do(c.Context(), c, team.Admin{Store: store, By: by}, args)
	}
}

func root() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use: team.Name, Short: "The gateway of a team: any number of replicas on one PostgreSQL",
		SilenceErrors: true, SilenceUsage: true, Version: moduleVersion(),
	}
	c.PersistentFlags().StringVar(&f.database.URL, "database", "",
		"`address` of the database, as libpq writes it; $WINNOWTEAM_DATABASE, or else libpq's own variables such as $PGHOST")
	c.PersistentFlags().StringVar(&f.database.Schema, "schema", cmp.Or(os.Getenv("WINNOWTEAM_SCHEMA"), "winnow"),
		"`schema` of the tables, which is made where it is missing; $WINNOWTEAM_SCHEMA")
	c.PersistentFlags().StringVar(&f.keys, "keys", os.Getenv("WINNOWTEAM_KEYS"),
		"`file` of the keys that seal accounts of users, a line of an id and 32 bytes in base64 each, the newest first; $WINNOWTEAM_KEYS")
	c.PersistentFlags().TextVar(&f.level, "log", &f.level, "log `level` on standard error: debug, info, warn or error")
	c.AddCommand(f.serve(), f.hold(), f.apply(), f.revoke(), f.connect(), f.disconnect(),
		f.review(), f.approve(), f.who(), f.journal())
	return c
}

// ring reads the keys; nil if there are none.
func (f *flags) ring() (*vault.Ring, error) {
	if f.keys == "" {
		return nil, nil //nolint:nilnil // no keys are configured
	}
	text, err := os.ReadFile(f.keys)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return vault.ParseRing(text)
}

// moduleVersion returns the version that the linker has set, or in a build by go install,
// for which it sets none, the module's.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "dev" && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return version
}

func (f *flags) serve() *cobra.Command {
	var o team.Options
	var hold team.HoldOptions
	var address, collected, held string
	c := &cobra.Command{
		Use: "serve", Short: "Run a replica", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			store, log, err := f.open(c.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return err
			}
			if o.Ring, err = f.ring(); err != nil {
				return err
			}
			o.Store, o.Log, o.Version, o.Environ, o.ClientSecret = store, log, moduleVersion(), os.LookupEnv, os.Getenv("WINNOWTEAM_CLIENT_SECRET")
			if collected != "" {
				if o.Metrics, err = net.Listen("tcp", collected); err != nil {
					return err
				}
				log.Info("metrics", "address", o.Metrics.Addr().String())
			}
			both, ctx := errgroup.WithContext(c.Context())
			if held != "" {
				hold.Store, hold.Log, hold.Ring = store, log, o.Ring
				listener, err := holds(&hold, held)
				if err != nil {
					return err
				}
				both.Go(func() error { return team.Hold(ctx, hold, listener) })
			}
			log.Info("a replica begins", "address", listener.Addr().String(), "resource", o.Resource)
			both.Go(func() error { return team.Serve(ctx, o, listener) })
			return both.Wait()
		},
	}
	c.Flags().StringVar(&address, "listen", "127.0.0.1:8080", "`address` to listen on, in plain HTTP: the balancer has TLS")
	c.Flags().StringVar(&collected, "metrics", "", "`address` for Prometheus, apart from that of users, such as 127.0.0.1:9090; empty is none")
	c.Flags().StringVar(&held, "hold", "", "run servers that are programs, too: `address` to listen on for replicas, such as 127.0.0.1:8090; empty is to run none")
	c.Flags().StringVar(&hold.Address, "advertise", "", advertised)
	c.Flags().StringVar(&o.Resource, "resource", "", "`URL` by which clients know the gateway, and tokens their audience")
	c.Flags().StringVar(&o.Issuer, "issuer", "", "`URL` of the OpenID provider whose tokens are taken")
	c.Flags().StringVar(&o.GroupsClaim, "groups-claim", "groups", "`claim` of a token that names the groups of its user")
	c.Flags().StringVar(&o.ClientID, "client-id", os.Getenv("WINNOWTEAM_CLIENT_ID"),
		"`id` of this gateway at the issuer, for the pages at which users connect accounts; $WINNOWTEAM_CLIENT_ID, and $WINNOWTEAM_CLIENT_SECRET with it")
	for _, name := range []string{"resource", "issuer"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

func (f *flags) hold() *cobra.Command {
	var o team.HoldOptions
	var address string
	c := &cobra.Command{
		Use: "hold", Short: "Run servers that are programs, for the replicas", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			store, log, err := f.open(c.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			if o.Ring, err = f.ring(); err != nil {
				return err
			}
			o.Store, o.Log = store, log
			listener, err := holds(&o, address)
			if err != nil {
				return err
			}
			return team.Hold(c.Context(), o, listener)
		},
	}
	c.Flags().StringVar(&address, "listen", "127.0.0.1:8090", "`address` to listen on, for the replicas only")
	c.Flags().StringVar(&o.Address, "advertise", "", advertised)
	return c
}

// advertised says what --advertise is.
const advertised = "`host:port` at which replicas reach the holder; empty is the address it listens on"

// holds listens for a holder.
func holds(o *team.HoldOptions, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	o.Address = cmp.Or(o.Address, listener.Addr().String())
	o.Version, o.Environ = moduleVersion(), os.LookupEnv
	o.Log.Info("a holder begins", "address", o.Address)
	return listener, nil
}

func (f *flags) apply() *cobra.Command {
	var back int64
	c := &cobra.Command{
		Use: "apply WINNOW.JSON POLICIES.CEDAR [TEAM.JSON]", Short: "Make servers and policies the newest version, which every replica follows",
		Args: func(_ *cobra.Command, args []string) error {
			if back == 0 && len(args) != 2 && len(args) != 3 || back > 0 && len(args) > 0 {
				return errors.New("name the files of the servers, of the policies and, if there is one, of the team; or a version by --version")
			}
			return nil
		},
	}
	c.Flags().Int64Var(&back, "version", 0, "apply this older `version` anew, with what was revoked then")
	c.RunE = f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
		if back > 0 {
			return told(c)(a.Back(ctx, back))
		}
		var texts [3]string
		for i, path := range args {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts[i] = string(text)
		}
		return told(c)(a.ApplyFiles(ctx, texts[0], texts[1], texts[2]))
	})
	return c
}

// told prints the version that a change has created.
func told(c *cobra.Command) func(n int64, err error) error {
	return func(n int64, err error) error {
		if err == nil {
			_, err = fmt.Fprintf(c.OutOrStdout(), "version %d\n", n)
		}
		return err
	}
}

func (f *flags) revoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke SERVER[/TOOL]", Short: "Take a server, or one of its tools, from everybody", Args: cobra.ExactArgs(1),
		RunE: f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
			return told(c)(a.Withdraw(ctx, args[0], true))
		}),
	}
}

func (f *flags) connect() *cobra.Command {
	var resource string
	c := &cobra.Command{
		Use: "connect SERVER", Short: "Print the page at which you connect the account by which a server's tools are listed", Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&resource, "resource", os.Getenv("RESOURCE"), "`URL` by which clients know the gateway; $RESOURCE")
	c.RunE = f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
		ring, err := f.ring()
		if err == nil && ring == nil {
			err = errors.New("name the file of keys by --keys, the same as the replicas have")
		}
		if err != nil {
			return err
		}
		page, err := a.Connect(ctx, args[0], resource, ring)
		if err == nil {
			_, err = fmt.Fprintln(c.OutOrStdout(), page)
		}
		return err
	})
	return c
}

func (f *flags) disconnect() *cobra.Command {
	var subject string
	c := &cobra.Command{
		Use: "disconnect [SERVER]", Short: "Delete accounts at a server, or at all of them", Args: cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&subject, "subject", "", "only those of this `person`, as the issuer names them; `team` is the gateways' own")
	c.RunE = f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
		server := strings.Join(args, "")
		if server == "" && subject == "" {
			return errors.New("name a server, or a person by --subject")
		}
		n, err := a.Credentials().Disconnect(ctx, subject, server)
		if err == nil {
			_, err = fmt.Fprintf(c.OutOrStdout(), "deleted %d\n", n)
		}
		return err
	})
	return c
}

func (f *flags) approve() *cobra.Command {
	var seen string
	c := &cobra.Command{
		Use: "approve SERVER[/TOOL]", Short: "Approve what was reviewed of a server, and give back what was revoked", Args: cobra.ExactArgs(1),
		RunE: f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
			done, err := a.Approve(ctx, args[0], seen)
			for _, line := range done {
				fmt.Fprintln(c.OutOrStdout(), hiddentext.Printable(line))
			}
			return err
		}),
	}
	c.Flags().StringVar(&seen, "seen", "", "what was reviewed, as `hash` that review prints; needed where something waits")
	return c
}

func (f *flags) review() *cobra.Command {
	return &cobra.Command{
		Use: "review [SERVER[/TOOL]]", Short: "Show what servers say that nobody has approved, which nobody is told of until then", Args: cobra.MaximumNArgs(1),
		RunE: f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, args []string) error {
			what := strings.Join(args, "")
			waiting, err := a.Review(ctx, what)
			servers := map[string][]pg.Waiting{}
			for _, w := range waiting {
				fmt.Fprintf(c.OutOrStdout(), "%s %s, seen %s\n  %s\n", hiddentext.Printable(w.Server), hiddentext.Printable(string(w.Key)),
					w.At.Format(time.RFC3339), hiddentext.Printable(string(w.Raw)))
				servers[w.Server] = append(servers[w.Server], w)
			}
			for _, server := range slices.Sorted(maps.Keys(servers)) {
				fmt.Fprintf(c.OutOrStdout(), "to approve just that: winnowteam approve %s --seen %s\n", hiddentext.Printable(cmp.Or(what, server)), team.Seen(servers[server]))
			}
			return err
		}),
	}
}

func (f *flags) who() *cobra.Command {
	return &cobra.Command{
		Use: "who", Short: "List who was seen, with the groups that their tokens named last", Args: cobra.NoArgs,
		RunE: f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, _ []string) error {
			people, err := a.People(ctx)
			if err != nil {
				return err
			}
			rows := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(rows, "SEEN\tSUBJECT\tNAME\tGROUPS\tISSUER")
			for _, p := range people {
				fmt.Fprintf(rows, "%s\t%s\t%s\t%s\t%s\n", p.At.Format(time.RFC3339), hiddentext.Printable(p.Subject), hiddentext.Printable(p.Name),
					hiddentext.Printable(strings.Join(p.Groups, " ")), p.Issuer)
			}
			return rows.Flush()
		}),
	}
}

func (f *flags) journal() *cobra.Command {
	var filter journal.Filter
	var subject string
	var limit int
	var since time.Duration
	c := &cobra.Command{
		Use: "journal", Short: "List calls, the newest first", Args: cobra.NoArgs,
		RunE: f.admin(func(ctx context.Context, c *cobra.Command, a team.Admin, _ []string) error {
			if since > 0 {
				filter.Since = time.Now().Add(-since)
			}
			entries, more, err := a.Journal().Of(ctx, filter, subject, limit)
			if err != nil {
				return err
			}
			rows := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(rows, "TIME\tWHO\tCLIENT\tTOOL\tOUTCOME\tMS\tDETAIL")
			for i := range entries {
				e := &entries[i]
				fmt.Fprintf(rows, "%s\t%s\t%s\t%s/%s\t%s\t%.1f\t%s\n", e.Time.Format(time.RFC3339), hiddentext.Printable(e.Principal.Subject),
					hiddentext.Printable(e.Client), hiddentext.Printable(e.Server), hiddentext.Printable(e.Tool), e.Outcome, e.DurationMs, hiddentext.Printable(e.Detail))
			}
			if more {
				fmt.Fprintf(rows, "and older ones: --limit shows more\n")
			}
			return rows.Flush()
		}),
	}
	c.Flags().StringVar(&subject, "subject", "", "only calls of this `person`, as the issuer names them")
	c.Flags().StringVar(&filter.Server, "server", "", "only calls of this `server`")
	c.Flags().StringVar(&filter.Tool, "tool", "", "only calls of this `tool`")
	c.Flags().StringVar(&filter.Outcome, "outcome", "", "only calls that ended so: ok, error, failed, refused, cancelled or unknown")
	c.Flags().DurationVar(&since, "since", 0, "only calls of the last `time`, such as 24h")
	c.Flags().IntVar(&limit, "limit", 100, "at most so many `rows`")
	return c
}
