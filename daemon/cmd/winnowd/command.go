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

// exitUsage is the exit code for a command line that is not understood.
const exitUsage = 2

// run is what a command does, with a context that ends when the process is
// asked to.
type run func(ctx context.Context, c *cobra.Command, log *slog.Logger) error

// runs makes a command do what do does, and take no arguments besides its flags
// unless it says which. level is that of the log.
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

// userDir is the user's folder for Winnow in the folder for the configuration of
// programs.
func userDir(config string) string { return filepath.Join(config, "winnow") }

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return refuse(c, "takes no arguments besides its flags, not %q", args[0])
	}
	return nil
}

// twoDashes gives long flags with one dash two, as the library wants them: what
// is configured in other clients since the first version writes -workspace, as
// Go's own package flag does. The value of a flag stays as it is, and all behind
// "--" does.
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
			i++ // its value; with "=" it would not be found
		}
	}
	return out
}

// subcommand is the command of a name below another, which itself stands for
// none.
func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return c
}

// exitError ends the process with a code of its own. The message has been
// printed where err is nil.
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

// Unwrap is for package errors.
func (e exitError) Unwrap() error { return e.err }

// refuse is the error for a command line that is not understood.
func refuse(c *cobra.Command, format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf("%s %s; %s -help says what it takes", c.CommandPath(), fmt.Sprintf(format, args...), c.CommandPath())}
}

// logged tells an error in the log, where the program that has started winnowd
// looks, and returns what the process ends with.
func logged(log *slog.Logger, err error) error {
	if err == nil || errors.Is(err, daemon.ErrNoShutdown) {
		return ended(err)
	}
	log.Error("session ended", "error", err)
	return ended(err)
}

// ended is the end with code 1 for an error that was printed already.
func ended(err error) error {
	if err == nil {
		return nil
	}
	return exitError{code: 1}
}

// exitCode prints an error that was not yet printed, and returns the code that it
// ends the process with.
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
		// It may repeat names out of a workspace's files.
		fmt.Fprintln(out, hiddentext.Printable(plainwords.Of(err)))
	}
	return code
}
