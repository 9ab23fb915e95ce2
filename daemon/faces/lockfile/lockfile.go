package lockfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// Options are common to [Update], [Capture] and [Verify].
type Options struct {
	// Initialize replaces the params that a host sends: one folder, and whether it is
	// trusted.
	Initialize protocol.InitializeParams
	// Consents are configuration files of other clients whose servers may start.
	Consents []string
	// Folder is the workspace folder's path.
	Folder string
	// Approve marks everything as approved, so that the servers' tool annotations count
	// for users of the file.
	Approve bool
	// Capture is a file of what the servers offer. [Capture] writes it; [Verify] reads it
	// instead of starting the servers. It may be empty.
	Capture string
	// Timeout bounds the wait for servers.
	Timeout time.Duration
	Log     *slog.Logger
	// ShutdownTime bounds the shutdown of the servers.
	ShutdownTime time.Duration
}

// Update rewrites the lock file and returns its path. Unchanged entries keep their state.
// If a server does not become ready, it returns an error and does not write: the server's
// entries would be lost.
func Update(ctx context.Context, eo engine.Options, o *Options) (path string, err error) {
	looked, err := look(ctx, eo, o)
	if err != nil {
		return "", err
	}
	now, err := looked.locked()
	if err != nil {
		return "", err
	}
	path = filepath.Join(o.Folder, lock.FileName)
	before, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.Log.Warn("the lock is written anew, and what was approved in it is forgotten", "error", err)
	}
	keepStates(before, now, o.Approve)
	data, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return "", err
	}
	const mode = 0o644 // it is committed
	return path, atomicfile.Write(path, append(data, '\n'), mode)
}

// Capture writes what the servers offer to a file, for a [Verify] that cannot start them.
func Capture(ctx context.Context, eo engine.Options, o *Options) error {
	looked, err := look(ctx, eo, o)
	if err != nil {
		return err
	}
	return looked.write(o.Capture)
}

// Verify returns how the servers, or their capture, differ from the lock file. On an
// error the result is unknown.
func Verify(ctx context.Context, eo engine.Options, o *Options) ([]lock.Difference, error) {
	locked, err := readFile(filepath.Join(o.Folder, lock.FileName))
	if err != nil {
		return nil, err
	}
	looked, err := o.offered(ctx, eo)
	if err != nil {
		return nil, err
	}
	now, err := looked.locked()
	if err != nil {
		return nil, err
	}
	return lock.Compare(locked, now), nil
}

// offered returns the saved capture, or what the servers offer now.
func (o *Options) offered(ctx context.Context, eo engine.Options) (*capture, error) {
	if o.Capture != "" {
		return readCapture(o.Capture)
	}
	return look(ctx, eo, o)
}

// keepStates copies the states of unchanged entries. If approve is set, it approves all.
func keepStates(before, now *lock.File, approve bool) {
	state := func(entry lock.Entry, was lock.Entry, known bool) lock.Entry {
		entry.State = protocol.LockSeen
		if approve || known && was.Same(entry) && was.State == protocol.LockApproved {
			entry.State = protocol.LockApproved
		}
		return entry
	}
	for name, server := range now.Servers {
		var old lock.Server
		if before != nil {
			old = before.Servers[name]
		}
		for tool, entry := range server.Tools {
			was, known := old.Tools[tool]
			server.Tools[tool] = state(entry, was, known)
		}
		for prompt, entry := range server.Prompts {
			was, known := old.Prompts[prompt]
			server.Prompts[prompt] = state(entry, was, known)
		}
	}
}

// readFile reads a lock file. Its errors contain the path.
func readFile(path string) (*lock.File, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; write it by `winnowd lock -update`, and commit it (%w)", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	file, err := lock.DecodeFile(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// look starts the servers of the workspace and returns what they offer.
func look(ctx context.Context, eo engine.Options, o *Options) (*capture, error) {
	e := engine.Open(eo, host.Logging{Log: o.Log}, &o.Initialize)
	looked, err := capturing(ctx, e, o)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.ShutdownTime)
	defer cancel()
	return looked, errors.Join(err, e.Close(end))
}

