package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon/check"
	"github.com/winnow-mcp/winnow/daemon/check/source"
	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/protocol"
)

// Exit codes of winnowd check, in addition to 0.
const (
	exitFindings  = 1
	exitUnchecked = 2
)

// checkFlags are the flags of winnowd check.
type checkFlags struct {
	name, messages, baseline, writeBaseline, failOn string
	env, headers                                    []string
	json, sarif, sandbox                            bool
	budget                                          int
	timeout                                         time.Duration
}

func checkOfServer(level *slog.LevelVar) *cobra.Command {
	f := &checkFlags{}
	c := runs(&cobra.Command{
		Use: "check [flags] -- COMMAND [ARGUMENT…] | URL | FILE", Short: "Say what clients and models make of a server's tools, for who writes it",
		Long: `Starts a server, connects to one, or reads what one answered to tools/list, and
says what each tool costs and what of that no model needs, which names and schemas
clients refuse or cut, which tools are mistaken for each other, whether each is
found for its own messages, alone and among a thousand tools of others, and what
changed since the last release. What it proposes was tried on a copy.

It ends with 0, with 1 where there is a finding of -fail-on, and with 2 where the
server could not be looked at.`,
		Example: `  winnowd check -- npx -y my-server
  winnowd check -messages messages.jsonl -baseline check.json -fail-on warning -- npx -y my-server
  winnowd check -sarif tools.json`,
		Args: cobra.MinimumNArgs(1),
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if !c.Flags().Changed("log") {
			level.Set(slog.LevelError + 1)
		}
		return f.run(ctx, c, log)
	})
	set := c.Flags()
	set.StringVar(&f.name, "name", "", "what people call the server (default: made of the command)")
	set.StringVar(&f.messages, "messages", "", "a `file` of messages and the tools that they need: a line each, such as {\"query\": \"close issue 7\", \"gold\": [\"close_issue\"]}")
	set.StringVar(&f.baseline, "baseline", "", "compare with this `file` that an earlier release has written")
	set.StringVar(&f.writeBaseline, "write-baseline", "", "write what was found to this `file` for a later -baseline")
	set.StringVar(&f.failOn, "fail-on", string(check.Error), "end with 1 from this `level` on: error, warning, note or never")
	set.StringArrayVar(&f.env, "env", nil, "what the command finds in its environment, as `NAME=VALUE`; may be repeated")
	set.StringArrayVar(&f.headers, "header", nil, "sent to the URL, as `NAME=VALUE`; may be repeated")
	set.BoolVar(&f.sandbox, "sandbox", false, "start the command without the network and without your files")
	set.IntVar(&f.budget, "budget", 0, "how many tokens all tools may cost; 0 is any number")
	set.BoolVar(&f.json, "json", false, "write JSON")
	set.BoolVar(&f.sarif, "sarif", false, "write SARIF 2.1.0, which code hosts show beside the file")
	set.DurationVar(&f.timeout, "timeout", time.Minute, "how long the server may take to come up")
	c.MarkFlagsMutuallyExclusive("json", "sarif")
	return c
}

func (f *checkFlags) run(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
	on := check.Level(f.failOn)
	if on != check.Never && !slices.Contains(check.Levels(), on) {
		return refuse(c, "-fail-on: %q is none of error, warning, note and never", f.failOn)
	}
	report, offer, err := f.look(ctx, c.Flags().Args(), log)
	if err != nil {
		return exitError{code: exitUnchecked, err: fmt.Errorf("winnowd check: %w", err)}
	}
	if f.writeBaseline != "" {
		err = writeFile(f.writeBaseline, func(w io.Writer) error { return codec.Write(w, report) })
	}
	if err == nil {
		err = f.print(c.OutOrStdout(), report, &offer)
	}
	if err != nil {
		return exitError{code: exitUnchecked, err: fmt.Errorf("winnowd check: %w", err)}
	}
	if report.Fails(on) {
		return exitError{code: exitFindings}
	}
	return nil
}

func (f *checkFlags) print(w io.Writer, report *check.Report, offer *check.Offer) error {
	switch {
	case f.json:
		return codec.Write(w, report)
	case f.sarif:
		return report.WriteSARIF(w, version, offer.File, offer.Places)
	}
	return report.WriteText(w)
}

// look reads the messages and the baseline, and inspects the server.
func (f *checkFlags) look(ctx context.Context, target []string, log *slog.Logger) (*check.Report, check.Offer, error) {
	o := check.Options{Budget: f.budget}
	if f.messages != "" {
		data, err := os.ReadFile(f.messages)
		if err == nil {
			o.Messages, err = check.ReadMessages(data)
		}
		if err != nil {
			return nil, check.Offer{}, fmt.Errorf("-messages %s: %w", f.messages, err)
		}
		o.MessagesFrom = f.messages
	}
	if f.baseline != "" {
		data, err := os.ReadFile(f.baseline)
		if err == nil {
			o.Baseline, err = check.ReadBaseline(data)
		}
		if err != nil {
			return nil, check.Offer{}, fmt.Errorf("-baseline %s: %w", f.baseline, err)
		}
	}
	env, err1 := pairs("-env", f.env)
	headers, err2 := pairs("-header", f.headers)
	if err := errors.Join(err1, err2); err != nil {
		return nil, check.Offer{}, err
	}
	ask := source.Options{Target: target, Name: f.name, Env: env, Headers: headers, Timeout: f.timeout, Version: version, Log: log}
	if f.sandbox {
		ask.Sandbox = &protocol.SandboxEntry{}
	}
	var err error
	if o.Offer, err = source.Read(ctx, &ask); err != nil {
		return nil, o.Offer, err
	}
	report, err := check.Run(&o)
	return report, o.Offer, err
}

// pairs decodes NAME=VALUE pairs.
func pairs(flag string, given []string) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range given {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%s: %q is not NAME=VALUE", flag, name)
		}
		all[name] = value
	}
	return all, nil
}

// writeFile writes a new file.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
