package daemon

import (
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// holdStart keeps servers from starting before the host takes requests.
const holdStart = "starts when the host is ready"

// configured is what the files say, as the router and the servers need it. It
// is immutable.
type configured struct {
	config config.Config
	// modes holds the policy of each mode by slug; "" is no mode.
	modes map[string]*router.Mode
	// servers holds what is run, in the order of config.Servers.
	servers []upstream.Config
}

// policy returns what the files say about a server's tools.
func (c *configured) policy(name string) router.Policy {
	s, ok := c.config.Server(name)
	if !ok {
		if s, ok = c.config.Policy(name); !ok {
			return router.Policy{}
		}
	}
	p := router.Policy{
		Disabled:      s.Disabled(),
		OnlyAllow:     s.Policy.OnlyAllow,
		DisabledTools: s.Policy.DisabledTools,
		Overrides:     s.Policy.DescriptionOverrides,
	}
	if load := s.Policy.AlwaysLoad; load != nil {
		p.AlwaysLoad, p.AlwaysLoadTools = load.All, load.Tools
	}
	return p
}

// hold returns what a server waits for; empty when it may start.
func (c *configured) hold(name string) string {
	i := slices.IndexFunc(c.servers, func(s upstream.Config) bool { return s.Name == name })
	if i < 0 {
		return ""
	}
	return c.servers[i].Hold
}

// reconfigure reads the configuration in force and makes the servers follow
// it. Servers whose definition is unchanged are not touched.
func (w *workspace) reconfigure() {
	merged := config.Merge(w.files.Files(), config.MergeOptions{
		Trusted: w.trusted.Load(),
		Consent: w.consents.Get,
	})
	next := &configured{config: merged, modes: w.modesOf(merged)}
	problems := slices.Clone(merged.Problems)
	for _, s := range merged.Servers {
		server, found := w.upstreamConfig(s)
		next.servers = append(next.servers, server)
		problems = append(problems, found...)
	}
	if names := w.hostServerNames(); len(names) > 0 || !w.host.can.HostTools {
		// Before the host's tools are known, an entry for one of its servers
		// looks like a spelling error.
		problems = append(problems, merged.UnmatchedPolicies(names)...)
	}
	w.configured.Store(next)
	w.report(problems)
	if err := w.manager.Apply(w.life, next.servers); err != nil && w.life.Err() == nil {
		w.log.Error("servers not changed", "error", err)
	}
}

// follow watches the files that the folders and the settings ask for.
func (w *workspace) follow() {
	if err := w.files.SetSources(w.life, w.sources()); err != nil {
		w.log.Debug("files not followed", "error", err)
	}
}

// modesOf returns the policy of each mode. A mode that did not change keeps
// its pointer, and with it what was worked out for it.
func (w *workspace) modesOf(c config.Config) map[string]*router.Mode {
	modes := map[string]*router.Mode{"": {}}
	for _, m := range c.Modes {
		modes[m.Slug] = &router.Mode{Slug: m.Slug, Allowed: m.Allowed, Blocked: m.Blocked, NoMCP: m.NoTools}
	}
	if before := w.state(); before != nil {
		for slug, mode := range modes {
			if old := before.modes[slug]; old != nil && reflect.DeepEqual(old, mode) {
				modes[slug] = old
			}
		}
	}
	return modes
}

// upstreamConfig expands one server's definition.
func (w *workspace) upstreamConfig(s config.Server) (upstream.Config, []config.Problem) {
	expanded := config.Expand(s, w.lookup())
	d := expanded.Definition
	hold := w.hold(s)
	if isItself(d) {
		hold = holdItself
	}
	return upstream.Config{
		Name:      s.Name,
		Transport: transportOf(d.Transport),
		Command:   d.Command,
		Args:      d.Args,
		Env:       d.Env,
		Cwd:       d.Cwd,
		URL:       d.URL,
		Headers:   d.Headers,
		OAuth: upstream.OAuth{
			ClientID: d.OAuth.ClientID, ClientSecret: d.OAuth.ClientSecret, Scopes: d.OAuth.Scopes,
			CallbackPort: d.OAuth.CallbackPort, MetadataURL: d.OAuth.AuthServerMetadataURL,
		},
		Disabled: s.Disabled(),
		Hold:     hold,
		Lazy:     w.settings.Load().Servers.Start == protocol.StartLazy,
		Timeout:  s.Policy.Timeout,
	}, expanded.Problems
}

func transportOf(t config.Transport) upstream.Transport {
	switch t {
	case config.SSE:
		return upstream.SSE
	case config.HTTP:
		return upstream.HTTP
	case config.Stdio:
	}
	return upstream.Stdio
}

// hold says what a server waits for; empty lets it start.
func (w *workspace) hold(s config.Server) string {
	if s.Invalid != nil {
		return s.Invalid.String()
	}
	switch s.Hold {
	case config.HoldTrust:
		return "waits until the workspace is trusted"
	case config.HoldConsent:
		return fmt.Sprintf("waits for your consent to run the servers of %s", s.Origin.Source.Path)
	case config.HoldDeclined:
		return fmt.Sprintf("you declined to run the servers of %s", s.Origin.Source.Path)
	}
	select {
	case <-w.started:
		return ""
	default:
		return holdStart
	}
}

// report tells the user of problems that are new since the last pass.
func (w *workspace) report(problems []config.Problem) {
	current := make(map[config.Problem]bool, len(problems))
	for _, p := range problems {
		current[p] = true
		if w.reported[p] {
			continue
		}
		kind := protocol.MessageWarning
		if p.Severity == config.Error {
			kind = protocol.MessageError
		}
		w.host.show(protocol.ShowMessageParams{
			Type: kind, Message: p.Message, Server: p.Server, Next: p.Hint,
			File: p.Path, Line: p.Line, Column: p.Column,
		})
	}
	w.reported = current
}

// lookup gives variables their values.
func (w *workspace) lookup() config.Lookup {
	folders := *w.folders.Load()
	named := make([]config.Folder, len(folders))
	for i, f := range folders {
		named[i] = config.Folder{Name: f.name, Path: f.path}
	}
	return config.Lookup{Env: w.environ, Folders: named, Home: w.paths.home, ReadFile: os.ReadFile}
}

// hooks connect the servers to the host.
func (w *workspace) hooks() upstream.Hooks {
	return upstream.Hooks{
		Input:        w.input,
		SecretGet:    w.host.secretGet,
		SecretSet:    w.host.secretSet,
		OpenExternal: w.host.openExternal,
		ExternalURL:  w.host.externalURL,
		Announced: func(a upstream.Announcement) {
			if listen := w.listener.Load(); listen != nil {
				(*listen)(a)
			}
		},
	}
}

// input asks for the value of an input of a server.
func (w *workspace) input(ctx context.Context, server, id string) (string, error) {
	state := w.state()
	s, _ := state.config.Server(server)
	return w.host.input(ctx, s, state.config.Input(s, id))
}

// sources lists the files to read.
func (w *workspace) sources() []config.Source {
	folders := *w.folders.Load()
	roots := make([]string, len(folders))
	for i, f := range folders {
		roots[i] = f.path
	}
	return config.Sources(config.Options{
		Folders: roots, UserDir: w.paths.userDir, Home: w.paths.home,
		GlobalStorageDirs: w.paths.globalStorage,
		FromVSCode:        w.settings.Load().Servers.FromVSCode,
	})
}

// shadowedFiles lists the files that define a name and lost, in order.
func (c *configured) shadowedFiles(name string) []string {
	var files []string
	for _, s := range c.config.Shadowed {
		if s.Name == name {
			files = append(files, s.Origin.Source.Path)
		}
	}
	return files
}

// proxyEnv is what children are told of the host's network.
func (w *workspace) proxyEnv(n protocol.Network) map[string]string {
	env := map[string]string{}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value, ok := w.environ(name); ok {
			env[name] = value
		}
	}
	if n.Proxy != "" {
		maps.Copy(env, map[string]string{"HTTP_PROXY": n.Proxy, "HTTPS_PROXY": n.Proxy, "http_proxy": n.Proxy, "https_proxy": n.Proxy})
	}
	if n.NoProxy != "" {
		maps.Copy(env, map[string]string{"NO_PROXY": n.NoProxy, "no_proxy": n.NoProxy})
	}
	if len(n.ExtraCACerts) > 0 {
		env["NODE_EXTRA_CA_CERTS"] = n.ExtraCACerts[0]
	}
	return env
}
