package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon"
)

// Exit codes of winnowd verify, besides 0 for servers that are as they are
// locked.
const (
	exitDrift    = 1
	exitUnproved = 2
)

const lockUsage = `Usage: winnowd lock -update [flags]

Writes winnow.lock.json in the workspace folder: a hash of what each server that
the workspace's files define says of its tools. Commit it, and let winnowd verify
tell when a server says something else.

`

const verifyUsage = `Usage: winnowd verify [flags]

Compares what the servers of the workspace's files offer with winnow.lock.json.
It ends with 0 when they are as they are locked, 1 when they are not, and 2 when
that could not be found out.

`

// lockFlags are the flags of winnowd lock and winnowd verify.
type lockFlags struct {
	sessionFlags

	update   bool
	format   string
	timeout  time.Duration
	consents []string
}

func parseLock(command, usage string, args []string) (*lockFlags, error) {
	f := &lockFlags{}
	set := flag.NewFlagSet(daemon.Name+" "+command, flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), usage)
		set.PrintDefaults()
	}
	f.register(set, "the `folder` whose servers are looked at", "", "start the servers that the workspace's own files define")
	set.DurationVar(&f.timeout, "timeout", time.Minute, "how long servers may take to come up")
	set.Func("consent", "start the servers of this `file` of another client's; may be repeated, and is remembered", func(path string) error {
		absolute, err := filepath.Abs(path)
		f.consents = append(f.consents, absolute)
		return err
	})
	if command == "lock" {
		set.BoolVar(&f.update, "update", false, "write the file")
	} else {
		set.StringVar(&f.format, "format", "text", "how to report: "+strings.Join(daemon.LockFormats(), ", "))
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	var err error
	switch {
	case set.NArg() > 0:
		err = fmt.Errorf("%s takes no arguments besides its flags, not %q", set.Name(), set.Arg(0))
	case command == "lock" && !f.update:
		err = fmt.Errorf("%s needs -update, which writes the file; %s verify compares", set.Name(), daemon.Name)
	case command == "verify" && !slices.Contains(daemon.LockFormats(), f.format):
		err = fmt.Errorf("%s: -format is %q, and can be %s", set.Name(), f.format, strings.Join(daemon.LockFormats(), ", "))
	}
	if err != nil {
		fmt.Fprintln(set.Output(), err)
	}
	return f, err
}

// session returns the session that the flags mean.
func (f *lockFlags) session(command string, log *slog.Logger) (*daemon.Server, daemon.Lock, error) {
	folder, err := f.folder()
	if err != nil {
		return nil, daemon.Lock{}, err
	}
	initialize, err := f.initialize(command, folder)
	return daemon.New(daemon.Options{Version: version, Log: log}), daemon.Lock{
		Initialize: initialize, Consents: f.consents, Folder: folder, Timeout: f.timeout,
	}, err
}

// runLock writes the lock file, and returns the exit code.
func runLock(args []string) int {
	f, err := parseLock("lock", lockUsage, args)
	if err != nil {
		return usageExit(err)
	}
	log := newLog(f.level)
	ctx, stop := untilSignalled()
	defer stop()
	path, err := f.updateLock(ctx, log)
	if err != nil {
		fmt.Fprintln(os.Stderr, "winnowd lock:", err)
		return 1
	}
	fmt.Println("Wrote", path)
	return 0
}

func (f *lockFlags) updateLock(ctx context.Context, log *slog.Logger) (string, error) {
	server, l, err := f.session("lock", log)
	if err != nil {
		return "", err
	}
	return server.UpdateLock(ctx, l)
}

// runVerify compares with the lock file, and returns the exit code.
func runVerify(args []string) int {
	f, err := parseLock("verify", verifyUsage, args)
	if err != nil {
		return usageExit(err)
	}
	log := newLog(f.level)
	ctx, stop := untilSignalled()
	defer stop()
	drift, err := f.verify(ctx, log)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "winnowd verify:", err)
		return exitUnproved
	case drift:
		return exitDrift
	}
	return 0
}

func (f *lockFlags) verify(ctx context.Context, log *slog.Logger) (drift bool, err error) {
	server, l, err := f.session("verify", log)
	if err != nil {
		return false, err
	}
	return server.Verify(ctx, l, os.Stdout, f.format)
}

// usageExit is the exit code for flags that were not understood, or asked for
// help.
func usageExit(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	return exitUsage
}
