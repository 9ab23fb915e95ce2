package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// definition expands one server's definition.
func (w *Workspace) definition(s config.Server) (upstream.Config, []config.Problem) {
	expanded := config.Expand(s, w.lookup())
	d := expanded.Definition
	hold := w.hold(s)
	if isItself(d) {
		hold = HoldItself
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
		Lazy:     w.options.Settings.Load().Servers.Start == protocol.StartLazy,
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
func (w *Workspace) hold(s config.Server) string {
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
	if !w.started.Load() {
		return HoldStart
	}
	return ""
}

// lookup gives variables their values.
func (w *Workspace) lookup() config.Lookup {
	folders := w.Folders()
	named := make([]config.Folder, len(folders))
	for i, f := range folders {
		named[i] = config.Folder{Name: f.Name, Path: f.Path}
	}
	return config.Lookup{Env: w.options.Environ, Folders: named, Home: w.places.home, ReadFile: os.ReadFile}
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
