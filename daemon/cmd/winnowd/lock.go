package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
)

// Exit codes of winnowd verify, in addition to 0 for no differences.
const (
	exitDrift    = 1
	exitUnproved = 2
)

// lockFlags are the flags of winnowd lock and winnowd verify.
type lockFlags struct {
	sessionFlags

	timeout time.Duration
}

func (f *lockFlags) register(c *cobra.Command) {
	f.sessionFlags.register(c, "the `folder` whose servers are looked at", "", "start the servers that the workspace's own files define")
	f.registerConsents(c)
	c.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "how long servers may take to come up")
}

func lockCommand(level *slog.LevelVar) *cobra.Command {
	f := &lockFlags{}
	var update, approve bool
	var forget, capture string
	c := runs(&cobra.Command{
		Use: "lock", Short: "Write winnow.lock.json in the workspace folder",
		Long: `Writes winnow.lock.json in the workspace folder: a hash of what each server that
the workspace's files define says of its tools. Commit it, and let winnowd verify
tell when a server says something else.`,
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if forget != "" {
			return f.forget(c, forget)
		}
		if !update && capture == "" {
			return refuse(c, "needs -update, which writes the file, -capture or -forget (%s verify compares)", daemon.Name)
		}
		server, l, err := f.session("lock", log)
		if err != nil {
			return err
		}
		if capture != "" {
			return captureOffers(ctx, c, server, l, capture)
		}
		l.Approve = approve
		path, err := server.UpdateLock(ctx, l)
		if err != nil {
			return fmt.Errorf("winnowd lock: %w", err)
		}
		_, err = fmt.Fprintln(c.OutOrStdout(), "Wrote", path)
		return err
	})
	f.register(c)
	c.Flags().BoolVar(&update, "update", false, "write the file")
	c.Flags().StringVar(&forget, "forget", "", "forget what your own lock holds of this `server`, in place of writing the file: what it says next counts as seen for the first time")
	c.Flags().StringVar(&capture, "capture", "", "write what the servers offer to this `file` instead, for winnowd verify -capture where they cannot be started")
	c.MarkFlagsMutuallyExclusive("update", "forget", "capture")
	c.Flags().BoolVar(&approve, "approve", false, "mark all in it as approved, so that what servers say of the harm their tools do counts for those who use the file")
	return c
}

// captureOffers writes what the servers offer to a file.
func captureOffers(ctx context.Context, c *cobra.Command, server *daemon.Server, l daemon.Lock, file string) error {
	l.Capture = file
	if err := server.Capture(ctx, l); err != nil {
		return fmt.Errorf("winnowd lock: %w", err)
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), "Wrote", file)
	return err
}

// forget removes a server from the user's own lock.
func (f *lockFlags) forget(c *cobra.Command, server string) error {
	folder, err := f.folder()
	if err != nil {
		return err
	}
	initialize, err := f.initialize("lock", folder)
	if err != nil {
		return err
	}
	if err := daemon.ForgetLock(initialize.StoragePath, server); err != nil {
		return fmt.Errorf("winnowd lock: %w", err)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "Forgot what was locked of %s. Start the sessions anew that use it.\n", server)
	return err
}

func verifyCommand(level *slog.LevelVar) *cobra.Command {
	f := &lockFlags{}
	var format, capture string
	c := runs(&cobra.Command{
		Use: "verify", Short: "Compare the servers of the workspace with winnow.lock.json",
		Long: `Compares what the servers of the workspace's files offer with winnow.lock.json.
It ends with 0 when they are as they are locked, 1 when they are not, and 2 when
that could not be found out.`,
	}, level, func(ctx context.Context, c *cobra.Command, log *slog.Logger) error {
		if !slices.Contains(daemon.LockFormats(), format) {
			return refuse(c, "cannot be run: -format is %q, and can be %s", format, strings.Join(daemon.LockFormats(), ", "))
		}
		return f.verify(ctx, log, format, capture)
	})
	f.register(c)
	c.Flags().StringVar(&capture, "capture", "", "compare what winnowd lock -capture wrote to this `file`, and start no server")
	c.Flags().StringVar(&format, "format", "text", "how to report: "+strings.Join(daemon.LockFormats(), ", "))
	return c
}

// verify compares the servers with the lock file.
func (f *lockFlags) verify(ctx context.Context, log *slog.Logger, format, capture string) error {
	server, l, err := f.session("verify", log)
	if err != nil {
		return exitError{exitUnproved, err}
	}
	l.Capture = capture
	drift, err := server.Verify(ctx, l, os.Stdout, format)
	switch {
	case err != nil:
		return exitError{exitUnproved, fmt.Errorf("winnowd verify: %w", err)}
	case drift:
		return exitError{code: exitDrift}
	}
	return nil
}

// session returns the session that the flags specify.
func (f *lockFlags) session(command string, log *slog.Logger) (*daemon.Server, daemon.Lock, error) {
	folder, err := f.folder()
	if err != nil {
		return nil, daemon.Lock{}, err
	}
	initialize, err := f.initialize(command, folder)
	if err != nil {
		return nil, daemon.Lock{}, err
	}
	consents, err := f.consentFiles()
	return daemon.New(daemon.Options{Version: version, Log: log}), daemon.Lock{
		Initialize: initialize, Consents: consents, Folder: folder, Timeout: f.timeout,
	}, err
}
