package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/protocol"
)

// replayFlags are the flags of winnowd replay.
type replayFlags struct {
	sessionFlags

	since, html, prices            string
	clients, files                 []string
	json, redact, noGrid, inEditor bool
	record, here                   bool
}

func replayCommand(level *slog.LevelVar) *cobra.Command {
	f := &replayFlags{}
	c := runs(&cobra.Command{
		Use: "replay", Short: "Say what Winnow would have done with the conversations that your clients have kept",
		Long: `Reads the conversations that clients have kept on this machine, takes them message
by message through Winnow with your settings, beginning with nothing learned, and
says which of the calls that were made each message would have brought the tool
for, what the requests would have cost, and what would have got worse.

It starts no server, sends nothing anywhere, and keeps nothing but the report. The
report has your messages; -redact takes them out.`,
		Example: `  winnowd replay -since 30d
  winnowd replay -client claude,codex -html report.html
  winnowd replay -file opencode=export.json -redact -json
  winnowd replay -record -since 7d`,
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if !c.Flags().Changed("log") {
			level.Set(slog.LevelError + 1)
		}
		return f.run(ctx, c, log)
	})
	f.register(c, "the `folder` whose servers and rules are meant", "", "read the workspace's own files as those of a folder that you trust")
	set := c.Flags()
	set.StringVar(&f.since, "since", "90d", "how far back: a `time` such as 24h or 30d, or 2026-01-31")
	set.StringSliceVar(&f.clients, "client", nil, "only these `clients`: "+strings.Join(daemon.ReplayClients(), ", "))
	set.StringArrayVar(&f.files, "file", nil, "read this file in place of what is in a client's folder, as `CLIENT=PATH`; may be repeated")
	set.BoolVar(&f.here, "here", false, "only the conversations of the folder of -workspace")
	set.StringVar(&f.prices, "prices", "", "what a million tokens cost, as `INPUT,CACHE_READ,CACHE_WRITE` (default relative: 1,0.1,1.25)")
	set.StringVar(&f.html, "html", "", "write one page of HTML to this `file`, - for standard output")
	set.BoolVar(&f.json, "json", false, "write JSON")
	set.BoolVar(&f.redact, "redact", false, "leave out what you wrote")
	set.BoolVar(&f.record, "record", false, "sum up Winnow's own record of calls in place of clients' files: what happened")
	set.BoolVar(&f.noGrid, "no-grid", false, "try no other settings, which takes most of the time")
	set.BoolVar(&f.inEditor, "in-editor", false, "read what an editor says of its session from standard input, and write a page for it")
	_ = set.MarkHidden("in-editor") // fails for a flag that is not there
	return c
}

func (f *replayFlags) run(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
	since, err := parseSince(f.since, time.Now())
	if err != nil {
		return err
	}
	r := daemon.Replay{Since: since, Clients: f.clients, Grid: !f.noGrid, Redact: f.redact, Out: c.OutOrStdout(), Warn: c.ErrOrStderr(), Format: "text"}
	if err = f.session(c, &r); err != nil {
		return err
	}
	if f.here {
		if r.Here, err = f.folder(); err != nil {
			return err
		}
	}
	if r.Prices, err = readPrices(f.prices); err != nil {
		return err
	}
	if r.Files, err = filesByClient(f.files); err != nil {
		return err
	}
	switch {
	case f.json && f.html != "":
		return refuse(c, "writes -json or -html, not both")
	case f.json:
		r.Format = "json"
	case f.html != "":
		r.Format = "html"
	case f.inEditor:
		r.Format = "editor"
	}
	r.Record = f.record
	s := daemon.New(daemon.Options{Version: version, Log: log})
	if f.html == "" || f.html == "-" {
		return s.Replay(ctx, r)
	}
	page, err := os.OpenFile(f.html, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // it contains the user's messages
	if err != nil {
		return fmt.Errorf("-html: %w", err)
	}
	r.Out = page
	return errors.Join(s.Replay(ctx, r), page.Close())
}

// session sets the params that a host would send; in an editor they are read from it.
func (f *replayFlags) session(c *cobra.Command, r *daemon.Replay) error {
	if f.inEditor {
		said := struct {
			*protocol.InitializeParams
			Tools *[]daemon.ReplayTool `json:"tools"`
		}{&r.Initialize, &r.Tools}
		if err := json.NewDecoder(c.InOrStdin()).Decode(&said); err != nil {
			return fmt.Errorf("-in-editor: what standard input says of the session is of no use: %w", err)
		}
		return nil
	}
	folder, err := f.folder()
	if err == nil {
		r.Initialize, err = f.initialize(c.Name(), folder)
	}
	return err
}

// readPrices decodes -prices; the zero value if it is empty.
func readPrices(text string) (p daemon.ReplayPrices, err error) {
	if text == "" {
		return p, nil
	}
	n, err := fmt.Sscanf(text, "%g,%g,%g", &p.Input, &p.CacheRead, &p.CacheWrite)
	if err != nil || n != 3 || min(p.Input, p.CacheRead, p.CacheWrite) < 0 {
		return p, fmt.Errorf("-prices: %q is not three numbers such as 3,0.3,3.75", text)
	}
	return p, nil
}

// filesByClient decodes -file.
func filesByClient(given []string) (map[string][]string, error) {
	files := map[string][]string{}
	for _, one := range given {
		client, path, ok := strings.Cut(one, "=")
		if !ok || !slices.Contains(daemon.ReplayClients(), client) {
			return nil, fmt.Errorf("-file: %q is not a client and a path, such as opencode=export.json; the clients are %s",
				one, strings.Join(daemon.ReplayClients(), ", "))
		}
		files[client] = append(files[client], path)
	}
	return files, nil
}
