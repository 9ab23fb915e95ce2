package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

// peopleFlags are the flags of the commands for terminals.
type peopleFlags struct {
	sessionFlags

	json, start bool
	timeout     time.Duration
}

// command makes c a command for terminals. Errors of servers are in its output, so the
// log is off unless -log is set.
func (f *peopleFlags) command(c *cobra.Command, level *slog.LevelVar, do func(ctx context.Context, s *daemon.Server, t daemon.Terminal, args []string) error) *cobra.Command {
	run := runs(c, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if !c.Flags().Changed("log") {
			level.Set(slog.LevelError + 1)
		}
		t, err := f.terminal(c, log)
		if err != nil {
			return err
		}
		return do(ctx, daemon.New(daemon.Options{Version: version, Log: log, Holder: holderOf()}), t, c.Flags().Args())
	})
	f.register(run, "the `folder` whose servers are meant", "", "start the servers that the workspace's own files define")
	f.registerConsents(run)
	run.Flags().BoolVar(&f.json, "json", false, "write JSON")
	run.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "how long servers may take to come up")
	return run
}

// terminal returns the options that the flags specify.
func (f *peopleFlags) terminal(c *cobra.Command, log *slog.Logger) (daemon.Terminal, error) {
	folder, err := f.folder()
	if err != nil {
		return daemon.Terminal{}, err
	}
	initialize, err := f.initialize(c.Name(), folder)
	if err != nil {
		return daemon.Terminal{}, err
	}
	consents, err := f.consentFiles()
	return daemon.Terminal{
		Initialize: initialize, Consents: consents, Timeout: f.timeout, Log: log, JSON: f.json, Out: c.OutOrStdout(),
		Running: func() (bool, error) { return running(folder) }, Start: f.start, Progress: f.progress(c),
		Shared: func() ([]holder.Process, error) { return holder.List(c.Context(), socket.Place{}) },
	}, err
}

// progress returns the writer for progress: standard error, or nil with -json.
func (f *peopleFlags) progress(c *cobra.Command) io.Writer {
	if f.json {
		return nil
	}
	return c.ErrOrStderr()
}

// startFlag adds the flag for commands that otherwise use saved data.
func (f *peopleFlags) startFlag(c *cobra.Command) {
	c.Flags().BoolVar(&f.start, "start", false, "start the servers first, not only those that are called")
}

// running reports whether a daemon of the workspace runs.
func running(folder string) (bool, error) {
	c, err := socket.Dial(socket.Place{}, folder)
	switch {
	case errors.Is(err, socket.ErrNoDaemon):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, c.Close()
}

func serversCommand(level *slog.LevelVar) *cobra.Command {
	f := &peopleFlags{}
	var tools bool
	c := f.command(&cobra.Command{
		Use: "servers [SERVER]", Short: "List the servers, how each is, and what its tools cost", Args: cobra.MaximumNArgs(1),
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, args []string) error {
		return s.Servers(ctx, t, strings.Join(args, ""), tools)
	})
	c.Flags().BoolVar(&tools, "tools", false, "list their tools too")
	f.startFlag(c)
	return c
}

func whyCommand(level *slog.LevelVar) *cobra.Command {
	f := &peopleFlags{}
	var tool string
	c := f.command(&cobra.Command{
		Use: "why MESSAGE", Short: "Say which tools a task that begins with a message gets, and why each",
		Example: `  winnowd why "take a screenshot of the start page"
  winnowd why -tool filesystem/write_file "what is in my notes?"`,
		Args: cobra.MinimumNArgs(1),
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, args []string) error {
		return s.Why(ctx, t, strings.Join(args, " "), tool)
	})
	c.Flags().StringVar(&tool, "tool", "", "explain only this `tool`, as SERVER/TOOL, attached or not")
	f.startFlag(c)
	return c
}

func callCommand(level *slog.LevelVar) *cobra.Command {
	f := &peopleFlags{}
	var yes bool
	c := f.command(&cobra.Command{
		Use: "call SERVER/TOOL [ARGUMENTS]", Short: "Call a tool, with arguments that are a JSON object or - for standard input",
		Long: `Calls a tool, with arguments that are a JSON object, or - to read them from
standard input. A tool that may write is confirmed first, and one that only its
server says to read, unless alwaysAllow or -yes says so. It ends with 1 when the tool reports an error.`,
		Example: `  winnowd call filesystem/read_text_file '{"path": "notes.md"}'`,
		Args:    cobra.RangeArgs(1, 2),
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, args []string) error {
		t.Confirm = confirm
		if yes {
			t.Confirm = func(daemon.Confirmation) error { return nil }
		}
		var arguments json.RawMessage
		if len(args) > 1 {
			arguments = json.RawMessage(args[1])
		}
		if string(arguments) == "-" {
			read, err := io.ReadAll(os.Stdin)
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			arguments = read
		}
		err := s.CallTool(ctx, t, args[0], arguments)
		if errors.Is(err, daemon.ErrToolFailed) {
			return exitError{code: 1} // the tool's output is written
		}
		return err
	})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before a tool that may write")
	return c
}

// confirm asks at the terminal.
func confirm(c daemon.Confirmation) error {
	why := "This may write."
	if c.SaysItReads {
		why = "Its server says that it only reads, and nobody has approved that."
	}
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return fmt.Errorf("%s\n%s There is no terminal to ask at; say -yes", c.Call, why)
	}
	fmt.Fprintf(os.Stderr, "%s\n%s Call it? [y/N] ", c.Call, why)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("not called")
	}
	return nil
}

func approvalsCommand(level *slog.LevelVar) *cobra.Command {
	f := &peopleFlags{}
	c := f.command(&cobra.Command{
		Use: "approvals", Short: "List what you have said yes to, with since when",
		Long: `Lists every yes that is remembered: tools that run without asking, servers that
may start or see your messages, what you approved of the lock. It starts no
server. What an editor remembers is in its own storage: give its folder by
-storage, or use the command Show What You Allowed there.`,
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, _ []string) error {
		return s.Approvals(ctx, t, nil)
	})
	r := &peopleFlags{}
	c.AddCommand(r.command(&cobra.Command{
		Use: "revoke ID…", Short: "Take back what has one of these IDs in the list", Args: cobra.MinimumNArgs(1),
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, ids []string) error {
		return s.Approvals(ctx, t, ids)
	}))
	return c
}

func doctorCommand(level *slog.LevelVar) *cobra.Command {
	f := &peopleFlags{}
	return f.command(&cobra.Command{
		Use: "doctor", Short: "Say which files are read, how each server is, what is wrong and what to do",
		Long: `Says which files are read, how each server is, what is wrong and what to do. It
ends with 1 when something is wrong. It is made for reports: it names files and
servers, and has the last lines of servers that have failed, without the secrets
of their entries and what looks like others. Look at those lines before you
share them.`,
	}, level, func(ctx context.Context, s *daemon.Server, t daemon.Terminal, _ []string) error {
		err := s.Doctor(ctx, t)
		if errors.Is(err, daemon.ErrProblems) {
			return exitError{code: 1}
		}
		return err
	})
}
