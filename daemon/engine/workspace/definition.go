package workspace

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// definition expands one server's definition, and returns what the server waits for.
func (w *Workspace) definition(s config.Server, lookup config.Lookup) (upstream.Config, protocol.Cause, config.Expanded) {
	expanded := config.Expand(s, lookup)
	d := expanded.Definition
	hold := holdOf(s, w.started.Load())
	found := true
	if s.Origin.Source.NeedsConsent() {
		d.Command, found = config.Program(d, lookup) // the program that was consented to
	}
	if isItself(d) {
		hold = protocol.Cause{Kind: protocol.CauseItself}
	}
	in := w.options.Settings.Load()
	sharing := sharing(s.Definition, d, in.Servers.IdleMinutes, w.Folders(), w.places.home)
	lazy, idle := starting(in, s.Name, sharing)
	return upstream.Config{
		Name:      s.Name,
		Transport: d.Transport,
		Command:   d.Command,
		Absent:    !found,
		Args:      d.Args,
		Env:       d.Env,
		Cwd:       d.Cwd,
		URL:       d.URL,
		Headers:   d.Headers,
		OAuth:     d.OAuth,
		Sandbox:   d.Sandbox,
		Sharing:   sharing,
		Disabled:  s.Disabled(),
		Hold:      upstream.Hold{Kind: string(hold.Kind), Text: reasons.Text(hold)},
		Lazy:      lazy,
		Idle:      idle,
		Asleep:    w.options.Asleep,
		Timeout:   s.Policy.Timeout,
	}, hold, expanded
}

// starting reports whether a server with known tools waits for its first call, and after
// how long without a call it stops; 0 means never. A server that is called for each
// message neither waits nor stops. A server that holds a client's state, or of which
// nothing is known, never stops.
func starting(in *protocol.Settings, server string, with upstream.Sharing) (lazy bool, idle time.Duration) {
	if slices.Contains(in.Gating.Servers, server) {
		return false, 0
	}
	if in.Servers.Start != protocol.StartEager && with.Known && (with.With == protocol.ShareUser || with.With == protocol.ShareFolder) {
		idle = with.Idle
	}
	return in.Servers.Start == protocol.StartLazy, idle
}

// sharing returns who uses the same process of a server.
func sharing(written, found config.Definition, minutes int, folders []Folder, home string) upstream.Sharing {
	switch {
	case found.Transport != config.Stdio:
		return upstream.Sharing{}
	case minutes == 0:
		return upstream.Sharing{With: protocol.ShareClient, Why: "winnow.servers.idleMinutes is 0"}
	}
	s := upstream.Sharing{Idle: time.Duration(minutes) * time.Minute}
	switch s.With, s.Why, s.Known = config.ShareOf(written, found); {
	case s.With == protocol.ShareFolder:
		for _, f := range folders {
			s.Folders = append(s.Folders, f.Path)
		}
	case s.With == protocol.ShareUser && written.Cwd == "" && found.Sandbox == nil:
		// A sandbox would expose the whole home folder to it.
		s.Dir = home
	}
	return s
}

// holdOf returns what a server waits for, or the zero cause if it may start.
func holdOf(s config.Server, started bool) protocol.Cause {
	file := s.Origin.Source.Path
	switch {
	case s.Invalid != nil:
		return protocol.Cause{Kind: protocol.CauseInvalid, Owner: file, Text: s.Invalid.String()}
	case s.Hold == config.HoldTrust:
		return protocol.Cause{Kind: protocol.CauseTrust, Owner: file}
	case s.Hold == config.HoldConsent:
		return protocol.Cause{Kind: protocol.CauseConsent, Owner: file}
	case s.Hold == config.HoldChanged:
		return protocol.Cause{Kind: protocol.CauseRedefined, Owner: file}
	case s.Hold == config.HoldDeclined:
		return protocol.Cause{Kind: protocol.CauseDeclined, Owner: file}
	case !started:
		return protocol.Cause{Kind: protocol.CauseStart}
	}
	return protocol.Cause{}
}

// lookup returns the values of variables. It reads each file and looks for each program
// once.
func (w *Workspace) lookup() config.Lookup {
	folders := w.Folders()
	named := make([]config.Folder, len(folders))
	for i, f := range folders {
		named[i] = config.Folder{Name: f.Name, Path: f.Path}
	}
	return config.Lookup{
		Env: w.options.Environ, Folders: named, Home: w.places.home, ReadFile: readOnce(), Program: findOnce(),
	}
}

// readOnce returns a function that caches the files it reads.
func readOnce() func(path string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := map[string]content{}
	return func(path string) ([]byte, error) {
		c, known := read[path]
		if !known {
			c.data, c.err = os.ReadFile(path)
			read[path] = c
		}
		return c.data, c.err
	}
}

// findOnce returns a function that caches the programs it finds.
func findOnce() func(command, dir string, env map[string]string) (string, error) {
	type place struct{ command, dir, path string }
	type program struct {
		path string
		err  error
	}
	found := map[place]program{}
	return func(command, dir string, env map[string]string) (string, error) {
		at := place{command, dir, env["PATH"]}
		p, known := found[at]
		if !known {
			p.path, p.err = process.FindProgram(command, dir, env)
			found[at] = p
		}
		return p.path, p.err
	}
}

// Input asks the user for the value of an `${input:…}` of a server.
func (w *Workspace) Input(ctx context.Context, server, id string) (string, error) {
	c := w.Configuration()
	s, _ := c.Server(server)
	in := c.Input(s, id)
	if !w.options.Host.Capabilities().Prompt {
		return "", errors.New("the host cannot ask for ${input:" + in.ID + "}; write the value into the environment, or use a host that prompts")
	}
	kind := protocol.InputPromptString
	if in.Pick {
		kind = protocol.InputPickString
	}
	return w.options.Host.Input(ctx, protocol.InputRequestParams{
		ID: in.ID, Server: s.Name, File: s.Origin.Source.Path, Workspace: s.Origin.Source.Scope == config.Workspace,
		Kind: kind, Description: in.Description,
		Password: in.Password, Default: in.Default, Options: in.Options,
	})
}

// Redirect asks the user whether a server's redirect to another server is followed, and
// returns an error if not. Consent is stored for all redirects between the two origins.
func (w *Workspace) Redirect(ctx context.Context, server, from, to string) error {
	const follow = "Follow it"
	s, _ := w.Configuration().Server(server)
	e := config.Entry{Name: s.Name, Origin: s.Origin}
	if w.consents.Redirects(e, origin(from), origin(to)) {
		return nil
	}
	if !w.options.Host.Capabilities().Prompt {
		return errors.New("this host cannot ask you")
	}
	// Without a file the host stores no answer.
	answer, err := w.options.Host.Input(ctx, protocol.InputRequestParams{
		ID: "redirect from " + origin(from) + " to " + origin(to), Server: s.Name,
		Kind: protocol.InputPickString, Options: []string{follow},
		Description: "It redirects from " + from + " to " + to + ", another server, which would get what is sent to this one",
	})
	switch {
	case err != nil:
		return err
	case answer != follow:
		return errors.New("you have not agreed")
	}
	w.asking().kept(w.consents.AllowRedirect(e, origin(from), origin(to)))
	return nil
}

// origin returns an address without its path.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
