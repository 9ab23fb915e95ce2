package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/protocol"
)

// sessionFlags are the flags of a session that has no host to say what it works
// on.
type sessionFlags struct {
	workspace, storage, settings string
	trust                        bool
	level                        slog.Level
}

// register adds the flags to a set.
func (f *sessionFlags) register(set *flag.FlagSet, workspace, settings, trust string) {
	set.StringVar(&f.workspace, "workspace", ".", workspace)
	set.StringVar(&f.storage, "storage", "", "the `folder` for what is remembered between runs (default winnow in the user's cache)")
	set.StringVar(&f.settings, "settings", "", "a JSON `file` of settings, without winnow. before their names"+settings)
	set.BoolVar(&f.trust, "trust", false, trust)
	set.TextVar(&f.level, "log", slog.LevelInfo, "log `level` on standard error: debug, info, warn or error")
}

// folder returns the absolute path of the workspace, which has to be there.
func (f *sessionFlags) folder() (string, error) {
	workspace, err := filepath.Abs(f.workspace)
	if err != nil {
		return "", fmt.Errorf("-workspace: %w", err)
	}
	if info, err := os.Stat(workspace); err != nil || !info.IsDir() {
		return "", fmt.Errorf("-workspace: %s is not a folder that can be read", workspace)
	}
	return workspace, nil
}

// initialize returns what a host would say.
func (f *sessionFlags) initialize(command, workspace string) (protocol.InitializeParams, error) {
	p := protocol.InitializeParams{
		Client: protocol.ClientInfo{Name: daemon.Name + " " + command, Version: version}, ProtocolVersion: protocol.Version,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: fileURI(workspace), Name: filepath.Base(workspace)}},
		StoragePath:      f.storage, Trusted: f.trust,
	}
	if p.StoragePath == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return p, fmt.Errorf("-storage: there is no default: %w", err)
		}
		p.StoragePath = filepath.Join(cache, "winnow")
	}
	if f.settings != "" {
		raw, err := os.ReadFile(f.settings)
		if err != nil {
			return p, fmt.Errorf("-settings: %w", err)
		}
		if !json.Valid(raw) {
			return p, fmt.Errorf("-settings: %s is not JSON", f.settings)
		}
		p.Settings = raw
	}
	return p, nil
}

// fileURI returns the file: URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
