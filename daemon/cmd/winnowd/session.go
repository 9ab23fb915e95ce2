package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/protocol"
)

// sessionFlags are the flags of a session without a host.
type sessionFlags struct {
	workspace, storage, settings string
	trust                        bool
	consents                     []string
}

// register adds the flags to a command, with texts for the workspace, the settings and
// trust.
func (f *sessionFlags) register(c *cobra.Command, workspace, settings, trust string) {
	set := c.Flags()
	set.StringVar(&f.workspace, "workspace", ".", workspace)
	set.StringVar(&f.storage, "storage", "", "the `folder` for what is remembered between runs (default winnow in the user's cache)")
	set.StringVar(&f.settings, "settings", "", "a JSON `file` of settings, without winnow. before their names"+settings)
	set.BoolVar(&f.trust, "trust", false, trust)
	for _, folder := range []string{"workspace", "storage"} {
		_ = c.MarkFlagDirname(folder) // fails for a flag that is not there
	}
	_ = c.MarkFlagFilename("settings", "json")
}

// registerConsents adds the flag for files of other clients whose servers may start.
func (f *sessionFlags) registerConsents(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.consents, "consent", nil,
		"start what the servers of this `file` of another client's start now; may be repeated, and is remembered")
}

// consentFiles returns the absolute paths of the files, which must exist.
func (f *sessionFlags) consentFiles() ([]string, error) {
	files := make([]string, len(f.consents))
	for i, file := range f.consents {
		var err error
		if files[i], err = filepath.Abs(file); err != nil {
			return nil, fmt.Errorf("-consent: %w", err)
		}
		if info, err := os.Stat(files[i]); err != nil || info.IsDir() {
			return nil, fmt.Errorf("-consent: %s is not a file that can be read", files[i])
		}
	}
	return files, nil
}

// folder returns the absolute path of the workspace, which must exist.
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

// storageFolder returns the storage folder, or its default.
func storageFolder(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("-storage: there is no default: %w", err)
	}
	return filepath.Join(cache, "winnow"), nil
}

// initialize returns the params that a host would send.
func (f *sessionFlags) initialize(command, workspace string) (protocol.InitializeParams, error) {
	p := protocol.InitializeParams{
		Client: protocol.ClientInfo{Name: daemon.Name + " " + command, Version: version}, ProtocolVersion: protocol.Version,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: fileURI(workspace), Name: filepath.Base(workspace)}},
		Trusted:          f.trust,
	}
	var err error
	if p.StoragePath, err = storageFolder(f.storage); err != nil {
		return p, err
	}
	if f.settings != "" {
		raw, err := os.ReadFile(f.settings)
		if err != nil {
			return p, fmt.Errorf("-settings: %s is not a file that can be read", f.settings)
		}
		if err := checkJSON(f.settings, raw); err != nil {
			return p, fmt.Errorf("-settings: %w", err)
		}
		if p.SettingsFile, err = filepath.Abs(f.settings); err != nil {
			return p, fmt.Errorf("-settings: %w", err)
		}
		p.Settings = raw
	}
	return p, nil
}

// fileURI returns the file: URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a Windows drive
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// checkJSON returns an error with the position if a file is not a JSON object.
func checkJSON(file string, raw []byte) error {
	var object map[string]json.RawMessage
	err := json.Unmarshal(raw, &object)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		before := string(raw[:max(0, min(int(syntax.Offset), len(raw))-1)])
		line := 1 + strings.Count(before, "\n")
		column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
		return fmt.Errorf("%s:%d:%d: from here on, this is not JSON", file, line, column)
	}
	return fmt.Errorf("%s:1:1: settings are a JSON object, such as {\"threshold\": 20}", file)
}
