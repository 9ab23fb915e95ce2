package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/plainwords"
)

// exitUsage is the exit code for an invalid command line.
const exitUsage = 2

// run runs a command. The context ends when the process is signalled to end.
type run func(ctx context.Context, c *cobra.Command, log *slog.Logger) error

// runs sets the function of a command. Unless c.Args is set, the command takes no
// arguments. level is the level of the log.
func runs(c *cobra.Command, level *slog.LevelVar, do run) *cobra.Command {
	if c.Args == nil {
		c.Args = noArguments
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		log := newLog(level)
		return do(ctx, c, log)
	}
	return c
}

// userDir returns the user's folder for Winnow in the configuration folder.
func userDir(config string) string { return filepath.Join(config, "winnow") }

// noArguments returns an error if there are arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return refuse(c, "takes no arguments besides its flags, not %q", args[0])
	}
	return nil
}

// twoDashes adds a dash to long flags with one dash, because cobra requires two. Since
// the first version, configurations of other clients use -workspace, as Go's flag package
// does. Values of flags and everything after "--" stay.
func twoDashes(c *cobra.Command, args []string) []string {
	out := slices.Clone(args)
	for i := 0; i < len(out) && out[i] != "--"; i++ {
		name := strings.TrimLeft(out[i], "-")
		if name == out[i] {
			c = subcommand(c, name)
			continue
		}
		if len(out[i]) == 1+len(name) && len(name) > 1 && unicode.IsLetter(rune(name[0])) {
			out[i] = "-" + out[i]
		}
		if f := c.Flag(name); f != nil && f.NoOptDefVal == "" {
			i++ // skip its value; a flag written with "=" is not found here
		}
	}
	return out
}

// subcommand returns the command with a name below c, or c if there is none.
func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return c
}

// exitError ends the process with a code. If err is nil, the message was printed already.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap supports package errors.
func (e exitError) Unwrap() error { return e.err }

// refuse returns the error for an invalid command line.
func refuse(c *cobra.Command, format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf("%s %s; %s -help says what it takes", c.CommandPath(), fmt.Sprintf(format, args...), c.CommandPath())}
}

// logged logs an error, because the program that started winnowd reads the log, and
// returns the process's error.
func logged(log *slog.Logger, err error) error {
	if err == nil || errors.Is(err, daemon.ErrNoShutdown) {
		return ended(err)
	}
	log.Error("session ended", "error", err)
	return ended(err)
}

// ended returns the error that exits with code 1 without a message.
func ended(err error) error {
	if err == nil {
		return nil
	}
	return exitError{code: 1}
}

// exitCode prints an error unless it was printed, and returns the exit code.
func exitCode(err error, out io.Writer) int {
	if err == nil {
		return 0
	}
	code := 1
	var exit exitError
	if errors.As(err, &exit) {
		code = exit.code
		err = exit.err
	}
	if err != nil {
		// The error may contain names from a workspace's files.
		fmt.Fprintln(out, hiddentext.Printable(plainwords.Of(err)))
	}
	return code
}
