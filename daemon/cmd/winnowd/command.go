package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
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
		return do(ctx, c, newLog(level))
	}
	return c
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return refuse(c, "takes no arguments besides its flags, not %q", args[0])
	}
	return nil
}

// twoDashes gives long flags with one dash two, as the library wants them: what is configured in other clients since the first
// version writes -workspace, as Go's own package flag does.
func twoDashes(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if len(arg) > 2 && arg[0] == '-' && unicode.IsLetter(rune(arg[1])) {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
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

// ended is the end with code 1 for an error that was told already.
func ended(err error) error {
	if err == nil {
		return nil
	}
	return exitError{code: 1}
}

// exitCode prints an error that was not yet told, and returns the code that it
// ends the process with.
func exitCode(err error) int {
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
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}