func capturing(ctx context.Context, e *engine.Engine, o *Options) (*capture, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	if err := e.ConsentBySwitch(o.Consents); err != nil {
		return nil, err
	}
	e.Start()
	if err := e.Settle(ctx); err != nil {
		return nil, err
	}
	for _, fault := range e.Workspace.Configuration().Faults() {
		if fault.Warning {
			continue
		}
		if below, err := filepath.Rel(o.Folder, fault.File); err == nil && filepath.IsLocal(below) {
			return nil, fmt.Errorf("%s, line %d: %s: what it defines is not known; mend the file first", fault.File, fault.Line, fault.Message)
		}
	}
	ours := map[string]bool{}
	for _, server := range e.Workspace.Configuration().OfWorkspace() {
		ours[server] = true
	}
	if err := awaitReady(ctx, e, ours); err != nil {
		return nil, err
	}
	looked := &capture{Version: captureVersion, Servers: map[string]capturedServer{}}
	servers := e.Upstream.Snapshot().Servers
	for i := range servers {
		server := &servers[i]
		if !ours[server.Name] {
			continue
		}
		captured, err := captureServer(ctx, e, o, server)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", server.Name, err)
		}
		looked.Servers[server.Name] = captured
	}
	return looked, nil
}

// captureServer returns what a server offers.
func captureServer(ctx context.Context, e *engine.Engine, o *Options, server *upstream.ServerSnapshot) (capturedServer, error) {
	captured := capturedServer{
		Origin:          e.Workspace.Configuration().Locked(server.Name).Origin,
		ReportedVersion: server.Info.Version, Instructions: server.Instructions,
		Tools: make([]json.RawMessage, len(server.Tools)),
	}
	installed := npm{folder: o.Folder, home: e.Workspace.Home(), environ: os.LookupEnv}
	captured.Origin.Package, captured.Origin.Integrity = installed.installed(captured.Origin.Package)
	for i := range server.Tools {
		captured.Tools[i] = server.Tools[i].Raw
	}
	var capabilities struct {
		Prompts json.RawMessage `json:"prompts"`
	}
	if json.Unmarshal(server.Capabilities, &capabilities) != nil || len(capabilities.Prompts) == 0 {
		return captured, nil
	}
	prompts, err := e.Offers.RawPrompts(ctx, server.Name)
	if err != nil {
		return captured, fmt.Errorf("its prompts cannot be listed: %w", err)
	}
	captured.Prompts = prompts
	return captured, nil
}

// awaitReady waits until each server is ready. It returns an error with the next step if
// one fails or waits for the user.
func awaitReady(ctx context.Context, e *engine.Engine, ours map[string]bool) error {
	for {
		changed := e.Changes.Wait()
		list, err := e.Catalog.List(&protocol.CatalogListParams{ServersOnly: true})
		if err != nil {
			return err
		}
		var waiting []string
		for i := range list.Servers {
			server := &list.Servers[i]
			if !ours[server.Name] {
				continue
			}
			switch server.State {
			case protocol.ServerReady, protocol.ServerDisabled:
			case protocol.ServerConfigured, protocol.ServerKnown, protocol.ServerStarting:
				waiting = append(waiting, server.Name)
			case protocol.ServerWaitingForTrust:
				return fmt.Errorf("server %q does not start: nobody has said that the workspace is trusted; use -trust", server.Name)
			case protocol.ServerWaitingForConsent:
				return fmt.Errorf("server %q does not start: another client's file defines it; use -consent %s", server.Name, server.File)
			default:
				return fmt.Errorf("server %q cannot be looked at, it is %s: %s", server.Name, server.State, server.Error)
			}
		}
		if len(waiting) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("servers %q were not ready in time; raise -timeout, or see why with -log debug", waiting)
		}
	}
}
